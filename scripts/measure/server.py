"""A server under load: started, filled, loaded, measured."""

import json
import os
import subprocess
from pathlib import Path

from measure import flushes, store

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "Tests/Bench"
BUILT = ROOT / "build/bench"
SEED = "bench"
# The AppID stays the same when the server gets another port.
URL = "https://localhost:8443"
# All clients come from one address here.
UNLIMITED = ("--address-rate", "0", "--account-rate", "0", "--address-connections", "0")
WARNINGS = ["-O2", "-Wall", "-Wextra", "-Werror"]


def build():
    """Compiles the load and the library that delays flushes."""
    BUILT.mkdir(parents=True, exist_ok=True)
    preloaded = SOURCES / "slow-flush.c"
    sources = sorted(set(SOURCES.glob("*.c")) - {preloaded})
    subprocess.run(["cc", *WARNINGS, "-o", BUILT / "load", *sources, "-lssl", "-lcrypto", "-lm"], check=True)
    subprocess.run(["cc", *WARNINGS, "-shared", "-fPIC", "-o", BUILT / flushes.LIBRARY, preloaded], check=True)


def keys(accounts):
    """KeyID and public key of each account that logs in."""
    stride = store.stride(accounts)
    command = [str(BUILT / "load"), "keys", SEED, str(accounts // stride), str(stride)]
    lines = [line.split() for line in subprocess.check_output(command, text=True).splitlines()]
    return {name: (bytes.fromhex(key_id), bytes.fromhex(key)) for name, key_id, key in lines}


class Server:
    """One server with a store of its own, in a folder."""

    # Its name among its peers.
    name = "ours"

    def __init__(self, program, folder: Path, accounts, *, url=None, keys_each=1, audit_rows=0, used=0, **shape):
        self.program, self.folder, self.accounts = program, folder, accounts
        self.url, self.keys_each, self.audit_rows, self.used = url, keys_each, audit_rows, used
        # What store.tables takes: described, machines.
        self.shape = shape
        self.process: subprocess.Popen[str] | None = None
        self.port = "0"
        self.counter = 0

    def prepare(self):
        """Makes the store with its accounts, inserted rows instead of its audit, and used challenges, if wanted."""
        self.start()
        self.stop()
        fill, audit = (store.fill_postgresql, store.audit_postgresql) if self.url else (store.fill_sqlite, store.audit_sqlite)
        place = self.url or self.folder / "state/server.db"
        fill(place, f"{URL}/uaf/facets", self.accounts, keys(self.accounts), self.keys_each, **self.shape)
        if self.audit_rows:
            (self.folder / "state/audit.head").unlink(missing_ok=True)
            audit(place, store.audit(self.audit_rows, self.accounts))
        if self.used:
            use = store.use_postgresql if self.url else store.use_sqlite
            use(place, store.used(self.used))
        return self

    def command(self):
        chosen = ["--store", self.url] if self.url else []
        state = ["--state", self.folder / "state", "--listen", "127.0.0.1:0", "--development", "--public-url", URL]
        return [self.program, "serve", *state, *chosen, *UNLIMITED]

    def start(self, flush_us=0):
        """Starts it; each flush to the disk takes this much longer."""
        environment = dict(os.environ)
        if flush_us:
            environment |= flushes.slowed(BUILT, flush_us)
        self.folder.mkdir(parents=True, exist_ok=True)
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(self.command(), stdout=subprocess.PIPE, stderr=log, text=True, env=environment)
        assert self.process.stdout
        line = self.process.stdout.readline()
        if "listening on" not in line:
            raise SystemExit(f"bench: {self.program} does not listen: see {self.folder}/log")
        if flush_us:
            flushes.require_slowed(self.process.pid)
        self.port = line.strip().rsplit(":", 1)[1]
        key = self.folder / "verdict.pem"
        fetch = ["curl", "-sS", "--fail", "--cacert", self.authority(), f"https://localhost:{self.port}/uaf/verdict-key"]
        key.write_bytes(subprocess.check_output(fetch))
        return self

    def worker(self):
        """The process that answers."""
        assert self.process
        return self.process.pid

    def authority(self):
        return str(self.folder / "state/ca.pem")

    def options(self):
        """What the load must know about this kind of server."""
        return {"app": f"{URL}/uaf/facets", "verdict": self.folder / "verdict.pem"}

    def load(self, connections, during=5.0, before=1.0, rate=0):
        """Logs in for a while, and returns the figures."""
        stride = store.stride(self.accounts)
        options = {
            "port": self.port, "pid": self.worker(), "ca": self.authority(), "seed": SEED,
            "accounts": self.accounts // stride, "stride": stride, "counter": self.counter, "connections": connections,
            "before": before, "during": during, "rate": rate, **self.options(),
        }  # fmt: skip
        figures = self._ask("run", options, during + before)
        self.counter = figures["counter"]
        return figures | {"mib": self.memory()}

    def pages(self, path, expected, connections, during):
        """Asks for one static answer for a while, and returns the figures."""
        options = {
            "port": self.port, "pid": self.worker(), "ca": self.authority(), "path": path, "expected": expected,
            "connections": connections, "during": during,
        }  # fmt: skip
        return self._ask("pages", options, during)

    def _ask(self, what, options, seconds):
        command = [str(BUILT / "load"), what, *(f"{name}={value}" for name, value in options.items())]
        return json.loads(subprocess.check_output(command, timeout=120 + seconds))

    def memory(self):
        """The most memory that the process has used, in MiB."""
        status = Path(f"/proc/{self.worker()}/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) / 1024

    def disk(self):
        """Bytes of the store, in MiB."""
        return sum(file.stat().st_size for file in (self.folder / "state").glob("server.db*")) / 2**20

    def stop(self):
        """Ends it, and waits until it is gone."""
        if self.process:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
            if self.process.stdout:
                self.process.stdout.close()
            self.process = None
