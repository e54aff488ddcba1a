"""`uafctl pam`, which installs and removes stacks, and `uafctl doctor`, which checks them."""

import datetime
import json
import pathlib
import re

from attack.clocks import WallClock
from lab import hosts
from lab.machine import CONFIGURATION, HELPER, STATE
from lab.table import must, row

FOLDER = pathlib.Path("/etc/pam.d")


def everything():
    """Each file of PAM's folder, hidden ones too, with what it holds."""
    return {path.name: path.read_bytes() for path in FOLDER.iterdir() if path.is_file()}


def uafctl(lab, *arguments, check=True):
    return lab.run("uafctl", *arguments, check=check)


@row(
    "pam-enable",
    "uafctl pam enable sudo, in each shape, and disable",
    "sudo asks as the shape says; members of uaf-rescue are asked for the password; after disable every file is as it was",
)
def enable(lab):
    hosts.sudoers(lab, "ALL ALL=(ALL) ALL")
    before = everything()
    person, other = lab.person(), lab.rescuer()
    seen = []
    for shape, answers in (
        ("fallback", [person.passcode]),
        ("instead", [person.passcode]),
        ("second-factor", [person.password, person.passcode]),
    ):
        uafctl(lab, "pam", "enable", "sudo", "--anyway", "--shape", shape)
        right, wrong = hosts.sudo(person, *answers), hosts.sudo(person, *answers[:-1], "wrong-1")
        must(right.is_in and not wrong.is_in, f"{shape}: {right} {wrong}")
        must(hosts.sudo(other, other.password).is_in, f"{shape}: uaf-rescue is not let in by the password")
        must(f"sudo: {shape}/sudo\n" in uafctl(lab, "pam", "status").stdout, f"{shape} is not in the list")
        seen.append(shape)
    result = uafctl(lab, "pam", "disable", "--all", check=False)
    # `uaf` is the lab's own service, which uafctl has not written.
    must(result.returncode == 1 and "uaf still asks pam_uaf\n" in result.stdout, result.stdout)
    must(everything() == before, f"changed: {set(everything()) ^ set(before)}")
    must(hosts.sudo(person, person.password).is_in, "the password does not let in afterwards")
    return f"{', '.join(seen)}; {len(before)} files as before"


@row(
    "pam-enable-names",
    "uafctl pam enable sudo, with and without --only, while a PAM service sudo-i exists; and su, from which su-l takes its lines",
    "sudo and sudo-i both ask, or enable, status and doctor name the one that does not; if one cannot be changed, neither is",
)
def names(lab):
    hosts.sudoers(lab, "ALL ALL=(ALL) ALL")
    person = lab.person()
    lab.rescuer()
    before = everything()
    told = "sudo-i: does not ask for the passcode, and is the same program as sudo"
    said = uafctl(lab, "pam", "enable", "sudo", "--anyway", "--only", "--shape", "instead").stdout
    must(f"\n{told}\n" in said, "enable is silent")
    must(f"\n{told}\n" in uafctl(lab, "pam", "status").stdout, "status is silent")
    must("[pam-other-name]\n" in uafctl(lab, "doctor", check=False).stdout, "doctor is silent")
    must(hosts.sudo(person, person.password, options=("-i",)).is_in, "--only has changed sudo-i")
    uafctl(lab, "pam", "enable", "sudo-i", "--anyway")
    status = uafctl(lab, "pam", "status").stdout
    must("sudo-i: instead/sudo\n" in status and "sudo: instead/sudo\n" in status and told not in status, status)
    must(not hosts.sudo(person, person.password, options=("-i",)).is_in, "sudo -i by the password")
    must(hosts.sudo(person, person.passcode, options=("-i",)).is_in, "sudo -i by the passcode")
    must("su-l: takes its lines from su\n" in uafctl(lab, "pam", "enable", "su", "--anyway").stdout, "su-l is not named")
    for service in ("sudo", "su"):
        uafctl(lab, "pam", "disable", service)
    must(everything() == before, f"changed: {set(everything()) ^ set(before)}")
    file = FOLDER / "sudo-i"
    lab.stack(file.name, "auth required pam_unix.so", "account required pam_unix.so")
    changed = everything()
    refused = uafctl(lab, "pam", "enable", "sudo", "--anyway", check=False)
    must(refused.returncode == 1 and "sudo --only" in refused.stdout and everything() == changed, refused.stdout)
    return "both names at once and by turns, the open one named thrice, su-l follows su, a file that cannot be changed stops both"


