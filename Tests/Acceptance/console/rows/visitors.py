"""Visitors who try to exceed their permissions."""

import json
import re
import subprocess
import time
import urllib.parse

from console.desk import ROLES
from lab.table import must, row

MARKUP = "<script>alert(1)</script>\"'&"
FORMS = {
    "manage-accounts": (
        "/console/people/add",
        "/console/person/delete",
        "/console/person/disable",
        "/console/person/lock",
        "/console/person/enable",
        "/console/people/selected/disable",
        "/console/people/selected/enable",
        "/console/people/selected/group",
    ),
    "manage-policies": ("/console/policies/save", "/console/machine-policies/preview", "/console/machine-policies/save"),
    "enrol": ("/console/person/enrol", "/console/person/close-code", "/console/people/selected/enrol"),
    "unlock": ("/console/person/unlock",),
    "revoke": (
        "/console/person/revoke",
        "/console/person/revoke-all",
        "/console/machine/revoke",
        "/console/people/selected/revoke-keys",
        "/console/machines/selected/revoke",
    ),
    "approve": ("/console/approvals/ask", "/console/approvals/close"),
    "join-machines": ("/console/join-codes/issue", "/console/join-codes/close"),
    "manage-access": (
        "/console/tokens/add",
        "/console/tokens/revoke",
        "/console/administrators/set",
        "/console/administrators/remove",
    ),
}
STEPS = {
    "manage-accounts": (
        "/console/people/add",
        "/console/person/delete",
        "/console/person/disable",
        "/console/person/lock",
        "/console/person/enable",
    ),
    "enrol": ("/console/person/enrol", "/console/person/close-code"),
    "unlock": ("/console/person/unlock",),
    "revoke": ("/console/person/revoke", "/console/person/revoke-all", "/console/machine/revoke"),
    "approve": ("/console/approvals/ask", "/console/approvals/close"),
    "join-machines": ("/console/join-codes/issue", "/console/join-codes/close"),
    "manage-access": (
        "/console/tokens/add",
        "/console/tokens/revoke",
        "/console/administrators/set",
        "/console/administrators/remove",
    ),
}
ALLOWED = {
    "auditor": (),
    "helpdesk": ("enrol", "unlock"),
    "operator": ("manage-accounts", "revoke", "approve", "join-machines"),
}
FIELDS = {"name": "nobody", "id": "none", "lifetime": "900", "role": "auditor", "text": "pay", "key": "5541#0001 AAAA"}


def save_policy(desk, visitor, policy, reason, lock_out=0):
    """Saves a policy after the one in force, as the preview's form does."""
    page = visitor.get("/console/policies").text
    numbers = [int(number) for number in re.findall(r'"/console/policy\?number=(\d+)"', page)]
    fields = {"policy": policy, "after": max(numbers, default=0), "lockOut": lock_out, "reason": reason}
    answer = visitor.post("/console/policies/save", **fields)
    must(answer.status == 303, f"not asked: {answer.status} {answer.text[-300:]}")
    text = desk.people["administrator"].confirm(desk.channel, visitor.line("/console/confirm"))
    must(visitor.post("/console/confirm").status == 200, "the policy was not saved")
    return text


@row("V1", "no session", "each page and form leads to the sign-in", limit=30)
def stranger(desk):
    visitor = desk.visit()
    for path in ("", "/people", "/audit", "/tokens", "/confirm", "/nothing"):
        answer = visitor.get("/console" + path)
        must(answer.status == 303 and answer.headers["Location"] == "/console/sign-in", f"{path}: {answer.status}")
    for paths in FORMS.values():
        for path in paths:
            must(visitor.post(path, **FIELDS).status == 303, f"{path} without a session")
    return "all lead to the sign-in"


@row("V2", "forms and pages that the role must not use", "403 for each", limit=60)
def others(desk):
    count = 0
    for role in ROLES[:-1]:
        visitor = desk.signed_in(role)
        for kind, paths in FORMS.items():
            for path in paths:
                if kind not in ALLOWED[role]:
                    status = visitor.post(path, **FIELDS).status
                    must(status == 403, f"{role} sends {path}: {status}")
                    count += 1
        for path in ("/console/tokens", "/console/administrators"):
            must(visitor.get(path).status == 403, f"{role} reads {path}")
        # The page that begins a step is as closed as the step itself.
        for kind, paths in STEPS.items():
            for path in paths:
                status = visitor.get(f"{path}?name={role}&number=1&id=none").status
                must((status == 403) == (kind not in ALLOWED[role]), f"{role} opens {path}: {status}")
                count += 1
    return f"{count} forms and pages"


