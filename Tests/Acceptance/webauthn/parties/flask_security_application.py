"""A Flask application with Flask-Security for granian, which notes each login with a key.

Its settings are the file of the variable SETTINGS. If RELYING_PARTY is among them, it is the class for the relying party, and all
addresses are protected against forgery, those of other programs too.
"""

import os
import pathlib

from flask import Flask
from flask_security import Security, SQLAlchemyUserDatastore, WebauthnUtil, user_authenticated
from flask_security.models import fsqla_v3
from flask_sqlalchemy import SQLAlchemy
from flask_wtf import CSRFProtect

application = Flask(__name__)
application.config.from_pyfile(os.environ["SETTINGS"])
database = SQLAlchemy(application)
fsqla_v3.FsModels.set_db_info(database)


class Role(database.Model, fsqla_v3.FsRoleMixin):
    pass


class User(database.Model, fsqla_v3.FsUserMixin):
    pass


class WebAuthn(database.Model, fsqla_v3.FsWebAuthnMixin):
    pass


@user_authenticated.connect_via(application)
def note(_, user, authn_via=None, **__):
    if "webauthn" in (authn_via or ()):
        with pathlib.Path(os.environ["ACCEPTED"]).open("a") as file:
            file.write(f"login {user.email}\n")


relying_party = application.config.get("RELYING_PARTY", WebauthnUtil)
if relying_party is not WebauthnUtil:
    CSRFProtect(application)
Security(application, SQLAlchemyUserDatastore(database, User, Role, WebAuthn), webauthn_util_cls=relying_party)
with application.app_context():
    database.create_all()
