"""Passkeys in a real browser, with the virtual authenticators of its driver."""

import base64
import hashlib
import json
import ssl
import time
import uuid

from fleet.programs import as_user, write
from lab.codes import code_in
from lab.table import must, row

# Seconds after which a server applies a policy that was saved.
IN_FORCE = 2.5
# The four kinds of authenticators that people have, by the words of the WebDriver extension of WebAuthn Level 3, section 11.
KINDS = {
    "platform": {"transport": "internal", "hasUserVerification": True, "isUserVerified": True, "hasResidentKey": True},
    "synced": {
        "transport": "internal",
        "hasUserVerification": True,
        "isUserVerified": True,
        "hasResidentKey": True,
        "defaultBackupEligibility": True,
        "defaultBackupState": True,
    },
    "usb": {"transport": "usb", "hasUserVerification": True, "isUserVerified": True, "hasResidentKey": False},
    "usb without verification": {"transport": "usb", "hasUserVerification": False, "hasResidentKey": False},
}


def code_for(desk, account):
    """A new enrolment code."""
    return code_in(desk.run_all("enrol", account))


def allow(desk, passkeys):
    """Saves a policy with these rules for passkeys, or without them."""
    file = desk.state / "passkeys.json"
    file.write_text(json.dumps({} if passkeys is None else {"passkeys": passkeys}))
    file.chmod(0o644)
    desk.run("policy", "set", file, "--metadata", desk.metadata, "--reason", "passkeys", "--lock-out", "1000")
    time.sleep(IN_FORCE)


def register(desk, browser, account, code=None):
    """Fills in the page for a new passkey; returns the notice that it shows."""
    browser.open("/passkey")
    browser.fill_in("#account", account)
    browser.fill_in("#code", code or code_for(desk, account))
    browser.click("#registration button")
    return browser.notice()


def passkeys(desk, account):
    """The passkeys that the server has of an account."""
    return json.loads(desk.api(f"/accounts/{account}/passkeys"))["passkeys"]


def code_of_token(desk, account):
    """A new enrolment code that a token issues, so no signature of an administrator vouches for it."""
    file = desk.state / f"{account}.token"
    write(file, desk.run("token", "create", f"for-{account}", "--role", "helpdesk"))
    ask = ["--api", desk.console, "--token-file", file, "--api-ca", desk.authority]
    shown = as_user("uaf-server", "enrol", account, *ask)
    return code_in(shown.stdout + shown.stderr)


def signed_text(desk, account):
    """The hash of the text that the account's passkey signed last, as the audit has it."""
    (newest, *_) = json.loads(desk.api(f"/audit?account={account}&kind=confirmation"))["rows"]
    must(newest["outcome"] == "ok" and newest["authenticators"].startswith("passkey "), f"{newest}")
    return json.loads(newest["detail"])["text"]


def registered_at(kind):
    @row(
        f"W-{kind.replace(' ', '-')}",
        f"a person registers a passkey with a code and tries it: {kind}",
        "registered and tried; refused if the authenticator verifies nobody",
        limit=90,
    )
    def act(desk):
        allow(desk, {})
        desk.run("enrol", account := f"mina-{kind.replace(' ', '-')}")
        browser = desk.login_browser("en", 768)
        browser.authenticator(**KINDS[kind])
        told = register(desk, browser, account)
        if not KINDS[kind].get("isUserVerified"):
            must(told in ("cancelled", "user-not-verified"), f"the page says {told}")
            must(not passkeys(desk, account), "it is registered")
            return f"refused: {told}"
        must(told == "registered", f"the page says {told}")
        browser.examine(f"passkey-{kind}")
        browser.click("#try")
        must(browser.notice() == "tried", f"the page says {browser.notice()}")
        (one,) = passkeys(desk, account)
        synced = kind == "synced"
        must(one["synced"] == synced and one["backedUp"] == synced, f"{one}")
        must("lastUsed" in one, "nobody logged in")
        return f"registered and tried, transports {', '.join(one['transports'])}"


for kind in KINDS:
    registered_at(kind)


@row(
    "W-refusals",
    "the page for a new passkey: a wrong code, another account's, a code that was used, synced ones that are not accepted",
    "a notice in the language of the page, and nothing is registered",
    limit=120,
)
def refusals(desk):
    allow(desk, {"synced": False})
    account, other = "jun", "sora"
    code, foreign = code_for(desk, account), code_for(desk, other)
    browser = desk.login_browser("ko", 360)
    browser.authenticator(**KINDS["synced"])
    for wrong in ("AAAA-AAAA-AAAA-AAAA", foreign):
        must(register(desk, browser, account, wrong) == "wrong-enrolment-code", f"with {wrong}: {browser.notice()}")
        browser.examine("passkey-wrong-code")
    must(register(desk, browser, account, code) == "not-in-policy", f"a synced one: {browser.notice()}")
    must(not passkeys(desk, account), "something is registered")
    allow(desk, None)
    must(register(desk, browser, account, code) == "passkeys-not-accepted", f"without a policy: {browser.notice()}")
    allow(desk, {})
    must(register(desk, browser, account, code) == "registered", f"at last: {browser.notice()}")
    must(register(desk, browser, account, code) == "wrong-enrolment-code", f"again: {browser.notice()}")
    return browser.shown_notice()


