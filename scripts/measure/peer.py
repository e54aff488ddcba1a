"""Runs the servers that ours is compared with, under the same load: programs in Python, each with its packages in a folder."""

import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

from measure import passkeys_store, server, store

# The program that serves them; it was faster than `uvicorn` with `uvloop` and `httptools`.
GRANIAN = "granian==2.8.7"


class Peer(server.Server):
    """An application in Python under granian; its certificate is the one that our server made in a folder."""

    # The name of the peer in the page.
    name = ""
    # The folder of its Python, and what is installed there: the versions that were measured.
    python = Path()
    packages: tuple[str, ...] = ()
    # The application's name for granian.
    application: tuple[str, ...] = ()

    def __init__(self, folder: Path, certificates: Path, accounts):
        super().__init__(self.python / "bin/granian", folder, accounts)
        self.certificates = certificates

    def prepare(self):
        self.install()
        (self.folder / "state").mkdir(parents=True)
        self.fill()
        return self

    def install(self):
        """Puts its packages into a folder of their own, if they are not there."""
        packages, made = [*self.packages, GRANIAN], self.python / "made-of"
        if made.exists() and made.read_text() == " ".join(packages):
            return
        shutil.rmtree(self.python, ignore_errors=True)
        subprocess.run(["python3", "-m", "venv", self.python], check=True)
        pip = [str(self.python / "bin/pip"), "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:"]
        subprocess.run([*pip, *packages], check=True, timeout=900)
        made.write_text(" ".join(packages))

    def fill(self):
        """Makes its store with the accounts."""
        raise NotImplementedError

    def database(self):
        return self.folder / "state/server.db"

    def authority(self):
        return str(self.certificates / "ca.pem")

    def environment(self):
        """The application's environment, in addition to ours."""
        return {"PYTHONPATH": str(server.ROOT / "scripts")}

    def command(self):
        files = {"certificate": "certificate.pem", "keyfile": "key.pem"}
        chosen = [word for name, file in files.items() for word in (f"--ssl-{name}", str(self.certificates / file))]
        address = ["--host", "127.0.0.1", "--port", self.port, "--workers", "1", "--log-level", "error"]
        return [self.program, *address, *chosen, *self.application]

    def start(self, flush_us=0):
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = str(free.getsockname()[1])
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                self.command(), env=os.environ | self.environment(), stdout=log, stderr=log, text=True
            )
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", int(self.port)), 1).close()
                return self
            except OSError:
                if self.process.poll() is not None:
                    break
                time.sleep(0.05)
        raise SystemExit(f"bench: granian does not listen: see {self.folder}/log")

    def worker(self):
        """The process that answers; the first one only starts it."""
        assert self.process
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return int(children[-1]) if children else self.process.pid


class Passkeys(Peer):
    """Passkeys with PyPI's `webauthn`."""

    name = "PyPI webauthn"
    python = server.BUILT / "python"
    packages = ("webauthn==3.0.1",)
    application = ("--interface", "asgi", "measure.passkeys:app")

    def fill(self):
        passkeys_store.fill(self.database(), store.rows(self.accounts, server.keys(self.accounts), 1))

    def environment(self):
        return super().environment() | {"PASSKEYS_STORE": str(self.database())}

    def options(self):
        return {"app": "https://localhost", "protocol": "webauthn"}


class Peers:
    """All peers of a measurement. One that cannot be installed, does not start or does not answer as required is left out."""

    def __init__(self, peers):
        self.running = list(peers)
        # Why a peer is left out, by its name.
        self.absent: dict[str, str] = {}

    def each(self, act):
        """Calls `act` with each peer; a peer that fails is left out from then on."""
        for one in list(self.running):
            try:
                act(one)
            except (subprocess.SubprocessError, OSError, SystemExit) as failure:
                self.running.remove(one)
                self.absent[one.name] = reason(failure)
                log = one.folder / "log"
                sys.stderr.write(log.read_text(errors="replace")[-2000:] if log.exists() else "")


def reason(failure):
    """The failure in one line; for a command, its first two words."""
    if isinstance(failure, subprocess.CalledProcessError | subprocess.TimeoutExpired):
        program, word, *_ = failure.cmd
        return f"{Path(program).name} {word} has failed"
    return " ".join(str(failure).split())
