"""Servers of passkeys with FIDO's interface for server tests and a signed verdict: ours, and one on Debian's Go library."""

import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import time
from pathlib import Path

from measure import passkeys_store, peer, server, store

SOURCE = server.ROOT / "scripts/measure/go/passkeys.go"
# The compiler, the libraries, and what they import, as Debian's packages.
LIBRARIES = (
    "duo-labs-webauthn", "cloudflare-cfssl", "fxamacker-cbor", "golang-jwt-jwt", "google-uuid", "mitchellh-mapstructure",
    "x448-float16", "mattn-go-sqlite3",
)  # fmt: skip


class OwnPasskeys(server.Server):
    """Our server with one passkey for each account."""

    name = "passkeys at ours"

    def prepare(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "policy.json").write_text(json.dumps({"passkeys": {}}))
        self.start()
        self.stop()
        now = int(time.time())
        accounts = list(store.rows(self.accounts, server.keys(self.accounts), 1))
        with sqlite3.connect(self.folder / "state/server.db") as database:
            database.execute("PRAGMA synchronous = OFF")
            database.executemany(
                "INSERT INTO account (username, createdAt) VALUES (?, ?)", ((name, now) for name, _, _, _ in accounts)
            )
            database.executemany(
                "INSERT INTO passkey (username, rpID, credentialID, userHandle, publicKey, signCounter, aaguid, "
                "isAttested, isBackupEligible, isBackedUp, transports, registeredAt) "
                "VALUES (?, 'localhost', ?, ?, ?, 0, zeroblob(16), 0, 0, 0, 'internal', ?)",
                (
                    (name, key_id, hashlib.sha256(name.encode()).digest(), passkeys_store.cose(key), now)
                    for name, _, key_id, key in accounts
                ),
            )
            database.commit()
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        database.close()
        return self

    def command(self):
        return [*super().command(), "--policy", self.folder / "policy.json"]

    def options(self):
        return {"app": server.URL, "verdict": self.folder / "verdict.pem", "protocol": "conformance"}


class GoPasskeys(peer.Peer):
    """Passkeys with golang-github-duo-labs-webauthn-dev."""

    name = "Go duo-labs"

    def __init__(self, folder: Path, certificates: Path, accounts):
        super().__init__(folder, certificates, accounts)
        self.program = server.BUILT / "go-passkeys"

    def install(self):
        """Compiles it. The compiler and the sources are some 100 MB of packages; only the program is kept."""
        noted, made = server.BUILT / "go-passkeys.of", hashlib.sha256(SOURCE.read_bytes()).hexdigest()
        if self.program.exists() and noted.exists() and noted.read_text() == made:
            return
        folder = server.BUILT / "go"
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "root").mkdir(parents=True)
        depends = subprocess.check_output(["apt-cache", "depends", "golang-go"], text=True).split()
        compiler = next(word for word in depends if word.startswith("golang-1") and word.endswith("-go"))
        packages = [compiler, compiler.removesuffix("-go") + "-src", "golang-golang-x-crypto-dev", "golang-golang-x-sys-dev"]
        packages += [f"golang-github-{name}-dev" for name in LIBRARIES]
        fetch = ["apt-get", "-q", "-o", "Debug::NoLocking=1", "download", *packages]
        subprocess.run(fetch, cwd=folder, check=True, capture_output=True, timeout=600)
        for archive in folder.glob("*.deb"):
            subprocess.run(["dpkg-deb", "-x", archive, folder / "root"], check=True)
        root = folder / "root/usr/lib" / compiler.removesuffix("-go").replace("golang", "go")
        environment = {
            "PATH": "/usr/bin:/bin", "HOME": str(folder), "GOROOT": str(root), "GO111MODULE": "off", "CGO_ENABLED": "1",
            "GOPATH": str(folder / "root/usr/share/gocode"), "GOCACHE": str(folder / "cache"),
        }  # fmt: skip
        build = [str(word) for word in (root / "bin/go", "build", "-trimpath", "-tags", "libsqlite3", "-o", self.program, SOURCE)]
        subprocess.run(build, env=environment, check=True, capture_output=True, timeout=900)
        noted.write_text(made)
        shutil.rmtree(folder)

    def fill(self):
        passkeys_store.fill(self.database(), store.rows(self.accounts, server.keys(self.accounts), 1))

    def environment(self):
        return {
            "PASSKEYS_STORE": str(self.database()), "LISTEN": f"127.0.0.1:{self.port}",
            "CERTIFICATE": str(self.certificates / "certificate.pem"), "KEY": str(self.certificates / "key.pem"),
            "VERDICT_KEY": str(self.folder / "verdict.pem"),
        }  # fmt: skip

    def command(self):
        return [os.fspath(self.program)]

    def worker(self):
        assert self.process
        return self.process.pid

    def options(self):
        return {"app": "https://localhost", "verdict": self.folder / "verdict.pem", "protocol": "conformance"}