@row("V3", "a forged form: no token, another's token, another Origin, none, another site", "403, and nothing is done", limit=30)
def forged(desk):
    visitor, other = desk.signed_in("operator"), desk.signed_in("operator")
    body = f"name=forged&csrf={visitor.csrf()}"
    tries = [
        visitor.send("/console/people/add", "name=forged"),
        visitor.send("/console/people/add", f"name=forged&csrf={other.csrf()}"),
        visitor.send("/console/people/add", body, Origin="https://evil.example"),
        visitor.send("/console/people/add", body, Origin="null"),
        visitor.send("/console/people/add", body, **{"Sec-Fetch-Site": "cross-site"}),
        visitor.ask("POST", "/console/people/add", body, {"Content-Type": "application/x-www-form-urlencoded"}),
    ]
    must(all(answer.status == 403 for answer in tries), f"statuses {[answer.status for answer in tries]}")
    must("forged" not in desk.run("users"), "it was done")
    must(visitor.send("/console/people/add", body).status == 303, "the right form was refused")
    return "403 for each"


@row(
    "V4",
    "a session that is signed out, invented, or of a person whose role has changed",
    "not accepted: leads to the sign-in",
    limit=30,
)
def stale(desk):
    visitor = desk.signed_in("auditor")
    kept = dict(visitor.cookies)
    visitor.post("/console/sign-out")
    for cookies in (kept, {"__Host-uaf-session": "A" * 43}, {"__Host-uaf-session": "x" * 4000}):
        visitor.cookies = dict(cookies)
        must(visitor.get("/console").status == 303, f"a session by {cookies}")
    visitor = desk.signed_in("auditor")
    desk.run("admin", "add", "auditor", "operator")
    must(visitor.get("/console").status == 303, "a session with the role of before")
    desk.run("admin", "add", "auditor", "auditor")
    return "none is a session"


@row("V5", "names and reasons with markup and of 2,000 characters", "each page shows them as text, never as markup", limit=60)
def markup(desk):
    # Swift treats U+0600 and the character after it as one character, and a browser does not.
    name = MARKUP + "\u0600<script\u0600>" + "x" * 40
    person = desk.person(deviceName=name, deviceModel=name, deviceOS=name)
    visitor = desk.signed_in("operator")
    visitor.post("/console/person/revoke-all", name=person.name, reason=MARKUP)
    desk.people["operator"].confirm(desk.channel, visitor.line("/console/confirm"))
    must(visitor.post("/console/confirm").status == 200, "the step was not done")
    visitor.post("/console/approvals/ask", name=person.name, text=MARKUP)
    visitor.post("/console/person/disable", name=person.name, reason=MARKUP)
    administrator = desk.signed_in("administrator")
    group = {"accounts": ["nobody<b>"], "accepted": [["passcode"]]}
    policy = json.dumps({"groups": {MARKUP + "x" * 2000: group}})
    preview = administrator.post("/console/policies/preview", policy=policy)
    must(preview.status == 200 and "<script" not in preview.text, "markup in a preview")
    save_policy(desk, administrator, policy, MARKUP)
    workstations = desk.state / "markup.toml"
    workstations.write_text(f"# {MARKUP}\n")
    workstations.chmod(0o644)
    # policy NUMBER is saved ...
    number = desk.run("machine-policy", "set", workstations, "--group", "markup", "--reason", MARKUP).split()[1]
    targets = ["/console/person?name=" + person.name, "/console/machines", "/console/approvals", "/console/audit", "/console"]
    targets += ["/console/people", "/console/approval?number=1", "/console/policies", "/console/policy?number=1"]
    targets += ["/console/machine-policies", "/console/machine-policies?group=markup"]
    targets += ["/console/machine-policies?group=%3Cscript%3E", f"/console/machine-policy?number={number}"]
    named = urllib.parse.quote(person.name)
    targets += [f"/console/person/{step}?name={named}" for step in ("enable", "lock", "delete", "enrol")]
    targets += ["/console/unable", "/console/machines?words=%3Cscript%3E", "/console/join-codes"]
    targets += ["/console/people?prefix=" + "x" * 2000, "/console/audit?account=%3Cscript%3E" + "x" * 2000]
    for target in targets:
        answer = visitor.get(target)
        must("<script" not in answer.text, f"markup in {target[:60]}")
    shown = visitor.get(targets[0]).text
    must("&lt;script&gt;" in shown, f"the name is not shown: {shown[-600:]}")
    return f"{len(targets)} pages"


