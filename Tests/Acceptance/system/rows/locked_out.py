"""docs/locked-out.md: nobody gets in, and the commands of the page, read from it, let the password in again."""

import contextlib
import pathlib
import re

from attack.clocks import WallClock
from lab import hosts
from lab.machine import CONFIGURATION, ROOT
from lab.page import Page
from lab.table import must, row
from lab.waiting import at_once
from system.cases import CLOSED_PORT
from system.rows.switching import FOLDER, everything, uafctl

SERVICES = ("login", "sudo", "su")
PAGE = "docs/locked-out.md"
OUT, BY_HAND, BACK = "Take pam_uaf out", "By hand", "Put pam_uaf back"
PROFILE = "pam-auth-update --package --disable uaf"
REBOOT = "systemctl reboot"
# What a shell of rescue mode has.
RESCUE = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "TERM": "dumb"}
TWENTY_YEARS = 20 * 365 * 86400


def restore_after(lab):
    """Leaves each file of PAM's folder as it is now, whatever a row did to it."""
    before = everything()

    def restore():
        for name in everything():
            if name not in before:
                (FOLDER / name).unlink()
        for name, text in before.items():
            (FOLDER / name).write_bytes(text)

    lab.after(restore)


class Shut:
    """A machine whose console, sudo and su ask for the passcode alone, and that has nobody else who could get in."""

    def __init__(self, lab):
        self._lab = lab
        self.person, self.rescuer = lab.person(), lab.rescuer()
        hosts.sudoers(lab, "ALL ALL=(ALL) ALL")
        # The lab's own service, which uafctl has not written, is on no other machine.
        restore_after(lab)
        (FOLDER / "uaf").unlink()
        self.before = everything()
        self.clock = WallClock(lab)
        lab.after(lambda: uafctl(lab, "pam", "disable", "--all", check=False))
        self._enable(SERVICES)
        self._remove_rescuer()

    def _enable(self, services):
        for service in services:
            uafctl(self._lab, "pam", "enable", service, "--anyway", "--shape", "instead")

    def _remove_rescuer(self):
        self._lab.run("gpasswd", "--delete", self.rescuer.name, "uaf-rescue")

    def must_let_nobody_in(self, cause):
        person, other = self.person, self.rescuer
        attempts = {
            "the console by the passcode": lambda: hosts.console(person, person.passcode),
            "sudo by the passcode": lambda: hosts.sudo(person, person.passcode),
            "sudo by the password": lambda: hosts.sudo(person, person.password),
            "su by the password": lambda: hosts.su(other, person, person.password),
            "sudo by the password of somebody else": lambda: hosts.sudo(other, other.password),
        }
        for what, session in zip(attempts, at_once(*attempts.values())):
            must(not session.is_in, f"{cause}: {what} is let in: {session.text}")

    def must_take_passwords(self, cause):
        person = self.person
        must(everything() == self.before, f"{cause}: not as before: {set(everything()) ^ set(self.before)}")
        for session in at_once(
            lambda: hosts.console(person, person.password),
            lambda: hosts.sudo(person, person.password),
            lambda: hosts.su(self.rescuer, person, person.password),
        ):
            must(session.is_in, f"{cause}: the password is refused afterwards: {session.text}")

    def enable_again(self, page):
        """As the page says, for login; the other services in the same way."""
        self._lab.run("usermod", "--append", "--groups", "uaf-rescue", self.rescuer.name)
        shown = page.play(BACK, self.run)
        must(any("asks for the passcode" in text for text in shown.values()), f"enabled again: {shown}")
        self._enable(SERVICES)
        person = self.person
        uafctl(self._lab, "unlock", person.name)
        right, wrong = at_once(lambda: hosts.console(person, person.passcode), lambda: hosts.sudo(person, person.password))
        must(right.is_in, f"the passcode does not let in again: {right.text}")
        must(not wrong.is_in, f"sudo takes the password again: {wrong.text}")
        self._remove_rescuer()

    def run(self, _, command):
        """Runs a command of the page as a shell of rescue mode does."""
        return self._lab.run("sh", "-c", command, env=RESCUE).stdout


