"""Every page, as every role, in both languages, narrow and wide, light and dark."""

import re
import subprocess

from console.desk import NAME, PORT, ROLES
from lab.table import must, row

COMMON = (
    "",
    "/people",
    "/person?name=auditor",
    "/groups",
    "/unable",
    "/machines",
    "/join-codes",
    "/codes",
    "/approvals",
    "/policies",
    "/machine-policies",
    "/audit",
    "/audit/row?number=1",
    "/settings",
    "/about",
)
ACCESS = ("/tokens", "/administrators")


def pages(role):
    more = ("/enrol-list",) if role in ("helpdesk", "administrator") else ()
    return COMMON + more + (ACCESS if role == "administrator" else ())


def look(desk, role):
    seen = 0
    for language in ("en", "ko"):
        for width in (360, 1440):
            browser = desk.browser(language, width)
            browser.open("/console/sign-in")
            browser.examine("sign-in")
            browser.sign_in(desk.people[role], desk.channel)
            for path in pages(role):
                browser.open("/console" + path)
                # Colours do not depend on the language.
                for is_dark in (False, True) if language == "en" else (False,):
                    browser.dark(is_dark)
                    name = path.partition("?")[0].replace("/", "-") or "-overview"
                    browser.examine(f"{role}{name}{'-dark' if is_dark else ''}")
                    seen += 1
            desk.tidy()
    return f"{seen} views, nothing of level A or AA"


for number, role in enumerate(ROLES, 1):
    row(f"P{number}", f"every page as {role}", "axe finds nothing, nothing is wider than the window", limit=180)(
        lambda desk, role=role: look(desk, role)
    )


@row("P5", "a sign-in and a dangerous step in the browser", "the text is the one that was signed; the step is done", limit=60)
def steps(desk):
    desk.run("enrol", "leaver")
    browser = desk.browser("en", 1440)
    administrator = desk.people["administrator"]
    browser.sign_in(administrator, desk.channel)
    browser.open("/console/person/delete?name=leaver")
    must("leaver" in browser.text("main p:nth-of-type(2)"), f"it does not say to whom: {browser.text('main')}")
    browser.press("form[action='/console/person/delete'] button")
    must(browser.path == "/console/confirm", f"nothing was asked: {browser.path}")
    browser.examine("confirm")
    shown = browser.text("dd")
    signed = administrator.confirm(desk.channel, browser.text("pre"))
    must(signed == shown, f"shown {shown}, signed {signed}")
    browser.press("form[action='/console/confirm'] button")
    must("leaver" not in desk.run("users"), "the account is still there")
    return signed


@row(
    "P6",
    "a list with a wrong line, sent as a file in the browser",
    "each wrong line is named; narrow and wide, in both languages",
    limit=90,
)
def many(desk):
    file = desk.state / "people.csv"
    file.write_text("username,lifetime\nfirst-of-list,60\n" + "x" * 129 + ",60\nsecond-of-list,\n")
    file.chmod(0o644)
    for language, width in (("en", 360), ("ko", 1440)):
        browser = desk.browser(language, width)
        browser.sign_in(desk.people["helpdesk"], desk.channel)
        browser.open("/console/enrol-list")
        browser.fill("list", str(file))
        browser.press("form[action='/console/enrol-list/check'] button")
        browser.examine("list-checked")
        must(browser.text("td") == "3" or "3" in browser.text("table"), f"line 3 is not named: {browser.text('main')}")
    must("first-of-list" not in desk.run("users"), "a check has made an account")
    return "checked, and nothing done"


@row("P7", "the preview of a policy that locks everybody out", "it says so in a warning, narrow and wide", limit=90)
def preview(desk):
    for language, width in (("ko", 360), ("en", 1440)):
        browser = desk.browser(language, width)
        browser.sign_in(desk.people["administrator"], desk.channel)
        browser.open("/console/policies")
        browser.clear("policy")
        browser.fill("policy", '{"accepted": [["pattern"]]}')
        browser.press("form[action='/console/policies/preview'] button")
        for is_dark in (False, True):
            browser.dark(is_dark)
            browser.examine(f"preview{'-dark' if is_dark else ''}")
        must(browser.text("main .notice"), "no warning")
    return browser.text("main .notice")


