"""Passkeys in a real browser, with the virtual authenticators of its driver."""

import json
import re
import time

from lab.table import must, row

# Seconds after which a server applies a policy that was saved.
IN_FORCE = 2.5
CODE = re.compile(r"[0-9A-Z]{5}(?:-[0-9A-Z]{5}){3}")
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
    """A new enrolment code, as its person types it."""
    shown = desk.run_all("enrol", account)
    found = CODE.search(shown)
    if found is None:
        raise ValueError(f"no code in: {shown}")
    return found.group()


def allow(desk, passkeys):
    """Saves a policy with these rules for passkeys, or without them."""
    file = desk.state / "passkeys.json"
    file.write_text(json.dumps({} if passkeys is None else {"passkeys": passkeys}))
    file.chmod(0o644)
    desk.run("policy", "set", file, "--reason", "passkeys", "--lock-out", "1000")
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
    for wrong in ("AAAAA-AAAAA-AAAAA-AAAAA", foreign):
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


@row(
    "W-console",
    "an administrator signs in to the console with a passkey, and confirms a step with it",
    "a session; the step is done, and its text is in the challenge",
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
    browser.open("/console/person?name=leaver-by-passkey")
    browser.press("form[action='/console/person/delete'] button")
    must(browser.path == "/console/confirm", f"nothing was asked: {browser.path}")
    browser.examine("confirm-passkey")
    browser.press("form.passkey button")
    must("leaver-by-passkey" not in desk.run("users"), f"the account is still there: {browser.text('main')}")
    browser.open(f"/console/person?name={account}")
    browser.examine("person-passkey")
    return f"signed in and confirmed as {account}"


@row(
    "W-console-refused",
    "a passkey of an account without a role, and one that nobody vouches for, at the console",
    "no session",
    limit=90,
)
def refused(desk):
    allow(desk, {})
    desk.run("enrol", account := "passkey-person")
    browser = desk.login_browser("ko", 768)
    browser.authenticator(**KINDS["platform"])
    must(register(desk, browser, account) == "registered", f"{browser.notice()}")
    browser.base = desk.console
    browser.open("/console/sign-in")
    browser.press("form.passkey button")
    must(browser.path != "/console", "an account without a role has a session")
    browser.examine("sign-in-passkey-refused")
    return browser.text("main p")
