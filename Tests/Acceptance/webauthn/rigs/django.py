"""Django projects with django-otp-webauthn and with django-allauth, made at their start. Their settings are in the document."""

import secrets
import sqlite3

from webauthn import document
from webauthn.dialects import Enrolment
from webauthn.dialects.allauth import Allauth
from webauthn.dialects.django_otp import DjangoOTP
from webauthn.rigs import BUILT, NAME, PARTIES, PythonParty, lines


class Django(PythonParty):
    """A project with settings from a block in the document and from parties/django_common.py."""

    python = "django"
    application = ("django_application:application",)
    # The section of the document, and the module with the addresses.
    section, urls = "", ""
    # Settings that only the tests need.
    more = ""
    # How many keys of an account the database has.
    keys = ""

    def prepare(self):
        self._secret = secrets.token_hex()
        parts = [
            "from django_common import *\n",
            f"ROOT_URLCONF = '{self.urls}'",
            document.block(self.section, "python"),
            self.more,
        ]
        (self.folder / "project.py").write_text("\n".join(parts))
        self.run(BUILT / self.python / "bin/python", "-m", "django", "migrate", "--verbosity", "0")
        self.run(BUILT / self.python / "bin/python", "-m", "django", "check")

    def environment(self):
        return {
            "PYTHONPATH": f"{self.folder}:{PARTIES}",
            "DJANGO_SETTINGS_MODULE": "project",
            "FOLDER": str(self.folder),
            "RP_ID": NAME,
            "SECRET": self._secret,
        }

    def session(self, account, password):
        """The key of a new session of an account, which is made if it is not there."""
        return self.run(BUILT / self.python / "bin/python", PARTIES / "django_person.py", account, password).strip()

    def accepted(self, what, account):
        if what == "login":
            return lines(self.folder / "accepted", what, account)
        with sqlite3.connect(self.folder / "project.db") as database:
            return database.execute(self.keys, (account,)).fetchone()[0]


class DjangoOTPWebauthn(Django):
    name = section = "django-otp-webauthn"
    dialect = DjangoOTP
    urls = "django_otp_urls"
    keys = (
        "SELECT count(*) FROM django_otp_webauthn_webauthncredential JOIN auth_user ON auth_user.id = user_id WHERE username = ?"
    )

    def enrol(self, account):
        """Makes a session like that of a person who has signed in by other means."""
        session = self.session(account, secrets.token_urlsafe(16))
        return Enrolment(session, cookies={"sessionid": session})


class DjangoAllauth(Django):
    name = section = "django-allauth"
    dialect = Allauth
    # Its library accepts only https origins at a host of the relying party.
    origin = f"https://{NAME}"
    urls = "django_allauth_urls"
    # All rows come from one address, which has ten logins a minute.
    more = "ACCOUNT_RATE_LIMITS = MFA_RATE_LIMITS = False"
    keys = (
        "SELECT count(*) FROM mfa_authenticator JOIN auth_user ON auth_user.id = user_id WHERE type = 'webauthn' AND username = ?"
    )

    def enrol(self, account):
        """Makes an account with a password, with which the person signs in to register a key."""
        password = secrets.token_urlsafe(16)
        self.session(account, password)
        return Enrolment(password)
