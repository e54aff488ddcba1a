"""privacyIDEA with a separate realm, whose people register their keys themselves. Its policies are read from
docs/webauthn-servers.md."""

import json
import secrets
import sqlite3

from webauthn import document
from webauthn.channel import Channel
from webauthn.dialects import Dialect, Enrolment
from webauthn.dialects.privacyidea import Passkey, WebauthnToken
from webauthn.rigs import BUILT, CERTIFICATES, NAME, PythonParty

REALM, RESOLVER, ADMINISTRATOR = "people", "people", "admin"
LOGINS = "SELECT count(*) FROM pidea_audit WHERE user = ? AND action LIKE '%/validate/check%' AND authentication = 'ACCEPT'"


class PrivacyIDEA(PythonParty):
    """With passkeys."""

    name = "privacyidea"
    dialect: type[Dialect] = Passkey
    python = "privacyidea"
    application = ("--factory", "privacyidea.app:create_app")

    def prepare(self):
        self._password = secrets.token_urlsafe()
        settings = {
            "PI_LOGLEVEL": "WARNING",
            "PI_LOGFILE": f"{self.folder}/privacyidea.log",
            "PI_UUID_FILE": f"{self.folder}/uuid",
            "PI_ENCFILE": f"{self.folder}/enckey",
            "PI_AUDIT_KEY_PRIVATE": f"{self.folder}/private.pem",
            "PI_AUDIT_KEY_PUBLIC": f"{self.folder}/public.pem",
            "PI_PEPPER": secrets.token_hex(),
            "SECRET_KEY": secrets.token_hex(),
            "SQLALCHEMY_DATABASE_URI": f"sqlite:///{self.folder}/tokens.db",
            "SUPERUSER_REALM": [],
        }
        text = "".join(f"{name} = {value!r}\n" for name, value in settings.items())
        (self.folder / "pi.cfg").write_text(text)
        for made in ("enckey", "audit_keys", "tables"):
            self._manage("setup", f"create_{made}")
        self._manage("admin", "add", "--password", self._password, ADMINISTRATOR)
        with sqlite3.connect(self.folder / "people.db") as database:
            database.execute("CREATE TABLE people (id INTEGER PRIMARY KEY, username TEXT NOT NULL UNIQUE, password TEXT)")

    def _manage(self, *arguments):
        self.run(BUILT / self.python / "bin/pi-manage", *arguments)

    def environment(self):
        return {"PYTHONPATH": "", "PRIVACYIDEA_CONFIGFILE": f"{self.folder}/pi.cfg", "PI_CONFIG_NAME": "production"}

    def start(self):
        super().start()
        channel = Channel(NAME, self.port, CERTIFICATES / "ca.pem")
        answer = channel.post("/auth", {"username": ADMINISTRATOR, "password": self._password})
        channel.headers["Authorization"] = answer.json["result"]["value"]["token"]
        self._administrator = channel
        resolver = {
            "type": "sqlresolver",
            "Driver": "sqlite",
            "Server": "",
            "Database": f"{self.folder}/people.db",
            "Table": "people",
            "Map": json.dumps({"userid": "id", "username": "username", "password": "password"}),
            "Editable": True,
            "Password_Hash_Type": "SSHA512",
        }
        self.administer(f"/resolver/{RESOLVER}", resolver)
        self.administer(f"/realm/{REALM}", {"resolvers": RESOLVER})
        self.administer(f"/defaultrealm/{REALM}", {})
        for policy in json.loads(document.block("privacyIDEA", "json")):
            self.administer(f"/policy/{policy['name']}", {"scope": policy["scope"], "action": policy["action"], "active": True})

    def administer(self, path, members):
        """A request of the administrator; returns its value."""
        answer = self._administrator.post(path, members)
        if answer.status != 200 or not answer.json["result"]["status"]:
            raise RuntimeError(f"{self.name}: {path}: {answer}")
        return answer.json["result"]["value"]

    def enrol(self, account):
        """Makes an account with a password, with which the person signs in to register a key."""
        password = secrets.token_urlsafe(16)
        self.administer("/user/", {"resolver": RESOLVER, "user": account, "password": password})
        return Enrolment(password)

    def accepted(self, what, account):
        if what == "login":
            with sqlite3.connect(self.folder / "tokens.db") as database:
                return database.execute(LOGINS, (account,)).fetchone()[0]
        answer = self._administrator.get(f"/token/?user={account}&realm={REALM}&rollout_state=enrolled")
        return answer.json["result"]["value"]["count"]


class PrivacyIDEAToken(PrivacyIDEA):
    """With tokens of type `webauthn`."""

    name = "privacyidea-token"
    beside = PrivacyIDEA.name
    dialect = WebauthnToken