@row("V6", "headers of every answer", "CSP without inline, no store, no frames, no referrer", limit=30)
def headers(desk):
    visitor = desk.signed_in("administrator")
    expected = {
        "Content-Security-Policy": "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'",
        "Strict-Transport-Security": "max-age=31536000",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Cache-Control": "no-store",
    }
    files = ("/", "/console/style-6.css", "/console/comfort-2.js", "/console/passkey.js")
    answers = [visitor.get(path) for path in files]
    # A page runs only the server's own scripts. They may make no requests, except those for a passkey and for a search.
    script = "script-src 'self'; require-trusted-types-for 'script'; "
    asking = script.replace(" require", " connect-src 'self'; require")
    pages = [(visitor.get(path), script) for path in ("/console", "/console/audit", "/console/nothing")]
    # A search that follows what is typed asks for its own page.
    pages += [(visitor.get(path), asking) for path in ("/console/people", "/console/machines")]
    pages += [(visitor.ask("PUT", "/console"), script), (visitor.send("/console/tokens/add", "x"), script)]
    pages.append((desk.visit().get("/console/sign-in"), asking))
    for page, script in pages:
        policy = page.headers["Content-Security-Policy"]
        must(script in policy and policy.replace(script, "") == expected["Content-Security-Policy"], f"the policy is {policy}")
        del page.headers["Content-Security-Policy"]
        page.headers["Content-Security-Policy"] = expected["Content-Security-Policy"]
        answers.append(page)
    for answer in answers:
        for name, value in expected.items():
            must(answer.headers[name] == value, f"{answer.status}: {name} is {answer.headers[name]}")
        must(not any(secret in (answer.headers["Location"] or "") for secret in visitor.cookies.values()), "a secret in a URL")
    return f"{len(answers)} answers"


@row("V7", "forms and requests that are broken", "refused, and the server goes on", limit=30)
def broken(desk):
    visitor = desk.visit()
    bodies = ("name=%", "name=a&name=b", "name=%FF", "name=%00", "&" * 40_000, "name=" + "x" * 40_000, "name=<b>&" * 3)
    statuses = [visitor.send("/console/sign-in", body).status for body in bodies]
    must(all(status in (400, 413) for status in statuses), f"statuses {statuses}")
    form = {"Content-Type": "application/json", "Origin": visitor.origin}
    must(visitor.ask("POST", "/console/sign-in", "{}", form).status == 400, "JSON as a form")
    must(visitor.ask("PUT", "/console/sign-in", "name=a").status == 405, "PUT")
    head = visitor.ask("HEAD", "/console/sign-in")
    must(head.status == 200 and not head.text, "HEAD has a body")
    must(visitor.get("/console/language?to=//evil.example").status == 400, "a language of somewhere else")
    must(visitor.get("/console/sign-in").status == 200, "it does not go on")
    return f"{statuses}"


@row("V8", "the QR code of an enrolment", "zbarimg reads the line that the page shows", limit=60)
def picture(desk):
    code = desk.run("enrol", "scanned", "--qr")
    must("\u2588" in code, f"no picture: {code[:200]}")
    browser = desk.browser("en", 1440)
    browser.sign_in(desk.people["administrator"], desk.channel)
    browser.open("/console/person/enrol?name=scanned")
    browser.press("form[action='/console/person/enrol'] button")
    short, line = browser.texts("pre")
    must(re.fullmatch(r"[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}", short), f"the code is {short}")
    file = browser.picture("svg.qr", "qr")
    read = subprocess.run(["zbarimg", "--quiet", "--raw", file], capture_output=True, text=True, check=False, timeout=30)
    must(read.stdout.strip() == line, f"read {read.stdout[:80]} {read.stderr[:200]}")
    return f"{len(line)} characters"


