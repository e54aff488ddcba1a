"""The machine that is attacked: a FIDO server, a configuration, PAM stacks, people, a log."""

import dataclasses
import itertools
import json
import os
import pathlib
import pwd
import socket
import subprocess
import threading
import time

from lab import hosts, loopback
from lab.waiting import listens

ROOT = pathlib.Path(__file__).resolve().parents[3]
# The sources of small hosts, and conversation.h, how they talk to libpam.
PROGRAMS = ROOT / "Server/Tests/EndToEndTests/Programs"
CONFIGURATION = pathlib.Path("/etc/security/pam_uaf.conf")
STATE = pathlib.Path("/var/lib/pam-uaf")
HELPER = "/usr/libexec/pam-uaf/uaf-helper"
PORT = 8443


@dataclasses.dataclass
class Person:
    name: str
    uid: int
    passcode: str
    password: str = "unix-Password-77"

    @property
    def state(self):
        """The file with the counts."""
        return STATE / "accounts" / f"{self.uid}.db"


class Log:
    """All messages of the machine's programs to syslog."""

    def __init__(self):
        self._lines, self._marks = [], itertools.count(1)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind("/dev/log")
        os.chmod("/dev/log", 0o666)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        while True:
            self._lines.append(self._socket.recv(65536).decode("utf-8", "backslashreplace"))

    def _catch_up(self):
        """Returns once all earlier messages have arrived: it sends its own line and waits for it."""
        own = f"lab: {next(self._marks)}"
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            sender.sendto(own.encode(), "/dev/log")
        deadline = time.monotonic() + 30
        while own not in self._lines[-50:] and time.monotonic() < deadline:
            time.sleep(0.001)

    def mark(self):
        """The current position in the log, for `since`."""
        self._catch_up()
        return len(self._lines)

    def since(self, mark, wait_for="", seconds=30):
        """The lines after a position; waits until one contains a text, or long enough for a busy machine."""
        self._catch_up()
        deadline = time.monotonic() + seconds
        while wait_for and time.monotonic() < deadline:
            if any(wait_for in line for line in self._lines[mark:]):
                break
            time.sleep(0.01)
        return self._lines[mark:]


