"""What the table in pam.d/README.md is about: services as their programs use PAM, and cases."""

import contextlib
import dataclasses
import datetime
import pathlib
import subprocess

from lab import hosts, listener, machine
from lab.table import must
from system import stack_table

# More than the services of one shape: a value under verification counts as wrong until it has been found right.
LOCK = "retry_count_to_lock = 10\nlock_time = 300\nmax_lock_count = 3"
CLOSED_PORT = 8444
MODULE = "/usr/lib/*/security/pam_uaf.so"
REMOTE = "198.51.100.7"
RESCUE = "uaf-rescue"
CHOICE = "empty line: use your password"
RULE = "Use at least"

# Debian's files for services whose packages are missing here.
DEBIAN = {
    "polkit-1": """@include common-auth
@include common-account
@include common-password
session       required   pam_env.so readenv=1 user_readenv=0
session       required   pam_env.so readenv=1 envfile=/etc/default/locale user_readenv=0
@include common-session-noninteractive""",
    "xscreensaver": "@include common-auth\n@include common-account",
    "swaylock": "auth include login",
    # All auth lines, and of the others those that concern accounts and passwords.
    "gdm-password": """auth requisite pam_nologin.so
auth required pam_succeed_if.so user != root quiet_success
@include common-auth
auth optional pam_gnome_keyring.so
@include common-account
@include common-password""",
    "lightdm": """auth requisite pam_nologin.so
@include common-auth
-auth optional pam_gnome_keyring.so
@include common-account
@include common-password""",
    "sddm": """auth requisite pam_nologin.so
auth required pam_succeed_if.so user != root quiet_success
@include common-auth
-auth optional pam_gnome_keyring.so
-auth optional pam_kwallet5.so
@include common-account
@include common-password""",
}


@dataclasses.dataclass(frozen=True)
class Service:
    """A service as its program uses PAM."""

    name: str
    runs: str = "setuid"  # setuid: a person's program with root's rights; root; person
    remote: str | None = None
    stages: tuple = ("auth", "enter", "cred")
    template: str | None = None
    types_once: bool = False  # answers every prompt with the same string

    @property
    def file(self):
        """Its stack in a folder of pam.d/."""
        return self.template or self.name

    @property
    def shapes(self):
        """The shapes that pam.d/ has a stack for it in."""
        return [shape for shape in stack_table.SHAPES if pathlib.Path(hosts.STACKS, shape, self.file).exists()]

    def prefix(self, person, caller):
        """The command prefix that sets the user who starts the program; for su, this user differs from its target."""
        if self.runs == "root":
            return []
        if self.runs == "person":
            return ["setpriv", f"--reuid={person.uid}", f"--regid={person.uid}", "--init-groups"]
        return ["setpriv", f"--ruid={caller.uid if self.name == 'su' else person.uid}"]


# By their names in the table.
SERVICES = {
    "sudo": Service("sudo"),
    "su": Service("su"),
    "login": Service("login", "root"),
    "sshd": Service("sshd", "root", REMOTE),
    "polkit-1": Service("polkit-1", stages=("auth", "account")),
    "gdm": Service("gdm-password", "root", template="display-manager"),
    "lightdm": Service("lightdm", "root", template="display-manager"),
    "sddm": Service("sddm", "root", template="sddm", types_once=True),
    "locker": Service("xscreensaver", "person", stages=("auth", "account", "cred"), template="locker"),
    "simple locker": Service("swaylock", "person", stages=("auth", "cred"), template="locker", types_once=True),
}


# --- The state of the machine


@contextlib.contextmanager
def missing(*patterns):
    """Runs without some files."""
    away = [path for pattern in patterns for path in pathlib.Path("/").glob(pattern.lstrip("/"))]
    must(len(away) >= len(patterns), f"not all there: {patterns}")
    for path in away:
        path.rename(f"{path}.away")
    try:
        yield
    finally:
        for path in away:
            pathlib.Path(f"{path}.away").rename(path)


@contextlib.contextmanager
def configured(lab, change=None, **options):
    """Runs with a different configuration, or with a changed one."""
    lab.configure(lock=LOCK, **options)
    if change:
        machine.CONFIGURATION.write_text(change(machine.CONFIGURATION.read_text()))
    try:
        yield
    finally:
        lab.configure(lock=LOCK)