@contextlib.contextmanager
def server_away(lab, _):
    lab.configure(port=CLOSED_PORT)
    try:
        yield
    finally:
        lab.configure()


@contextlib.contextmanager
def module_missing(_lab, _shut):
    module = next(pathlib.Path("/usr/lib").glob("*/security/pam_uaf.so"))
    aside = module.rename(module.with_suffix(".aside"))
    try:
        yield
    finally:
        aside.rename(module)


@contextlib.contextmanager
def configuration_broken(_lab, _shut):
    held = CONFIGURATION.read_text()
    CONFIGURATION.write_text(held + "\nno_such_key = 1\n")
    try:
        yield
    finally:
        CONFIGURATION.write_text(held)


@contextlib.contextmanager
def state_damaged(_lab, shut):
    file = shut.person.state
    held = file.read_bytes()
    file.write_bytes(b"damaged" + held[7:])
    try:
        yield
    finally:
        file.write_bytes(held)


@contextlib.contextmanager
def clock_wrong(_lab, shut):
    shut.clock.move(TWENTY_YEARS)
    try:
        yield
    finally:
        shut.clock.move(0)


CAUSES = {
    "the server away": server_away,
    "the module missing": module_missing,
    "the configuration broken": configuration_broken,
    "the state damaged": state_damaged,
    "the clock twenty years ahead": clock_wrong,
}


@row(
    "locked-out-command",
    "docs/locked-out.md with uafctl, for each reason why nobody gets in",
    "before the commands nobody gets in; after them the password does, every file is as before, and pam_uaf can be enabled again",
    causes=("root", "the machine", "the server"),
    limit=900,
)
def by_command(lab):
    shut = Shut(lab)
    page = Page(PAGE, instead={REBOOT: None, PROFILE: None})
    for name, cause in CAUSES.items():
        with cause(lab, shut):
            shut.must_let_nobody_in(name)
            for heading in ("Rescue mode", OUT, "Start the machine"):
                page.play(heading, shut.run)
            shut.must_take_passwords(name)
            found = page.play("Find out why", shut.run)
            report = pathlib.Path("/root/pam-uaf.txt")
            must("== doctor ==" in report.read_text() and report.stat().st_mode & 0o777 == 0o600, f"{name}: {found}")
            report.unlink()
        shut.enable_again(page)
    return f"{', '.join(CAUSES)}: nobody in, then everybody by the password; enabled again each time"


@row(
    "locked-out-by-hand",
    "docs/locked-out.md by hand, after module, core and uafctl are gone",
    "before the commands nobody gets in; after them the password does; every file is as before, and pam_uaf can be enabled again",
    causes=("root", "the machine"),
    limit=300,
)
def by_hand(lab):
    shut = Shut(lab)
    page = Page(PAGE, instead={REBOOT: None, PROFILE: None})
    tool = pathlib.Path("/usr/bin/uafctl")
    with module_missing(lab, shut):
        aside = tool.rename(tool.with_suffix(".aside"))
        try:
            shut.must_let_nobody_in("no programs")
            shown = page.play(BY_HAND, shut.run)
            names = next(iter(shown.values())).split()
            stacks = [name.removeprefix("uaf-") for name in names if name.startswith("uaf-") and name != "uaf-login"]
            must({"sudo", "su"} <= set(stacks), f"grep has shown {names}")
            must("# pam-uaf: replaces @include common-auth\n" in shown.values(), f"the line to put back: {shown}")
            for service in stacks:
                shown = page.play(BY_HAND, shut.run, login=service)
            must(list(shown.values())[-1] == "", f"a file still includes a stack: {shown}")
            shut.must_take_passwords("no programs")
        finally:
            aside.rename(tool)
    shut.enable_again(page)
    return f"{len(stacks) + 1} stacks taken out with grep, sed and mv; the password in; enabled again"


