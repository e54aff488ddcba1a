"""Stores with many accounts, filled in the quickest way: rows in the tables that the server has made itself."""

import hashlib
import sqlite3
import time
from pathlib import Path

from measure import cluster

AAID = "5541#0001"
# The most accounts that log in.
MOST = 10_000

_ACCOUNT = ("username", "createdAt")
_CREDENTIAL = (
    "username", "appID", "aaid", "keyID", "publicKey", "signatureAlgorithm", "authenticatorVersion", "signCounter",
    "regCounter", "deviceID", "registeredAt",
)  # fmt: skip


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


def tables(app_id, accounts, own, each):
    """The rows of every table that has some, with its columns."""
    now = int(time.time())
    yield "account", _ACCOUNT, ((f"person{number:07d}", now) for number in range(accounts))
    credentials = (
        (name, app_id, AAID, key_id, key, 1, 1, 0, 1, f"machine {index}", now)
        for name, index, key_id, key in rows(accounts, own, each)
    )
    yield "credential", _CREDENTIAL, credentials


def fill_sqlite(path: Path, app_id, accounts, own, each=1):
    """Fills the file of a server that does not run."""
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA synchronous = OFF")
        for table, columns, values in tables(app_id, accounts, own, each):
            places = ", ".join("?" for _ in columns)
            database.executemany(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({places})", values)
        database.commit()
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()


def fill_postgresql(url, app_id, accounts, own, each=1):
    """Fills the database of a server that does not run."""
    with cluster.Connection(url) as connection:
        for table, columns, values in tables(app_id, accounts, own, each):
            connection.copy(f"uaf.{table}", columns, values)
        connection.execute("VACUUM ANALYZE")