def server_down(lab):
    return configured(lab, port=CLOSED_PORT)


def nonsense(text):
    return "nonsense\n" + text


@contextlib.contextmanager
def all_broken(lab):
    with configured(lab, nonsense, port=CLOSED_PORT), missing(machine.HELPER, MODULE):
        yield


# --- Cases


@dataclasses.dataclass(frozen=True)
class Case:
    """The person, their entries, and the state of the machine."""

    person: str = "registered"
    passcode: str | None = "right"  # right, wrong, empty; None: gives up at the prompt
    password: bool = True
    around: object = lambda lab: contextlib.nullcontext()
    stages: tuple | None = None  # instead of the service's
    arguments: tuple = ()  # for the module, in the line of auth
    is_changed: bool = False  # whether it changes its person, so that each login needs one of its own


def last_day(days):
    """The argument with a day this many days from now."""
    return (f"nouserok={datetime.datetime.now(datetime.UTC).date() + datetime.timedelta(days=days)}",)


# By their names in the table.
CASES = {
    "right passcode": [Case()],
    "wrong passcode": [Case(passcode="wrong")],
    "wrong password": [Case(password=False)],
    "locked, or locked for good": [Case("locked"), Case("locked for good")],
    "not registered": [Case("unregistered")],
    "not registered, before the end of `--until`": [Case("unregistered", arguments=last_day(1))],
    "not registered, after it": [Case("unregistered", arguments=last_day(-1))],
    "wrong passcode, before the end of `--until`": [Case(passcode="wrong", arguments=last_day(1))],
    "revoked at the server": [Case("revoked")],
    "the server answers with something else": [
        Case(around=lambda lab: configured(lab, lambda text: text.replace("/uaf/get", "/uaf/nothing")))
    ],
    "server down": [Case(around=server_down)],
    "server down, wrong passcode": [Case(passcode="wrong", around=server_down)],
    "server down, revoked before": [Case("revoked", around=server_down)],
    '"use your password" chosen': [
        Case(passcode="empty", around=lambda lab: configured(lab, more=f"[prompt]\ncancel_text = {{ en = '{CHOICE}' }}"))
    ],
    "Ctrl-C, or nobody to ask": [Case(passcode=None)],
    "right, but too short for today's rules": [
        Case(around=lambda lab: configured(lab, more="[passcode]\nmin_length = 20"), is_changed=True)
    ],
    "core missing": [Case(around=lambda lab: missing(machine.HELPER))],
    "socket missing": [Case(around=lambda lab: missing(listener.SOCKET))],
    "configuration broken": [Case(around=lambda lab: configured(lab, nonsense))],
    "module missing": [Case(around=lambda lab: missing(MODULE))],
    "one of uaf-rescue": [Case(RESCUE)],
    "one of uaf-rescue, all of it broken": [Case(RESCUE, around=all_broken)],
    "a public key": [Case(stages=("enter", "cred"))],
    # If sshd has verified a public key itself, it continues even if PAM's setcred fails.
    "a public key, all of it broken": [Case(stages=("enter",), around=all_broken)],
}


def lock(lab, person, locks):
    """Locks a person, locally and remotely, by one guess each."""
    lab.configure(lock=f"retry_count_to_lock = 1\nlock_time = 300\nmax_lock_count = {locks}")
    for remote in (None, REMOTE):
        must(not lab.login(person, "wrong-guess", remote=remote).is_in, "a wrong guess got in")


def people(lab):
    """The people of the cases, by their state, and `caller`, who runs su."""
    subprocess.run(["groupadd", "--force", RESCUE], check=True)
    found = {name: lab.person() for name in ("registered", "locked", "locked for good", "revoked", RESCUE)}
    found |= {name: lab.person(registered=False) for name in ("unregistered", "caller")}
    lab.run("usermod", "--append", "--groups", RESCUE, found[RESCUE].name)
    lab.run("uaf-server", "revoke", found["revoked"].name, "--state", "/srv/uaf")
    lock(lab, found["locked"], locks=3)
    lock(lab, found["locked for good"], locks=0)
    lab.configure(lock=LOCK)
    return found