@row(
    "locked-out-sulogin",
    "the shell of rescue mode (sulogin) while nobody gets in, with root's password, a wrong one, and a locked root",
    "it asks for root's password and nothing of pam_uaf; the page's command typed there lets the password in again; "
    "a locked root gets no shell, and with the page's addition to the boot line gets one",
    causes=("root",),
    limit=300,
)
def sulogin(lab):
    hosts.needs("/usr/sbin/sulogin")
    shut = Shut(lab)
    shadow = pathlib.Path("/etc/shadow")
    held = shadow.read_text()
    lab.after(lambda: shadow.write_text(held))
    text = (ROOT / PAGE).read_text()
    forced = re.findall(r"`systemd\.setenv=(SYSTEMD_SULOGIN_FORCE=1)`", text)
    must(forced, "the page does not name the addition to the boot line")
    with configuration_broken(lab, shut):
        shut.must_let_nobody_in("before sulogin")
        lab.run("chpasswd", answers="root:unix-Root-77\n")
        page = Page(PAGE, instead={PROFILE: None})
        typed = []
        page.play(OUT, lambda _, command: typed.append(command))
        wrong = hosts.terminal(["sulogin"], ["unix-Root-78"], seconds=30)
        must("incorrect" in wrong.text and "#" not in wrong.text, f"a wrong password of root's: {wrong.text}")
        shell = hosts.terminal(["sulogin"], ["unix-Root-77", *typed, "exit"], ends=(b":", b"#"))
        must("root password" in shell.text and "asscode" not in shell.text, f"sulogin: {shell.text}")
        shut.must_take_passwords("after sulogin")
    lab.run("passwd", "--lock", "root")
    shut_out = hosts.terminal(["sulogin"], [], seconds=30, ends=(b":", b"#", b"continue.\r\n"))
    must("locked" in shut_out.text and "#" not in shut_out.text, f"a locked root: {shut_out.text}")
    # What systemd does with that variable: systemd-sulogin-shell starts sulogin with --force.
    inside = hosts.terminal(["sulogin", "--force"], ["", "printf 'let-%s\\n' in", "exit"], ends=(b":", b"#"))
    must(inside.is_in, f"a locked root, with {forced[0]}: {inside.text}")
    return f"asked for root's password alone; {typed[0]} typed there; locked: refused, and with --force a shell"


@row(
    "locked-out-profile",
    "docs/locked-out.md where the profile of pam-auth-update asks for the passcode",
    "the page's command takes the profile out of common-auth, and the password lets in again",
    causes=("root",),
    limit=120,
)
def profile(lab):
    hosts.needs("/usr/sbin/pam-auth-update")
    hosts.sudoers(lab, "ALL ALL=(ALL) ALL")
    person = lab.person()
    restore_after(lab)
    profiles = pathlib.Path("/usr/share/pam-configs/uaf")
    source = ROOT / "debian/pam-configs/uaf"
    profiles.write_bytes(source.read_bytes())
    lab.after(profiles.unlink)
    lab.run("pam-auth-update", "--force", "--package", "--enable", "uaf", env={**RESCUE, "DEBIAN_FRONTEND": "noninteractive"})
    must("pam_uaf.so" in (FOLDER / "common-auth").read_text(), "the profile is not in common-auth")
    must(not hosts.sudo(person, person.password).is_in, "sudo takes the password")
    page = Page(PAGE)
    page.play(OUT, lambda _, command: lab.run("sh", "-c", command, env=RESCUE, check=command == PROFILE))
    must("pam_uaf.so" not in (FOLDER / "common-auth").read_text(), "the profile is still in common-auth")
    must(hosts.sudo(person, person.password).is_in, "the password is refused afterwards")
    return "asked by common-auth; taken out; sudo by the password"