@row(
    "pam-enable-refused",
    "uafctl pam enable if nobody could log in any more, or if the module or the core is broken",
    "refused with what to do, no file changed",
)
def refused(lab):
    before = everything()

    def must_refuse(says):
        result = uafctl(lab, "pam", "enable", "sudo", check=False)
        must(result.returncode == 1 and says in result.stdout, f"ended with {result.returncode}: {result.stdout}")
        must(everything() == before, "a file has changed")

    must_refuse("no other way in: there is no group uaf-rescue")
    person = lab.rescuer()
    lab.run("usermod", "--lock", person.name)
    must_refuse(f"{person.name} of uaf-rescue has a password that is locked")
    lab.run("usermod", "--unlock", person.name)

    module = next(pathlib.Path("/usr/lib").glob("*/security/pam_uaf.so"))
    for path, says in (
        (module, "names pam_uaf.so, which is not where PAM looks for it"),
        (pathlib.Path(HELPER), "the core did not answer the module"),
    ):
        aside = path.with_suffix(".aside")
        path.rename(aside)
        try:
            must_refuse(says)
        finally:
            aside.rename(path)
    held = CONFIGURATION.read_text()
    CONFIGURATION.write_text(held + "\nno_such_key = 1\n")
    try:
        must_refuse("cannot use its configuration")
    finally:
        CONFIGURATION.write_text(held)
    whole = module.read_bytes()
    for part, says in ((whole[:1000], "crashed"), (b"no library", "that it cannot use (28)")):
        module.write_bytes(part)
        try:
            must_refuse(says)
        finally:
            module.write_bytes(whole)
    must("asks for the passcode" in uafctl(lab, "pam", "enable", "sudo", "--anyway").stdout, "refused although nothing is wrong")
    uafctl(lab, "pam", "disable", "sudo")
    must(everything() == before, "not as before after disable")
    return "no rescuer, locked rescuer, no module, no core, broken configuration, broken module: each named"


@row(
    "pam-enable-people",
    "uafctl pam enable while unregistered people use the service, in both languages; and with --anyway",
    "they are named and keep their password; with --anyway they are named and refused; the others get in",
)
def unregistered(lab):
    person, stranger = lab.person(), lab.person(registered=False)
    hosts.sudoers(lab, *(f"{one.name} ALL=(ALL) ALL" for one in (person, stranger, lab.rescuer())))
    before = everything()
    for options in ((), ("--dry-run",)):
        refused = uafctl(lab, "pam", "enable", "sudo", *options, check=False)
        must(refused.returncode == 1 and f"refused from then on: {stranger.name}\n" in refused.stdout, refused.stdout)
        must(everything() == before, "a file has changed")
    korean = lab.run("env", "LC_ALL=ko_KR.UTF-8", "uafctl", "pam", "enable", "sudo", check=False).stdout
    must(f"앞으로 거부될 계정: {stranger.name}\n" in korean and "--anyway" in korean, korean)
    must(hosts.sudo(stranger, stranger.password).is_in, "the password is no longer enough")
    told = uafctl(lab, "pam", "enable", "sudo", "--anyway").stdout
    must(f"refused until they are: {stranger.name}\n" in told, told)
    must(not hosts.sudo(stranger, stranger.password).is_in, "in by the password")
    must(hosts.sudo(person, person.passcode).is_in, "not in by the passcode")
    uafctl(lab, "pam", "disable", "sudo")
    return f"{stranger.name} named four times, {person.name} never"


