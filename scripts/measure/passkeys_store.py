"""The table of `measure.passkeys`, and keys as WebAuthn has them."""

import sqlite3

SCHEMA = """CREATE TABLE credential (id BLOB PRIMARY KEY NOT NULL, username TEXT NOT NULL, key BLOB NOT NULL,
  counter INTEGER NOT NULL) STRICT, WITHOUT ROWID"""


def cose(point):
    """A P-256 key in WebAuthn's form (RFC 9053): kty EC2, ES256, the curve, X and Y."""
    return bytes.fromhex("a5010203262001215820") + point[1:33] + bytes.fromhex("225820") + point[33:]


def fill(path, rows):
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute(SCHEMA)
        database.execute("CREATE INDEX credentialByAccount ON credential (username)")
        database.executemany(
            "INSERT INTO credential VALUES (?, ?, ?, 0)", ((key_id, name, cose(key)) for name, _, key_id, key in rows)
        )
    database.close()
