"""A person's desktop without a screen: a private session bus, GNOME's keyring on it, and a greeter to log in with."""

import os
import pathlib
import subprocess

from lab import hosts
from lab.listener import serve
from lab.machine import ROOT
from lab.table import Skip, must
from lab.waiting import until

HOST = "/usr/local/bin/session-host"
DAEMON = "/usr/bin/gnome-keyring-daemon"
# The password of the keyring, which is not the person's login password.
PASSWORD = "Ring of 열쇠 42!"
SECRET = "kept-by-the-keyring"
COLLECTION = "/org/freedesktop/secrets/collection/login"
SERVICE = "gdm-password"
UNLOCK = "[keyring]\nunlock = true"
# As Debian's gdm-password, with the line of the password's stack replaced as `uafctl pam enable` does it.
STACK = (
    "auth [success=ok default=die] pam_uaf.so",
    "auth optional pam_gnome_keyring.so",
    "account required pam_permit.so",
    "session required pam_permit.so",
    "session optional pam_gnome_keyring.so auto_start",
)


def by(person):
    """The beginning of a command that a person runs."""
    return ["setpriv", "--reuid", str(person.uid), "--regid", str(person.uid), "--init-groups"]


class Desk:
    """The people and their keyrings."""

    def __init__(self, lab):
        self.lab = lab
        lab.compile(ROOT / "Tests/Acceptance/desktop/session-host.c", HOST)

    def needs_gnome(self):
        """Raises Skip if Debian's packages of GNOME's keyring are missing."""
        modules = list(pathlib.Path("/usr/lib").glob("*/security/pam_gnome_keyring.so"))
        for path in (DAEMON, "/usr/bin/secret-tool", "/usr/bin/dbus-daemon", modules and modules[0]):
            if not path or not os.path.exists(path):
                raise Skip("gnome-keyring and its PAM module are not there, and could not be fetched")

    def person(self, kept=True, more="", keyring=UNLOCK, **options):
        """Somebody with a passcode and a keyring, whose password is kept unless a row wants none."""
        self.needs_gnome()
        self.lab.configure(more=f"{keyring}\n{more}", **options)
        self.lab.stack(SERVICE, *STACK)
        person = self.lab.person()
        self.prepare(person)
        self.make_keyring(person)
        if kept:
            self.keep(person)
        return person

    # --- The session

    def prepare(self, person):
        """Makes the folder of the person's session, and starts its bus."""
        person.runtime = pathlib.Path(f"/run/user/{person.uid}")
        person.runtime.mkdir(parents=True)
        os.chown(person.runtime, person.uid, person.uid)
        person.runtime.chmod(0o700)
        self.start_bus(person)

    def environment(self, person):
        """The variables of the person's session."""
        return {
            "HOME": f"/home/{person.name}",
            "XDG_RUNTIME_DIR": str(person.runtime),
            "DBUS_SESSION_BUS_ADDRESS": f"unix:path={person.runtime}/bus",
            "PATH": "/usr/bin:/bin",
            "LC_ALL": "C.UTF-8",
        }

    def as_person(self, person, *arguments, answers=None, check=True):
        """Runs a program in the person's session."""
        variables = [f"{name}={value}" for name, value in self.environment(person).items()]
        return self.lab.run(*by(person), "env", "-i", *variables, *arguments, answers=answers, check=check, cwd="/", timeout=60)

    def start_bus(self, person):
        """Starts the person's session bus; it ends with the row."""
        address = self.environment(person)["DBUS_SESSION_BUS_ADDRESS"]
        bus = self.lab.start(
            *by(person), "dbus-daemon", "--session", f"--address={address}", "--nofork", "--nopidfile", "--nosyslog",
            env=self.environment(person), cwd="/", stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self.lab.after(lambda: self.lab.stop(bus))
        until((person.runtime / "bus").exists, "the session bus")

    def start_daemon(self, person):
        """Starts the keyring's daemon in the person's session, as a desktop does that nobody has opened it for: locked."""
        daemon = self.lab.start(
            *by(person), DAEMON, "--foreground", "--start", "--components=secrets",
            env=self.environment(person), cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self.lab.after(lambda: self.lab.stop(daemon) if daemon.poll() is None else None)
        until(lambda: self.has_owner(person), "the keyring's daemon")
        return daemon

    def make_keyring(self, person):
        """Makes the keyring that a login opens, with its password and a secret in it; the daemon ends then."""
        typed = pathlib.Path(f"/tmp/typed-{person.name}")
        typed.write_text(PASSWORD)
        with typed.open() as password, subprocess.Popen(
            [*by(person), DAEMON, "--foreground", "--unlock", "--components=secrets"],
            env=self.environment(person), cwd="/", stdin=password, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        ) as daemon:  # fmt: skip
            until(lambda: self.has_owner(person), "the keyring's daemon")
            self.as_person(person, "secret-tool", "store", "--label=lab", "lab", "one", answers=SECRET)
            daemon.terminate()
        until(lambda: not self.has_owner(person), "the daemon has ended")
        must(pathlib.Path(f"/home/{person.name}/.local/share/keyrings/login.keyring").exists(), "no keyring was made")

    def call(self, person, destination, path, method, *arguments):
        """Calls a method over the person's bus; the answer as dbus-send shows it."""
        return self.as_person(
            person, "dbus-send", "--session", "--print-reply", f"--dest={destination}", path, method, *arguments, check=False
        ).stdout

    def has_owner(self, person):
        """Whether the daemon is on the bus."""
        return "boolean true" in self.call(
            person,
            "org.freedesktop.DBus",
            "/org/freedesktop/DBus",
            "org.freedesktop.DBus.NameHasOwner",
            "string:org.freedesktop.secrets",
        )

    def is_open(self, person):
        """Whether the keyring is unlocked, as the daemon says, and whether its secret can then be read."""
        said = self.call(
            person,
            "org.freedesktop.secrets",
            COLLECTION,
            "org.freedesktop.DBus.Properties.Get",
            "string:org.freedesktop.Secret.Collection",
            "string:Locked",
        )
        must("boolean" in said, f"the daemon does not say whether the keyring is locked: {said}")
        if "boolean true" in said:
            return False
        read = self.as_person(person, "secret-tool", "lookup", "lab", "one", check=False).stdout
        must(read == SECRET, f"the keyring is unlocked, but does not give its secret: {read}")
        return True

    # --- The password

    def keep(self, person, password=PASSWORD):
        """Has the password kept, as root does it for a person who enters the passcode."""
        said = self.lab.run("uafctl", "keyring", "set", person.name, answers=f"{person.passcode}\n{password}\n")
        must("will open after a login with the passcode" in said.stdout, f"not kept: {said.stdout}")

    def own_uafctl(self, person, *arguments, answers=None):
        """uafctl in the person's session, through the core's socket."""
        serve(self.lab)
        return self.as_person(person, "uafctl", *arguments, answers=answers, check=False)

    # --- The greeter

    def login(self, person, *answers, service=SERVICE, remote="-", command=None, caller=None):
        """Logs the person in, and runs a command in the session."""
        before = hosts.called_by(caller) if caller else []
        arguments = [*before, HOST, service, person.name, remote] + ([command] if command else [])
        return self.lab.run(*arguments, answers="".join(f"{answer}\n" for answer in answers), check=False, timeout=120, env={})

    def let_in(self, person, *answers, **options):
        """Logs the person in, which must succeed; returns what was said."""
        said = self.login(person, *(answers or (person.passcode,)), **options)
        must("result session 0" in said.stdout, f"not in: {said.stdout}")
        return said.stdout