@row(
    "pam-enable-until",
    "uafctl pam enable sudo --until, in each shape, for somebody registered and somebody new; the day passes; without --until",
    "before the day the new one gets in with the password and the registered one only with the passcode; after it the new one is "
    "refused; status and doctor say until when, and name the new one; a day that is none, over or far changes nothing",
)
def until(lab):
    lab.after(lambda: (STATE / "nouserok.ended").unlink(missing_ok=True))
    person, new = lab.person(), lab.person(registered=False)
    hosts.sudoers(lab, *(f"{one.name} ALL=(ALL) ALL" for one in (person, new, lab.rescuer())))
    before = everything()
    today = datetime.datetime.now(datetime.UTC).date()
    last = today + datetime.timedelta(days=1)
    for day, says in (
        (str(today - datetime.timedelta(days=1)), "is over, today is"),
        (str(today + datetime.timedelta(days=400)), "is more than 366 days ahead"),
        ("2027-02-30", "takes a day as YYYY-MM-DD, and 2027-02-30 is none"),
    ):
        refused = uafctl(lab, "pam", "enable", "sudo", "--until", day, check=False)
        must(refused.returncode == 2 and says in refused.stdout and len(refused.stdout.splitlines()) == 1, refused.stdout)
        must(everything() == before, f"{day} has changed a file")
    clock = WallClock(lab)
    for shape, answers in (("fallback", []), ("second-factor", [person.password]), ("instead", [])):
        told = uafctl(lab, "pam", "enable", "sudo", "--until", last, "--shape", shape).stdout
        must(f"refused after {last} (UTC) unless they are by then: {new.name}\n" in told, told)
        must(hosts.sudo(new, new.password).is_in, f"{shape}: somebody new is not let in by the password")
        must(not hosts.sudo(new, "wrong-password").is_in, f"{shape}: somebody new is let in by a wrong password")
        must(hosts.sudo(person, *answers, person.passcode).is_in, f"{shape}: the passcode is refused")
        for wrong in ([person.password], [person.password, person.password]):
            session = hosts.sudo(person, *wrong)
            must(not session.is_in, f"{shape}: a registered person is let in by the password: {session}")
        # These were counted, and a right one clears them.
        must(hosts.sudo(person, *answers, person.passcode).is_in, f"{shape}: the passcode is refused afterwards")
    open_line = f"sudo: up to the end of {last} (UTC), people who never registered here get in with the password"
    must(
        open_line in uafctl(lab, "pam", "status").stdout and open_line in uafctl(lab, "status", new.name).stdout,
        "status is silent",
    )
    listed = json.loads(uafctl(lab, "pam", "status", "--json").stdout)["services"]
    must([one.get("passwordUntil") for one in listed if one["name"] == "sudo"] == [str(last)], f"{listed}")
    must({"service": "sudo", "day": str(last)} in lab.status(new)["passwordUntil"], "status --json lacks the day")
    warned = [line for line in uafctl(lab, "doctor", check=False).stdout.splitlines() if "[pam-nouserok-ends]" in line]
    must(any(f"not registered yet: {new.name} " in line and person.name not in line for line in warned), f"{warned}")
    early = uafctl(lab, "pam", "enable", "sudo", check=False)
    must(early.returncode == 1 and f"refused from then on: {new.name}\n" in early.stdout, early.stdout)

    clock.move(2 * 86400)
    session = hosts.sudo(new, new.password)
    must(not session.is_in, f"after the day somebody new is let in by the password: {session}")
    must(hosts.sudo(person, person.passcode).is_in, "after the day the passcode is refused")
    must("[pam-nouserok-over]" in uafctl(lab, "doctor", check=False).stdout, "doctor does not say that the day is over")
    must(f"since the end of {last} (UTC)" in uafctl(lab, "pam", "status").stdout, "status does not say that the day is over")
    clock.move(0)
    must(not hosts.sudo(new, new.password).is_in, "a clock set back lets somebody new in again")
    clock.move(2 * 86400)
    uafctl(lab, "pam", "enable", "sudo")
    must("nouserok=" not in (FOLDER / "uaf-sudo").read_text(), "the day was not removed")
    must("sudo: instead/sudo\n" in uafctl(lab, "pam", "status").stdout, "the shape was not kept")
    must(not hosts.sudo(new, new.password).is_in and hosts.sudo(person, person.passcode).is_in, "not as without a day")
    uafctl(lab, "pam", "disable", "sudo")
    must(everything() == before, f"changed: {set(everything()) ^ set(before)}")
    return f"3 shapes; {new.name} in by the password up to the day and refused after it, {person.name} only by the passcode"


# Texts of a rescuer's profile, and whether a session comes of them.
_PROFILES = (
    ("", True),
    ("exit 1\n", False),
    ("cd ~ || exit\n", True),
    ("(sleep 0.4; kill -9 $$) &\n", False),
    ('die() { eval "$1"; }\ndie exit\n', False),
    ('[ "$(tty)" = /dev/tty1 ] && exec startx\n', True),
    ("[ $(id -u) = 0 ] || exit\n", False),
    ("[ $(id -u) = 0 ] && exit\n", True),
    ("exec cat\n", False),
    ("echo exit >~/own; . ~/own\n", False),
    ("alias ls='exit'; echo ls >/dev/null\n", True),
    ("sh -c 'sleep 1000; : left' & setsid sh -c 'sleep 1000; : left' & sleep 0.2; touch ~/left\n", True),
)