class Lab:
    """Use as a context: its processes end with it."""

    def __init__(self, thorough):
        # Whether the rows try everything, or only a part that fits into `make test`.
        self.thorough = thorough
        self._numbers = itertools.count(1)
        self._started = []
        # The AppIDs of the started servers, for the configuration: a client that connects through a proxy accepts an AppID at the
        # server's own address only if root lists it.
        self._app_ids = []
        self._tidying = []

    def __enter__(self):
        loopback.up()
        self.log = Log()
        self._make_accounts()
        self.compile(PROGRAMS / "pam-host.c", hosts.PAM_HOST)
        self.start_server()
        self.configure()
        self.run("uafctl", "init")
        self.stack("uaf", "auth required pam_uaf.so", "account required pam_permit.so")
        self.stack("other", "auth required pam_deny.so", "account required pam_deny.so")
        # The server and the log belong to the machine: they stay after each row.
        self._tidying.clear()
        return self

    def __exit__(self, *_):
        self.tidy()
        for process in reversed(self._started):
            process.terminate()
            process.wait()

    def _make_accounts(self):
        # The machine's own files contain nothing that is needed here.
        for group in ("sshd", "sudo"):
            subprocess.run(["groupadd", "--force", group], check=True)
        if subprocess.run(["id", "sshd"], capture_output=True, check=False).returncode:
            self.run("useradd", "--system", "--no-create-home", "--home-dir", "/run/sshd", "--gid", "sshd", "sshd")

    # --- Programs

    def compile(self, source, program, *options):
        """Makes a host from its source in C, which may include conversation.h."""
        self.run("cc", "-O1", *options, "-iquote", PROGRAMS, source, "-lpam", "-o", program)

    def run(self, *arguments, answers=None, check=True, **options):
        """Runs a program to its end and returns its CompletedProcess with text."""
        result = subprocess.run(
            [str(argument) for argument in arguments],
            input=answers,
            text=True,
            errors="replace",
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            **options,
            check=False,
        )
        if check and result.returncode:
            raise RuntimeError(f"{arguments[0]} ended with {result.returncode}: {result.stdout[-400:]}")
        return result

    def start(self, *arguments, **options):
        """Starts a program that ends with the lab at the latest."""
        process = subprocess.Popen([str(argument) for argument in arguments], **options)
        self._started.append(process)
        return process

    def stop(self, process):
        process.kill()
        process.wait()
        if process in self._started:
            self._started.remove(process)

    def after(self, action):
        """Registers an action for the end of the row, whatever its result."""
        self._tidying.append(action)

    def tidy(self):
        """Called after each row: undoes the row's changes."""
        while self._tidying:
            self._tidying.pop()()
        # The next row does not need the people of this one, and their files would fill a small disk.
        for pattern in ("*.db*", "*.made"):
            for state in (STATE / "accounts").glob(pattern):
                state.unlink()
        self.configure()

    # --- The server

    def start_server(self, folder="/srv/uaf", port=PORT, options=()):
        """Starts our FIDO server; returns its process.

        There is no limit per address unless the options set one, because all rows share one address.
        """
        options = options if "--address-rate" in options else ("--address-rate", "0", *options)
        os.makedirs(folder, mode=0o700, exist_ok=True)
        log = open(f"/tmp/server-{port}.log", "ab")
        process = self.start(
            "uaf-server",
            "serve",
            "--state",
            folder,
            "--listen",
            f"127.0.0.1:{port}",
            "--development",
            *options,
            stdout=log,
            stderr=log,
            stdin=subprocess.DEVNULL,
        )
        listens(process, port)
        if (app_id := f"https://127.0.0.1:{port}/uaf/facets") not in self._app_ids:
            self._app_ids.append(app_id)
        pathlib.Path("/etc/ssl/uaf-ca.pem").write_bytes(pathlib.Path(folder, "ca.pem").read_bytes())
        return process

    # --- Configuration and stacks

    def configure(
        self,
        lock="retry_count_to_lock = 5\nlock_time = 300\nmax_lock_count = 3",
        server="",
        more="",
        general="",
        port=PORT,
        cost=10,
        authenticators='["passcode"]',
    ):
        """Writes the configuration, with a low cost of the key derivation unless a row sets one."""
        CONFIGURATION.unlink(missing_ok=True)
        CONFIGURATION.write_text(f"""authenticators = {authenticators}
{general}
[server]
request_url = "https://127.0.0.1:{port}/uaf/get"
response_url = "https://127.0.0.1:{port}/uaf/respond"
ca_file = "/etc/ssl/uaf-ca.pem"
app_ids = {json.dumps(self._app_ids)}
{server}
[state]
kdf_cost = {cost}
[lock]
{lock}
{more}
""")
        CONFIGURATION.chmod(0o644)

    def stack(self, service, *lines):
        """Writes a PAM stack; restores the old one after the row."""
        path = pathlib.Path("/etc/pam.d", service)
        if path.exists():
            before = path.read_text()
            self.after(lambda: path.write_text(before))
        else:
            self.after(lambda: path.unlink(missing_ok=True))
        path.write_text("".join(line + "\n" for line in lines))

    # --- People

    def person(self, registered=True, shell="/bin/sh"):
        """Creates a person with a Unix password and, by default, a passcode."""
        number = next(self._numbers)
        name = f"mina{number}"
        self.run("useradd", "--create-home", "--shell", shell, name)
        person = Person(name, pwd.getpwnam(name).pw_uid, f"amber-kite-{number + 40}")
        self.run("chpasswd", answers=f"{name}:{person.password}\n")
        if registered:
            self.register(person)
        return person

    def rescuer(self):
        """Creates a member of uaf-rescue with a password, who may use sudo; the group is there until the end of the row."""
        person = self.person(registered=False)
        self.run("groupadd", "--force", "uaf-rescue")
        self.run("usermod", "--append", "--groups", "uaf-rescue,sudo", person.name)
        self.after(lambda: self.run("groupdel", "uaf-rescue"))
        return person

    def payload(self, person, folder="/srv/uaf"):
        """A file with an enrolment code for a person."""
        path = f"/tmp/payload-{person.name}"
        # The server writes its messages for people to standard error.
        result = subprocess.run(
            ["uaf-server", "enrol", person.name, "--state", folder], capture_output=True, text=True, check=True
        )
        pathlib.Path(path).write_text(result.stdout)
        os.chmod(path, 0o600)
        return path

    def register(self, person, passcode=None):
        """Registers a passcode as root for a person."""
        passcode = passcode or person.passcode
        self.run("uafctl", "register", person.name, "--payload", self.payload(person), answers=f"{passcode}\n{passcode}\n")

    def status(self, person, prefix=()):
        """The output of `uafctl status` for a person: of each authenticator the state, remaining tries, seconds ..."""
        text = self.run(*prefix, "uafctl", "status", person.name, "--json", check=False).stdout
        document = next((line for line in text.splitlines() if line.startswith("{")), None)
        if document is None:
            raise RuntimeError(f"status: {text[-400:]}")
        return json.loads(document)

    # --- Logging in

    def login(self, person, answer, service="uaf", **options):
        """Logs in with a value, through the small host."""
        return hosts.login(service, person.name, answer, **options)

    def guesses(self, person, count, service="uaf", **options):
        """As many wrong guesses, one after the other; returns the logins."""
        return [self.login(person, f"wrong-guess-{number}", service, **options) for number in range(count)]

    def verdicts(self, since, person):
        """The FIDO results of a person's logins in the log, in order, as texts: "0", "3010", "3013" ...

        A wrong value that caused a lock is 3012 here, since it was verified, although the log has the lock's result.
        """
        lines = self.log.since(since)
        found = []
        for line in lines:
            parts = dict(part.split("=", 1) for part in line.split() if "=" in part)
            if parts.get("event") == "authenticate" and parts.get("account") == person.name:
                found.append(hosts.WRONG if 'detail="wrong value' in line else parts.get("result"))
        return found
