"""The console with the product's own client: no password, and no program of the tests in between."""

import os
import pathlib
import subprocess

from console.desk import NAME, PORT
from lab.hosts import terminal
from lab.machine import CONFIGURATION, STATE
from lab.table import must, row

PASSCODE = "amber-kite-91"


def register(desk, name):
    """Creates a person on this machine, with a passcode at the server."""
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
    must((STATE / "device.key").exists() or uafctl("init").status == 0, "uafctl init failed")
    session = uafctl("register", name, "--payload", str(payload), answers=(PASSCODE, PASSCODE))
    must(session.status == 0, f"not registered: {session} {uafctl('doctor').text}")


def uafctl(*arguments, answers=()):
    return terminal(["uafctl", *arguments], answers)


def confirm(line, name, *answers, options=()):
    """Passes a page's line to uafctl; returns its session."""
    file = pathlib.Path("/tmp/line")
    file.unlink(missing_ok=True)
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as stream:
        stream.write(line)
    return uafctl("oob", *options, str(file), name, answers=answers)


@row(
    "P10",
    "a sign-in with uafctl: with a wrong passcode, with the right one, and with the same line again; "
    "then a sign-in that the person denies",
    "a session only after the right passcode; the line is then used up; no session after a denial",
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


def administrator(desk, name, language, width):
    """A browser in which a person has signed in with uafctl."""
    browser = desk.browser(language, width)
    browser.open("/console/sign-in")
    browser.fill("name", name)
    browser.press("main button")
    signed = confirm(browser.text("pre"), name, PASSCODE)
    must(signed.status == 0, f"not signed in: {signed}")
    browser.press("main button")
    must(browser.path == "/console", f"no session: {browser.path}")
    return browser


def preview(browser, group, policy):
    browser.open(f"/console/machine-policies?group={group}")
    browser.clear("days")
    browser.fill("days", "30")
    browser.clear("policy")
    browser.fill("policy", policy)
    browser.press("form[action='/console/machine-policies/preview'] button")


def ask(browser, reason):
    """Sends the form of a preview; returns the line for uafctl."""
    browser.fill("reason", reason)
    browser.press("form[action='/console/machine-policies/save'] button")
    must(browser.path == "/console/confirm", f"nothing was asked: {browser.path} {browser.text('main')}")
    return browser.text("pre")


@row(
    "P11",
    "a workstation policy in the browser: a wrong text, a preview, one that is denied, one that is confirmed with uafctl, "
    "another one meanwhile, and its removal",
    "line and key of what is wrong; nothing is saved before the confirmation, by a denial, or over another one; "
    "machine-policy show has what was confirmed; narrow and wide, in both languages",
    limit=300,
)
def machine_policy(desk):
    name = "sora"
    register(desk, name)
    desk.run("admin", "add", name, "administrator")
    other = desk.state / "other.toml"
    other.write_text("[lock]\nlock_time = 600\n")
    other.chmod(0o644)
    for language, width in (("en", 360), ("ko", 1440)):
        group, policy = f"lab-{language}", "[passcode]\nmin_length = 14\n"

        def in_force(group=group):
            return desk.run("machine-policy", "show", "--group", group)

        browser = administrator(desk, name, language, width)
        preview(browser, group, "\n[lock]\nlock_time = 1\n")
        place = {"en": "policy:3: lock.lock_time", "ko": "3번째 줄, lock.lock_time"}[language]
        must(place in browser.text("main"), f"no line and key: {browser.text('main')}")
        preview(browser, group, policy)
        for is_dark in (False, True):
            browser.dark(is_dark)
            browser.examine(f"machine-policy-preview{'-dark' if is_dark else ''}")
        changes = browser.texts("main td")
        must(changes[0] == "passcode.min_length" and changes[2] == "14", f"the preview says {changes}")
        confirm(ask(browser, "denied"), name, options=("--deny",))
        browser.press("form[action='/console/confirm'] button")
        must(not in_force(), f"saved although it was denied: {in_force()}")

        preview(browser, group, policy)
        line = ask(browser, "longer passcodes")
        must(group in browser.text("dd") and "30 days" in browser.text("dd"), f"it is asked for {browser.text('dd')}")
        browser.press("form[action='/console/confirm'] button")
        must(not in_force(), "saved without a confirmation")
        right = confirm(line, name, PASSCODE)
        must(right.status == 0, f"not confirmed: {right}")
        browser.open("/console/confirm")
        browser.press("form[action='/console/confirm'] button")
        must(in_force() == policy.strip(), f"in force: {in_force()!r}, and the page says {browser.text('main')}")

        preview(browser, group, policy.replace("14", "16"))
        desk.run("machine-policy", "set", other, "--group", group, "--reason", "meanwhile")
        browser.fill("reason", "too late")
        browser.press("form[action='/console/machine-policies/save'] button")
        must(browser.path != "/console/confirm" and "lock_time" in in_force(), f"another one was replaced: {in_force()}")

        browser.open(f"/console/machine-policies?group={group}")
        browser.examine("machine-policies-of-group")
        browser.press("main tbody tr td:nth-child(2) a")
        browser.examine("machine-policy")
        browser.press("main form:last-of-type button")
        must(confirm(ask(browser, "not needed"), name, PASSCODE).status == 0, "the removal is not confirmed")
        browser.press("form[action='/console/confirm'] button")
        must(not in_force(), f"not removed: {in_force()}")
        told = desk.run("machine-policy", "list", "--group", group)
        reasons = [line.split("\t")[-1] for line in told.splitlines()]
        must(reasons[-3:] == ["not needed", "meanwhile", "longer passcodes"], f"the history is {told}")
        desk.tidy()
    return reasons[-3:]
