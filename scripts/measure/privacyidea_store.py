"""Fills privacyIDEA's store, by its own functions and tables. Its Python runs this, with the file for its people and their
number.
"""

import hashlib
import json
import sqlite3
import sys

from privacyidea.app import create_app
from privacyidea.lib.policy import set_policy
from privacyidea.lib.realm import set_default_realm, set_realm
from privacyidea.lib.resolver import save_resolver
from privacyidea.models import Realm, Token, TokenCredentialIdHash, TokenInfo, TokenOwner, TokenRealm, db
from sqlalchemy import insert, select, text
from webauthn.helpers import bytes_to_base64url

from measure import passkeys_store, server, store

RELYING_PARTY, REALM, RESOLVER = "localhost", "bench", "people"


def fill_people(path, names):
    """The table that the resolver reads."""
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("CREATE TABLE people (id INTEGER PRIMARY KEY, username TEXT NOT NULL UNIQUE)")
        database.executemany("INSERT INTO people VALUES (?, ?)", enumerate(names, 1))
    database.close()


def configure(path):
    """One realm with these people, and what its passkeys need; returns the realm's number."""
    save_resolver({
        "resolver": RESOLVER, "type": "sqlresolver", "Driver": "sqlite", "Server": "", "Database": path, "Table": "people",
        "Map": json.dumps({"userid": "id", "username": "username"}),
    })  # fmt: skip
    set_realm(REALM, [{"name": RESOLVER}])
    set_default_realm(REALM)
    named = f"webauthn_relying_party_id={RELYING_PARTY}, webauthn_relying_party_name={RELYING_PARTY}"
    set_policy("passkeys", scope="enrollment", action=named)
    set_policy("verified", scope="authentication", action="webauthn_user_verification_requirement=required")
    return db.session.scalar(select(Realm.id).where(Realm.name == REALM))


def details(key_id, key):
    """What privacyIDEA notes of a passkey that was registered."""
    return {
        "relying_party_id": RELYING_PARTY,
        "relying_party_name": RELYING_PARTY,
        "device_type": "single_device",
        "backed_up": "False",
        "public_key": bytes_to_base64url(passkeys_store.cose(key)),
        "aaguid": "00000000-0000-0000-0000-000000000000",
        "sign_count": "0",
        "credential_id_hash": hashlib.sha256(key_id).hexdigest(),
    }


def fill(rows, realm):
    """One passkey for each row."""
    tables = {kind: [] for kind in (TokenInfo, TokenCredentialIdHash, TokenOwner, TokenRealm)}
    for number, (_, _, key_id, key) in enumerate(rows, 1):
        noted = details(key_id, key)
        token = Token(f"PIPK{number:08d}", tokentype="passkey", otpkey=bytes_to_base64url(key_id), rollout_state="enrolled")
        token.id = number
        db.session.add(token)
        tables[TokenInfo] += [{"token_id": number, "Key": name, "Value": value} for name, value in noted.items()]
        tables[TokenCredentialIdHash].append({"token_id": number, "credential_id_hash": noted["credential_id_hash"]})
        tables[TokenOwner].append({"token_id": number, "user_id": str(number), "resolver": RESOLVER, "realm_id": realm})
        tables[TokenRealm].append({"token_id": number, "realm_id": realm})
    db.session.flush()
    for kind, values in tables.items():
        db.session.execute(insert(kind), values)
    db.session.commit()


def main():
    path, accounts = sys.argv[1], int(sys.argv[2])
    rows = list(store.rows(accounts, server.keys(accounts), 1))
    fill_people(path, (name for name, *_ in rows))
    with create_app(config_name="production", silent=True).app_context():
        db.session.execute(text("PRAGMA journal_mode = WAL"))
        fill(rows, configure(path))


main()
