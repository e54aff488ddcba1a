"""Applications with Flask-Security: one with its defaults, one with the document's class for the relying party."""

import secrets
import sqlite3

from webauthn import document
from webauthn.dialects import Enrolment
from webauthn.dialects.flask_security import DOMAIN, FlaskSecurity
from webauthn.rigs import BUILT, NAME, ORIGIN, PARTIES, PythonParty, lines

SECTION = "Flask-Security"
KEYS = "SELECT count(*) FROM web_authn JOIN user ON user.id = web_authn.user_id WHERE email = ?"
# What only the tests need: no name server says where mail to these people goes.
MORE = """
SECURITY_EMAIL_VALIDATOR_ARGS = {"check_deliverability": False}
"""


class FlaskDefaults(PythonParty):
    """With the settings of the document alone."""

    name = "flask-security"
    dialect = FlaskSecurity
    python = "flask"
    application = ("flask_security_application:application",)
    # Appended to the settings.
    more = ""

    def __init__(self, folder, records):
        super().__init__(folder, records)
        # The address of the application, with the port.
        self.origin = f"https://{NAME}:{self.port}"
        self._people: dict[str, Enrolment] = {}

    def prepare(self):
        settings = document.block(SECTION, "python")
        for was in ("a long random text", "another one"):
            if was not in settings:
                raise ValueError(f"the settings do not have '{was}'")
            settings = settings.replace(was, secrets.token_hex())
        settings = settings.replace("/var/lib/site", str(self.folder))
        (self.folder / "settings.py").write_text(settings + MORE + self.more)

    def environment(self):
        return {
            "PYTHONPATH": str(PARTIES),
            "SETTINGS": str(self.folder / "settings.py"),
            "ACCEPTED": str(self.folder / "accepted"),
        }

    def enrol(self, account):
        """Makes an account with a password, with which the person signs in to register a key; once for each account."""
        if account not in self._people:
            password = secrets.token_urlsafe(16)
            flask = [BUILT / self.python / "bin/flask", "--app", "flask_security_application"]
            self.run(*flask, "users", "create", f"{account}@{DOMAIN}", "--password", password, "--active")
            self._people[account] = Enrolment(password)
        return self._people[account]

    def accepted(self, what, account):
        address = f"{account}@{DOMAIN}"
        if what == "login":
            return lines(self.folder / "accepted", what, address)
        with sqlite3.connect(self.folder / "site.db") as database:
            return database.execute(KEYS, (address,)).fetchone()[0]


class FlaskMachines(FlaskDefaults):
    """With the document's class, which accepts the origin of machines and demands user verification, and with CSRFProtect."""

    name = "flask-security-class"

    def __init__(self, folder, records):
        super().__init__(folder, records)
        self.origin = ORIGIN
        self.more = document.blocks(SECTION, "python")[1] + "\nRELYING_PARTY = Machines\n"
