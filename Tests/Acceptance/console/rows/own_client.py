"""The console with the product's own client: no password, and no program of the tests in between."""

import os
import pathlib
import subprocess

from console.desk import NAME, PORT
from lab.hosts import terminal
from lab.machine import CONFIGURATION
from lab.table import must, row

PASSCODE = "amber-kite-91"


def register(desk, name):
    """Makes somebody of this machine, with a passcode at the server."""
    subprocess.run(["useradd", "--create-home", name], check=True)
    CONFIGURATION.unlink(missing_ok=True)
    CONFIGURATION.write_text(
        f'authenticators = ["passcode"]\n[server]\n'
        f'request_url = "https://{NAME}:{PORT}/uaf/get"\nresponse_url = "https://{NAME}:{PORT}/uaf/respond"\n'
        f'ca_file = "/etc/ssl/uaf-ca.pem"\nrequire_signed_verdict = true\nverdict_key = "/etc/security/verdict.pub"\n'
    )
    for file, source in (("security/verdict.pub", desk.state / "verdict.pub"), ("ssl/uaf-ca.pem", desk.authority)):
        pathlib.Path("/etc", file).write_bytes(source.read_bytes())
    payload = pathlib.Path("/tmp/payload")
    payload.touch(0o600)
    payload.write_text(desk.run("enrol", name))
    must(uafctl("init").status == 0, "uafctl init failed")
    session = uafctl("register", name, "--payload", str(payload), answers=(PASSCODE, PASSCODE))
    must(session.status == 0, f"not registered: {session} {uafctl('doctor').text}")


def uafctl(*arguments, answers=()):
    return terminal(["uafctl", *arguments], answers)


def confirm(line, name, *answers, options=()):
    """Gives uafctl what a page shows; returns its session."""
    file = pathlib.Path("/tmp/line")
    file.unlink(missing_ok=True)
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as stream:
        stream.write(line)
    return uafctl("oob", *options, str(file), name, answers=answers)


@row(
    "P10",
    "a sign-in with uafctl: a wrong passcode, the right one, and the same line again; then one that is denied",
    "no session before the right passcode; one after it; the line is used up; none where the person says no",
    limit=90,
)
def sign_in(desk):
    name = "mina"
    register(desk, name)
    desk.run("admin", "add", name, "helpdesk")
    browser = desk.browser("en", 1440)

    def ask():
        browser.open("/console/sign-in")
        browser.fill("name", name)
        browser.press("main button")
        return browser.text("pre")

    line = ask()
    wrong = confirm(line, name, "wrong-guess-1")
    must(wrong.status != 0, f"a wrong passcode: {wrong}")
    browser.press("main button")
    must(browser.path != "/console", "a session after a wrong passcode")
    right = confirm(line, name, PASSCODE)
    must(right.status == 0 and NAME in right.text, f"the right passcode: {right}")
    browser.press("main button")
    must(browser.path == "/console", f"no session after the right passcode: {browser.path}")
    must(confirm(line, name, PASSCODE).status != 0, "the line is good twice")
    desk.tidy()
    browser = desk.browser("en", 1440)
    denied = confirm(ask(), name, options=("--deny",))
    must(denied.status == 0, f"not denied: {denied}")
    browser.press("main button")
    must(browser.path != "/console", "a session after a denial")
    return right.text.strip().replace("\n", " / ")
