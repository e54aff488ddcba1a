"""The parties that a run needs, each started when its first row asks for it."""

import pathlib
import subprocess

from fleet import certificates
from fleet.programs import LOGS, USER
from lab import loopback
from lab.table import Skip
from webauthn.rigs import BUILT, CERTIFICATES, NAME
from webauthn.rigs.every import PARTIES

FOLDER = pathlib.Path("/srv/webauthn")


class Desk:
    """Use as a context. lab.run requires `tidy` and `thorough`."""

    thorough = False

    def __init__(self):
        self._running = {}
        self._absent = {}
        self._numbers = iter(range(1, 10_000))

    def __enter__(self):
        loopback.up()
        if subprocess.run(["id", USER], capture_output=True, check=False).returncode:
            subprocess.run(["useradd", "--system", "--user-group", "--home-dir", "/srv", USER], check=True)
        with pathlib.Path("/etc/hosts").open("a") as file:
            file.write(f"127.0.0.1 {NAME}\n")
        CERTIFICATES.mkdir(parents=True)
        certificates.make(CERTIFICATES, [NAME])
        self._records = LOGS.parent / "exchanges"
        self._records.mkdir(parents=True)
        return self

    def __exit__(self, *_):
        for party in self._running.values():
            party.stop()

    def tidy(self):
        """Does nothing: the parties keep running, and each row has its own people."""

    def party(self, name):
        """A running party. If it is not available here, its rows are skipped; if it does not start, they are broken."""
        if name not in self._running:
            if reason := self._absent.get(name):
                raise reason
            kind = PARTIES[name]
            if not kind.available():
                raise Skip(f"{name} is not in {BUILT.relative_to(BUILT.parents[1])}: see scripts/webauthn.sh")
            if kind.beside:
                self._running[name] = kind.sharing(self.party(kind.beside))
                return self._running[name]
            party = kind(FOLDER, self._records)
            try:
                party.start()
            except Exception as failure:
                self._absent[name] = failure
                party.stop()
                raise
            self._running[name] = party
        return self._running[name]

    def account(self):
        """A name that no account has yet."""
        return f"mina{next(self._numbers)}"