@row("V9", "a policy that would lock everybody out", "409 without a signature; the accounts are named", limit=30)
def lock_out(desk):
    visitor = desk.signed_in("administrator")
    before = desk.run("policy", "list")
    preview = visitor.post("/console/policies/preview", policy='{"accepted": [["pattern"]]}')
    must("nobody could log in any more" in preview.text, "the preview does not say so")
    after = re.search(r'name="after" value="(\d+)"', preview.text)
    assert after
    fields = {"policy": '{"accepted": [["pattern"]]}', "after": after.group(1), "reason": "all", "lockOut": "0"}
    answer = visitor.post("/console/policies/save", **fields)
    must(answer.status == 409 and "administrator" in answer.text, f"{answer.status}")
    must(visitor.get("/console/confirm").status == 409, "a step waits")
    must(desk.run("policy", "list") == before, "it was saved")
    return "refused, and named"


@row(
    "V10", "a list of 10,000 people, wrong lines, and a list of a megabyte too much", "codes once; wrong ones refused", limit=180
)
def many(desk):
    check, issue = "/console/enrol-list/check", "/console/enrol-list/issue"
    visitor = desk.signed_in("helpdesk")
    wrong = "username\nlisted\n<script>\x01\nadministrator\nlisted\n"
    answer = visitor.upload(check, wrong, lifetime=60)
    lines = re.findall(r'<td data-column="Line">(\d+)</td>', answer.text)
    must(lines == ["3", "4", "5"] and "<script" not in answer.text, f"{answer.status}: {lines}")
    must(visitor.upload(issue, wrong, lifetime=60).status == 409, "codes although lines are wrong")
    must("listed" not in desk.run("users"), "half of it was done")
    must(visitor.upload(issue, wrong, lifetime=60, csrf="x").status == 403, "a forged list")
    must(visitor.upload(check, "x" * (1 << 21), lifetime=60).status == 413, "two megabytes")
    for role in ("auditor", "operator"):
        other = desk.signed_in(role)
        must(other.get("/console/enrol-list").status == 403, f"{role} reads the page")
        must(other.upload(issue, "username\nlisted\n", lifetime=60).status == 403, f"{role} makes codes")
    people = "username\n" + "".join(f"{'n' * 90}{number:05}\n" for number in range(10_000))
    must(visitor.upload(check, people, lifetime=60).status == 200, "10,000 are not checked")
    began = time.monotonic()
    answer = visitor.upload(issue, people, lifetime=60)
    took = time.monotonic() - began
    must(answer.status == 200 and answer.text.count("\n") == 10_001, f"{answer.status}: {answer.text[:200]}")
    must(answer.headers["Cache-Control"] == "no-store", "a browser may keep the codes")
    return f"10,000 codes in {took:.1f} s, {len(answer.text) >> 20} MiB"


@row("V11", "strangers ask for a sign-in, of a known and an unknown name", "the same pages; the store does not grow", limit=60)
def strangers(desk):
    before = desk.run("audit", "list", "--limit", "1000")
    pages = []
    for name in ("operator", "nobodyxx"):
        visitor = desk.visit()
        answer = visitor.post("/console/sign-in", name=name)
        page = visitor.get("/console/sign-in")
        random = r'd="[^"]*"|data-now="[^"]*"|<pre.*?</pre>|<dd>.*?</dd>|viewBox="[^"]*"'
        pages.append((answer.status, page.status, re.sub(random, "", page.text, flags=re.DOTALL).replace(name, "")))
    must([page[:2] for page in pages] == [(303, 200)] * 2, f"not asked for a confirmation: {[page[:2] for page in pages]}")
    must(pages[0] == pages[1], f"they differ: {pages}")
    must(desk.run("audit", "list", "--limit", "1000") == before, "the audit grew")
    visitor = desk.visit()
    statuses = [visitor.post("/console/sign-in", name="operator").status for _ in range(40)]
    must(429 in statuses, f"no limit: {statuses}")
    must(desk.visit().post("/console/sign-in", name="operator").status == 303, "one address used up what all have")
    return f"{statuses.count(303)} of 40 were answered"