@row(
    "pam-enable-session",
    "uafctl pam enable and login, with profiles of the only rescuer that end a session or do not",
    "the rescuer is named exactly if login gives a session; nothing that a profile started is left, and last shows no login",
)
def session(lab):
    person = lab.rescuer()
    profile = pathlib.Path(f"/home/{person.name}/.profile")
    logins = pathlib.Path("/var/log/wtmp").read_bytes() if pathlib.Path("/var/log/wtmp").exists() else b""
    for text, works in _PROFILES:
        profile.write_text(text)
        told = uafctl(lab, "pam", "enable", "sudo", "--anyway", check=False)
        uafctl(lab, "pam", "disable", "sudo", check=False)
        must((told.returncode == 0) == works, f"{text}: {told.stdout}")
        must(
            (f"without pam_uaf: {person.name}, " if works else f"{person.name} of uaf-rescue gets no session") in told.stdout,
            told.stdout,
        )
    must((profile.parent / "left").exists(), "the last profile has not run")
    lines = (path.read_bytes() for path in pathlib.Path("/proc").glob("[0-9]*/cmdline") if path.exists())
    must(not any(b"sleep 1000; : left" in line for line in lines), "left behind")
    after = pathlib.Path("/var/log/wtmp").read_bytes() if pathlib.Path("/var/log/wtmp").exists() else b""
    must(after == logins, "a login was recorded")
    for text, works in _PROFILES[:-1]:
        profile.write_text(text)
        seen = hosts.terminal(
            ["login", person.name],
            [person.password, "sleep 1; printf 'let-%s\\n' in", "exit"],
            seconds=60 if works else 10,
            ends=(b":", b"$"),
        )
        must(seen.is_in == works, f"{text}: login, {seen.text}")
    return f"{len(_PROFILES)} profiles judged as login does"


@row(
    "pam-enable-dry",
    "uafctl pam enable --dry-run for each service there is",
    "it shows the difference and what it tried; no file is changed",
)
def dry(lab):
    before = everything()
    lab.rescuer()
    services = [name for name in ("sudo", "sudo-i", "su", "login", "sshd", "polkit-1") if (FOLDER / name).exists()]
    for service in services:
        text = uafctl(lab, "pam", "enable", service, "--anyway", "--dry-run").stdout
        must(f"+@include uaf-{service}\n" in text and f"tried {service} as nobody, entering nothing: " in text, text)
        must("the core was reached, nobody let in" in text, text)
        must(everything() == before, f"{service}: a file has changed")
    return f"{', '.join(services)}: tried, unchanged"


@row(
    "doctor",
    "uafctl doctor on a machine in good order, and with nobody in uaf-rescue",
    "no check fails; an empty uaf-rescue is named",
)
def doctor(lab):
    person = lab.rescuer()
    uafctl(lab, "pam", "enable", "sudo", "--anyway")
    lab.after(lambda: uafctl(lab, "pam", "disable", "sudo"))
    result = uafctl(lab, "doctor", check=False)
    names = set(re.findall(r"\[([a-z-]+)\]$", result.stdout, re.M))
    # Findings that are expected here: no systemd serves the socket, the lab's own service has only one line, the clock is the
    # real machine's, and polkit, if installed, still uses the password.
    known = {"socket-missing", "pam-no-way-in", "clock-unsynchronised", "pam-polkit"}
    must(result.returncode == 0 and names <= known, result.stdout)
    must(f"ok   pam: {person.name} of uaf-rescue can use a password (judged from files" in result.stdout, result.stdout)
    tried = uafctl(lab, "doctor", "--sessions", check=False)
    must(f"ok   pam: {person.name} of uaf-rescue can use a password, and their shells run" in tried.stdout, tried.stdout)
    pathlib.Path(f"/home/{person.name}/.profile").write_text("echo closed; exit\n")
    closed = uafctl(lab, "doctor", "--sessions", check=False).stdout
    must(
        f"warn pam: {person.name} of uaf-rescue gets no session" in closed and "line there: 'closed'" in " ".join(closed.split()),
        closed,
    )
    other = lab.run("setpriv", "--reuid", str(person.uid), "--clear-groups", "uafctl", "doctor", "--sessions", check=False)
    must("only root may start the shells of others" in other.stdout, other.stdout)
    lab.run("gpasswd", "--delete", person.name, "uaf-rescue")
    poorer = uafctl(lab, "doctor", check=False)
    must("[rescue-group]\n" in poorer.stdout, poorer.stdout)
    lines, found = len(result.stdout.splitlines()), ", ".join(sorted(names))
    return f"{lines} lines, none of them a failure; {found}; rescue-group where it is empty"