@row(
    "P8",
    "sheets for a list, made in the browser and printed",
    "one A4 page for each person, without the menu; the QR code is the line, and no word is broken; in both languages",
    limit=90,
)
def sheets(desk):
    # The last one has the longest names, and must not need a second page.
    people = {
        "<b>&'sheet-one": "",
        "../sheet-two": "김민수",
        "sheet-three": "Ana-Maria van den Berg",
        "sheet-" + "x" * 122: ("가나다라 " * 12).strip(),
    }
    names = list(people)
    file = desk.state / "sheets.csv"
    file.write_text("username;displayName\n" + "".join(f"{name};{shown}\n" for name, shown in people.items()))
    file.chmod(0o644)
    for language, width in (("en", 360), ("ko", 1440)):
        browser = desk.browser(language, width)
        browser.sign_in(desk.people["administrator"], desk.channel)
        browser.open("/console/enrol-list")
        browser.fill("list", str(file))
        browser.press("form[action='/console/enrol-list/check'] button")
        browser.choose("form", "sheets")
        browser.press("form[action='/console/enrol-list/issue'] button")
        for is_dark in (False, True):
            browser.dark(is_dark)
            browser.examine(f"sheets{'-dark' if is_dark else ''}")
        shown = [text for text in browser.texts(".sheet dd") if text in names]
        must(shown == names, f"the sheets have the names {shown}")
        line = browser.texts(".sheet pre:not(.command)")[0]
        picture = browser.picture(".sheet .qr", f"sheet-code-{language}")
        read = subprocess.run(["zbarimg", "--quiet", "--raw", picture], capture_output=True, text=True, check=True).stdout
        must(read.strip() == line, f"the picture is not the line: {read[:80]}")
        pages = browser.printed(f"sheets-{language}")
        must(len(pages) == len(names), f"{len(pages)} pages for {len(names)} people")
        for (name, called), page in zip(people.items(), pages, strict=True):
            must("uafctl register --code" in page, f"the page of {name}: {page[:200]}")
            must("administrator" not in page, f"the menu is printed: {page[:200]}")
            # Only what is longer than its line may be broken inside a word.
            words = [f"https://{NAME}:{PORT}", *called.split(), *([name] if len(name) < 40 else [])]
            broken = [word for word in words if word not in page]
            must(not broken, f"{broken} is broken in {page[:600]}")
            must(re.search(r"20\d\d-\d\d-\d\d \d\d:\d\d:\d\d", page), f"no time on one line: {page[:600]}")
    return f"{len(names)} pages"


@row("P9", "a file of sheets that enrol-list made, opened in the browser", "no request leaves it, axe finds nothing", limit=60)
def sheet_file(desk):
    people, made = desk.state / "file.csv", desk.state / "sheets.html"
    people.write_text("username\n<script>alert(1)</script>\nfile-two\n")
    people.chmod(0o644)
    desk.run("enrol-list", people, "--sheets", made, "--payloads", desk.state / "payloads", "--language", "ko")
    must(made.stat().st_mode & 0o777 == 0o600, oct(made.stat().st_mode))
    files = sorted(file.name for file in (desk.state / "payloads").iterdir())
    must(files == ["%3cscript%3ealert%281%29%3c%2fscript%3e.code", "file-two.code"], files)
    browser = desk.browser("ko", 1440)
    browser.open_file(made)
    browser.examine("sheet-file")
    must("<script>alert(1)</script>" in browser.texts(".sheet dd"), "the name is not shown as text")
    must(len(browser.printed("sheet-file")) == 2, "not one page for each person")
    must(not browser.loaded(), f"it has loaded {browser.loaded()}")
    return "two pages, nothing loaded"
