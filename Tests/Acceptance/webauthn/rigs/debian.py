"""The parties that Debian has: glewlwyd, and small ones by a library in Go and one in Perl."""

import json
import pathlib
import secrets
import sqlite3

from webauthn import document
from webauthn.channel import Channel
from webauthn.dialects import Enrolment
from webauthn.dialects.conformance import Conformance
from webauthn.dialects.glewlwyd import Glewlwyd as GlewlwydDialect
from webauthn.rigs import BUILT, CERTIFICATES, NAME, Party
from webauthn.rigs.small import Small

# Unpacked into the machine of the rows.
PERL = pathlib.Path("/usr/share/perl5/Authen/WebAuthn.pm")


class Go(Small):
    """golang-github-duo-labs-webauthn-dev. scripts/webauthn.sh compiles it."""

    name = "go"
    slow = True
    dialect = Conformance

    @classmethod
    def available(cls):
        return (BUILT / "go-party").exists()

    def command(self):
        return [BUILT / "go-party"]

    def environment(self):
        files = {"CERTIFICATE": str(CERTIFICATES / "leaf.pem"), "KEY": str(CERTIFICATES / "leaf.key")}
        return super().environment() | files | {"LISTEN": f"127.0.0.1:{self.port}"}


class Perl(Small):
    """libauthen-webauthn-perl, called by a new process for each request."""

    name = "perl"
    slow = True
    application = ("by_perl:application",)

    @classmethod
    def available(cls):
        return super().available() and PERL.exists()


GLEWLWYD, TABLES = pathlib.Path("/usr/bin/glewlwyd"), pathlib.Path("/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3")
# The administrator's password in a new database.
FIRST_PASSWORD = "password"


class Glewlwyd(Party):
    """glewlwyd from its package, which is unpacked but not installed. Its configuration and its scheme are in the document."""

    name = "glewlwyd"
    dialect = GlewlwydDialect

    @classmethod
    def available(cls):
        return GLEWLWYD.exists()

    def prepare(self):
        self._database = self.folder / "glewlwyd.db"
        with sqlite3.connect(self._database) as database:
            database.executescript(TABLES.read_text())
        text = document.block("glewlwyd", "")
        for was, now in {
            "port = 8443": f"port = {self.port}",
            "/etc/glewlwyd/certificate.pem": CERTIFICATES / "leaf.pem",
            "/etc/glewlwyd/key.pem": CERTIFICATES / "leaf.key",
            "/var/lib/glewlwyd/glewlwyd.db": self._database,
        }.items():
            text = text.replace(was, str(now))
        (self.folder / "glewlwyd.conf").write_text(text)

    def command(self):
        return [GLEWLWYD, f"--config-file={self.folder}/glewlwyd.conf"]

    def start(self):
        super().start()
        self._administrator = Channel(NAME, self.port, CERTIFICATES / "ca.pem")
        self._ask("/api/auth/", {"username": "admin", "password": FIRST_PASSWORD})
        scheme, scope = map(json.loads, document.blocks("glewlwyd", "json"))
        self._ask("/api/mod/scheme/", scheme)
        self._ask("/api/scope/", scope)

    def _ask(self, path, members):
        answer = self._administrator.post(path, members)
        if answer.status != 200:
            raise RuntimeError(f"{self.name}: {path}: {answer}")

    def enrol(self, account):
        """Makes an account with a password, with which the person signs in to register a key."""
        password = secrets.token_urlsafe(16)
        self._ask("/api/user/", {"username": account, "password": password, "scope": ["g_profile", "pam"]})
        return Enrolment(password)

    def accepted(self, what, account):
        table, status = {"key": ("credential", "gswc_status"), "login": ("assertion", "gswa_status")}[what]
        asked = f"SELECT count(*) FROM gs_webauthn_{table} JOIN gs_webauthn_user USING (gswu_id)"
        with sqlite3.connect(self._database) as database:
            return database.execute(f"{asked} WHERE {status} = 1 AND gswu_username = ?", (account,)).fetchone()[0]
