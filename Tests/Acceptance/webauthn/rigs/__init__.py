"""The relying parties as programs: how each is configured, started, asked and ended."""

import itertools
import pathlib
import socket
import subprocess

from fleet.programs import Program
from lab.machine import ROOT
from lab.waiting import until
from webauthn.authenticator import Authenticator
from webauthn.channel import Channel
from webauthn.dialects import Dialect, Enrolment

# The name of the machine in the certificate, and of the relying party; docs/webauthn-servers.md uses it, too.
NAME = "login.example.com"
ORIGIN = f"linux://{NAME}"
CERTIFICATES = pathlib.Path("/srv/certificates")
PARTIES = pathlib.Path(__file__).parents[1] / "parties"
BUILT = ROOT / "build/webauthn"
# Seconds for a command that prepares a party.
SECONDS = 120

_ports = itertools.count(8600)


class Party:
    """A third-party server. `name` is its name in the rows and in the document."""

    name = ""
    dialect: type[Dialect]
    # The origin that it accepts.
    origin = ORIGIN
    # Whether its start takes so long that the quick form leaves it out.
    slow = True
    # Whether it only plays a server: then it proves nothing about that server, and has rows of our client alone.
    stand_in = False
    # The name of the party whose server this one shares, with a different dialect.
    beside = ""

    def __init__(self, folder, records):
        self.folder, self._records = folder / self.name, records
        self.folder.mkdir(parents=True)
        self.port = next(_ports)
        self.program: Program | None = None

    @classmethod
    def sharing(cls, other):
        """A party that shares the server of another, running party."""
        party = cls.__new__(cls)
        party.__dict__.update(other.__dict__)
        return party

    # --- For its users

    @classmethod
    def available(cls):
        """Whether the programs and packages that it needs are installed."""
        return True

    def start(self):
        """Prepares it and starts it; returns when it answers."""
        self.prepare()
        self.program = Program(self.name, self.command(), self.folder, self.environment(), user=None)
        self.resume()

    def resume(self):
        """Starts its program, also again, with what it has prepared; returns when it answers."""
        assert self.program
        self.program.start()
        until(self.answers, f"{self.name}: {self.program.told()[-600:]}", 60)

    def stop(self):
        """Ends it and its children."""
        if self.program:
            self.program.stop()

    def addresses(self):
        """The first part of each address for the client."""
        return f"https://{NAME}:{self.port}"

    def client(self, attestation="none", origin=None):
        """A new client with an authenticator of its own."""
        channel = Channel(NAME, self.port, CERTIFICATES / "ca.pem", self._records / f"{self.name}.txt")
        return self.dialect(channel, Authenticator(origin or self.origin, NAME, attestation))

    def enrol(self, account):
        """Makes an account; returns what its person needs for registering a key."""
        raise NotImplementedError

    def accepted(self, what, account):
        """How many keys (`key`) or logins (`login`) of an account the party itself reports as accepted."""
        raise NotImplementedError

    # --- For each of them

    def prepare(self):
        """Writes what it needs before it starts."""

    def command(self):
        raise NotImplementedError

    def environment(self):
        """Its environment, in addition to ours, without our Python packages: one of them has the name of a library."""
        return {"PYTHONPATH": ""}

    def answers(self):
        try:
            socket.create_connection((NAME, self.port), 1).close()
        except OSError:
            assert self.program
            if not self.program.runs:
                raise RuntimeError(f"{self.name} has ended: {self.program.told()[-600:]}") from None
            return False
        return True

    def run(self, *command, answers=None):
        """Runs one of its programs to its end."""
        result = subprocess.run(
            [str(part) for part in command],
            input=answers,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            cwd=self.folder,
            env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", **self.environment()},
            check=False,
        )
        if result.returncode:
            raise RuntimeError(f"{self.name}: {command[1:3]} ended with {result.returncode}: {result.stderr[-800:]}")
        return result.stdout


class PythonParty(Party):
    """An application in Python under granian, from a folder with its packages."""

    # The folder of its Python below BUILT, and its application for granian.
    python = ""
    application: tuple[str, ...] = ()

    @classmethod
    def available(cls):
        return (BUILT / cls.python / "bin/granian").exists()

    def command(self):
        program = BUILT / self.python / "bin/granian"
        address = ["--host", "127.0.0.1", "--port", self.port, "--log-level", "warning"]
        # One worker and one thread, because the small parties keep their data in memory.
        workers = ["--workers", "1", "--blocking-threads", "1"]
        files = ["--ssl-certificate", CERTIFICATES / "leaf.pem", "--ssl-keyfile", CERTIFICATES / "leaf.key"]
        return [program, "--interface", "wsgi", *address, *workers, *files, *self.application]


def lines(path, what, account):
    """How many lines a file has for accepted keys or logins of an account."""
    return path.read_text().splitlines().count(f"{what} {account}") if path.exists() else 0


OPEN = Enrolment()
