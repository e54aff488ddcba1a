"""Runs privacyIDEA, whose tokens may be passkeys, as a server to compare ours with.

Its store is SQLite, and its people are the rows of a table, which an SQL resolver reads. It signs each row of its audit and each
answer, as it does by default.
"""

import os
import secrets
import subprocess

from measure import peer, server

VERSION = "3.14"


class PrivacyIDEA(peer.Peer):
    """privacyIDEA, with a passkey for each account."""

    name = f"privacyIDEA {VERSION}"
    python = server.BUILT / "privacyidea"
    # It accepts any version of its dependencies. The versions that its speed depends on are fixed.
    packages = (
        f"privacyidea=={VERSION}", "webauthn==3.0.1", "SQLAlchemy==2.1.9", "Flask==3.1.3", "Flask-SQLAlchemy==3.1.1",
        "cryptography==50.0.2",
    )  # fmt: skip
    # With two threads it was no faster.
    application = ("--interface", "wsgi", "--blocking-threads", "1", "--factory", "privacyidea.app:create_app")

    def fill(self):
        state = self.folder / "state"
        (state / "pi.cfg").touch(0o600)
        (state / "pi.cfg").write_text(self.configuration())
        for made in ("enckey", "audit_keys", "tables"):
            self.run("pi-manage", "setup", f"create_{made}")
        self.run("python", "-m", "measure.privacyidea_store", state / "people.db", str(self.accounts))

    def configuration(self):
        """Its settings. `shared` keeps connections to the store; with `null`, its default, a login took 1.5 times as long."""
        state = self.folder / "state"
        settings = {
            "PI_ENGINE_REGISTRY_CLASS": "shared",
            "PI_LOGLEVEL": "ERROR",
            "PI_LOGFILE": f"{self.folder}/privacyidea.log",
            "PI_UUID_FILE": f"{state}/uuid",
            "PI_ENCFILE": f"{state}/enckey",
            "PI_AUDIT_KEY_PRIVATE": f"{state}/private.pem",
            "PI_AUDIT_KEY_PUBLIC": f"{state}/public.pem",
            "PI_PEPPER": secrets.token_hex(),
            "SECRET_KEY": secrets.token_hex(),
            "SQLALCHEMY_DATABASE_URI": f"sqlite:///{self.database()}",
            "SUPERUSER_REALM": [],
        }
        return "".join(f"{name} = {value!r}\n" for name, value in settings.items())

    def environment(self):
        place = {"PRIVACYIDEA_CONFIGFILE": str(self.folder / "state/pi.cfg"), "PI_CONFIG_NAME": "production"}
        return super().environment() | place

    def run(self, program, *arguments):
        """Runs one of its programs, or its Python."""
        command = [self.python / "bin" / program, *arguments]
        with open(self.folder / "log", "ab") as log:
            subprocess.run(command, check=True, env=os.environ | self.environment(), stdout=log, stderr=log, timeout=600)

    def options(self):
        return {"app": "https://localhost", "origin": "https://localhost", "protocol": "privacyidea"}
