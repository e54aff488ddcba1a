"""Runs the server that ours is compared with, under the same load."""

import os
import shutil
import socket
import subprocess
import time
from pathlib import Path

from measure import passkeys_store, server, store

PYTHON = server.BUILT / "python"
# The versions that were measured; `granian` was faster than `uvicorn` with `uvloop` and `httptools`.
PACKAGES = ["webauthn==3.0.1", "granian==2.8.7"]


def install():
    """Puts the packages into a folder of their own, if they are not there."""
    made = PYTHON / "made-of"
    if made.exists() and made.read_text() == " ".join(PACKAGES):
        return
    shutil.rmtree(PYTHON, ignore_errors=True)
    subprocess.run(["python3", "-m", "venv", PYTHON], check=True)
    pip = [str(PYTHON / "bin/pip"), "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:"]
    subprocess.run([*pip, *PACKAGES], check=True)
    made.write_text(" ".join(PACKAGES))


class Peer(server.Server):
    """Passkeys with PyPI's `webauthn`; its certificate is the one that ours has made in a folder."""

    def __init__(self, folder: Path, certificates: Path, accounts):
        super().__init__(PYTHON / "bin/granian", folder, accounts)
        self.certificates = certificates

    def prepare(self):
        (self.folder / "state").mkdir(parents=True)
        passkeys_store.fill(self.database(), store.rows(self.accounts, server.keys(self.accounts), 1))
        return self

    def database(self):
        return self.folder / "state/server.db"

    def authority(self):
        return str(self.certificates / "ca.pem")

    def command(self):
        files = {"certificate": "certificate.pem", "keyfile": "key.pem"}
        chosen = [word for name, file in files.items() for word in (f"--ssl-{name}", str(self.certificates / file))]
        address = ["--host", "127.0.0.1", "--port", self.port, "--workers", "1", "--interface", "asgi", "--log-level", "error"]
        return [self.program, *address, *chosen, "measure.passkeys:app"]

    def start(self, flush_us=0):
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = str(free.getsockname()[1])
        environment = os.environ | {"PASSKEYS_STORE": str(self.database()), "PYTHONPATH": str(server.ROOT / "scripts")}
        self.process = subprocess.Popen(self.command(), env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", int(self.port)), 1).close()
                return self
            except OSError:
                time.sleep(0.05)
        raise SystemExit("bench: granian does not listen")

    def worker(self):
        """The process that answers; the first one only starts it."""
        assert self.process
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return int(children[-1]) if children else self.process.pid

    def options(self):
        return {"app": "https://localhost", "protocol": "webauthn"}