def bytes_after(name, attestation):
    """The byte string that follows a name in CBOR; the only one of a list counts too."""
    rest = attestation.partition(name)[2].removeprefix(b"\x81")
    width = {0x58: 1, 0x59: 2}[rest[0]]
    count = int.from_bytes(rest[1 : 1 + width], "big")
    return rest[1 + width : 1 + width + count]


def state(desk, model, root):
    """Gives the server a metadata statement about a model with this root certificate."""
    statement = {"schema": 3, "protocolFamily": "fido2", "aaguid": model, "description": "A key of the browser"}
    statement["attestationTypes"] = ["basic_full"]
    statement["attestationRootCertificates"] = [base64.b64encode(root).decode()]
    file = desk.metadata / "browser.json"
    file.write_text(json.dumps(statement))
    file.chmod(0o644)
    desk.restart()


@row(
    "W-attested",
    "a policy that names the authenticator's model, with a metadata statement that has another root, and the right one",
    "refused, and nothing is registered; then registered as attested",
    limit=150,
)
def attested(desk):
    browser = desk.login_browser("en", 768)
    browser.authenticator(**KINDS["usb"])
    browser.open("/passkey")
    # The identifier follows 32 bytes of a hash, flags and a counter.
    model = str(uuid.UUID(bytes=bytes_after(b"authData", browser.attestation())[37:53]))
    state(desk, model, ssl.PEM_cert_to_DER_cert(desk.authority.read_text()))
    allow(desk, {"models": [model]})
    account = "attested"
    must(register(desk, browser, account) == "not-in-policy", f"the page says {browser.notice()}")
    browser.examine("passkey-not-attested")
    # Chromium signs a new certificate for each passkey, so the root is that of the answer which was refused before.
    answer = browser.answer(account, code_for(desk, account))
    seen = [browser.send(answer)]
    state(desk, model, bytes_after(b"x5c", base64.urlsafe_b64decode(answer["response"]["attestationObject"] + "==")))
    seen.append(browser.send(answer))
    must(seen == ["not-in-policy", "ok"], f"the server says {seen}")
    (one,) = passkeys(desk, account)
    must(one["attested"] and one["aaguid"] == model, f"{one}")
    allow(desk, None)
    return f"refused, then attested as {model}"


@row(
    "W-console",
    "an administrator signs in to the console with a passkey, and confirms a step with it",
    "a session; the step is done, and what was signed is the text that the page showed",
    limit=120,
)
def console(desk):
    allow(desk, {})
    desk.run("enrol", account := "passkey-admin")
    browser = desk.login_browser("en", 1440)
    browser.authenticator(**KINDS["platform"])
    must(register(desk, browser, account) == "registered", f"{browser.notice()}")
    desk.run("admin", "add", account, "administrator")
    desk.run("enrol", "leaver-by-passkey")
    browser.base = desk.console
    browser.open("/console/sign-in")
    browser.examine("sign-in-passkey")
    browser.press("form.passkey button")
    must(browser.path == "/console", f"no session: {browser.path}, {browser.text('main')}")
    browser.open("/console/person/delete?name=leaver-by-passkey")
    browser.press("form[action='/console/person/delete'] button")
    must(browser.path == "/console/confirm", f"nothing was asked: {browser.path}")
    browser.examine("confirm-passkey")
    shown = hashlib.sha256(browser.text("dd").encode()).digest()
    browser.press("form.passkey button")
    must("leaver-by-passkey" not in desk.run("users"), f"the account is still there: {browser.text('main')}")
    signed = signed_text(desk, account)
    must(signed == base64.urlsafe_b64encode(shown).decode().rstrip("="), f"a different text was signed: {signed}")
    browser.open(f"/console/person?name={account}")
    browser.examine("person-passkey")
    return f"signed in and confirmed as {account}"


@row(
    "W-console-refused",
    "a passkey of an account without a role, and an administrator's whose code no administrator signed, at the console",
    "no session",
    limit=120,
)
def refused(desk):
    allow(desk, {})
    seen = []
    for account, code_from in (("passkey-person", code_for), ("passkey-token", code_of_token)):
        browser = desk.login_browser("ko", 768)
        browser.authenticator(**KINDS["platform"])
        must(register(desk, browser, account, code_from(desk, account)) == "registered", f"{browser.notice()}")
        if code_from is code_of_token:
            desk.run("admin", "add", account, "administrator", "--count-none")
        browser.base = desk.console
        browser.open("/console/sign-in")
        browser.press("form.passkey button")
        must(browser.path == "/console/sign-in/passkey", f"{account} is at {browser.path}")
        browser.examine(f"sign-in-{account}-refused")
        browser.open("/console")
        must(browser.path == "/console/sign-in", f"{account} has a session")
        # Without a limit of wrong answers, those that are refused before the console sees them have no row.
        rows = json.loads(desk.api(f"/audit?account={account}&kind=console-sign-in"))["rows"]
        seen.append([row["outcome"] for row in rows])
    must(seen == [["no-role"], []], f"the audit says {seen}")
    return "no session; the audit has no-role for the first"
