"""Stores with many accounts, filled in the quickest way: rows in the tables that the server has made itself."""

import hashlib
import sqlite3
import time
from pathlib import Path

AAID = "5541#0001"
# The most accounts that log in.
MOST = 10_000

_CREDENTIAL = """INSERT INTO credential (username, appID, aaid, keyID, publicKey, signatureAlgorithm, authenticatorVersion,
  signCounter, regCounter, deviceID, registeredAt) VALUES (?, ?, ?, ?, ?, 1, 1, 0, 1, ?, ?)"""


def stride(accounts):
    """Every how many accounts one logs in: they lie all over the store."""
    return max(1, accounts // MOST)


def rows(accounts, own, each):
    """name, number of the key, KeyID and public key of every credential.

    Accounts that log in have a key of their own (`own`), and the others share the first one's. With `each` more than 1 an account
    has further keys, which nobody uses.
    """
    shared = next(iter(own.values()))[1]
    for number in range(accounts):
        name = f"person{number:07d}"
        for index in range(each):
            if index == 0 and name in own:
                yield name, index, *own[name]
            else:
                yield name, index, hashlib.sha256(f"{name} {index}".encode()).digest(), shared


def fill_sqlite(path: Path, app_id, accounts, own, each=1):
    """Fills the file of a server that does not run."""
    now = int(time.time())
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA synchronous = OFF")
        database.executemany(
            "INSERT INTO account (username, createdAt) VALUES (?, ?)",
            ((f"person{number:07d}", now) for number in range(accounts)),
        )
        database.executemany(
            _CREDENTIAL,
            (
                (name, app_id, AAID, key_id, key, f"machine {index}", now)
                for name, index, key_id, key in rows(accounts, own, each)
            ),
        )
        database.commit()
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
