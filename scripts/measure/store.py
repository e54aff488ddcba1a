"""Stores with many accounts, filled in the quickest way: rows in the tables that the server has made itself."""

import hashlib
import sqlite3
import struct
import time
from pathlib import Path

from measure import cluster, people

AAID = "5541#0001"
# The most accounts that log in.
MOST = 10_000

_ACCOUNT = ("username", "createdAt")
_PERSON = ("displayName", "mail", "department")
_GRAM = ("gram", "block", "members")
_CREDENTIAL = (
    "username", "appID", "aaid", "keyID", "publicKey", "signatureAlgorithm", "authenticatorVersion", "signCounter",
    "regCounter", "deviceID", "registeredAt",
)  # fmt: skip
_DEVICE = ("deviceName", "deviceModel", "deviceOS")
_AUDIT = (
    "number", "time", "kind", "outcome", "account", "actor", "address", "machine", "authenticators", "detail", "hash",
)  # fmt: skip
# One row in this many is a policy, a refusal, a registration. All others are logins.
_POLICIES, _REFUSALS, _REGISTRATIONS = 1_000_000, 2_000, 100
# Seconds that the rows of the audit spread over.
AUDITED = 30 * 86_400
_USED = ("hash", "expiresAt")
# Seconds until the first used challenge that is inserted may be forgotten, and how many expire in each second.
_USED_FOR, _USED_AT_ONCE = 7200, 1000


def stride(accounts):
    """The distance between two accounts that log in: they are spread over the whole store."""
    return max(1, accounts // MOST)


def rows(accounts, own, each):
    """name, number of the key, KeyID and public key of every credential.

    Accounts that log in have their own key (`own`), and the others share the first one's. With `each` more than 1 an account
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


def device(number):
    """The id of a machine that several people use."""
    return f"desk{number:06d}"


def described_device(number):
    """Name, model and system of such a machine."""
    return f"desk-{number}", "x86_64", "Linux 6.1"


def tables(app_id, accounts, own, each, *, described=False, machines=0):
    """The rows of every table that has some, with its columns; with `described`, each account says who its person is.

    With `machines` the people's keys are on so many machines; otherwise each key is on its own.
    """
    now = int(time.time())
    names = ((f"person{number:07d}", now) for number in range(accounts))
    if described:
        yield "account", _ACCOUNT + _PERSON, ((*name, *people.person(number)) for number, name in enumerate(names))
        texts = ((number + 1, (f"person{number:07d}", *people.person(number))) for number in range(accounts))
        yield "accountGram", _GRAM, people.index(texts)
    else:
        yield "account", _ACCOUNT, names
    keys = rows(accounts, own, each)
    if machines:
        shared = (
            (name, app_id, AAID, key_id, key, 1, 1, 0, 1, device(place % machines), now, *described_device(place % machines))
            for place, (name, _, key_id, key) in enumerate(keys)
        )
        yield "credential", _CREDENTIAL + _DEVICE, shared
    else:
        own_devices = ((name, app_id, AAID, key_id, key, 1, 1, 0, 1, f"{name}-{index}", now) for name, index, key_id, key in keys)
        yield "credential", _CREDENTIAL, own_devices


def add_sqlite(path: Path, tables):
    """Adds the rows of tables to the file of a server that does not run."""
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA synchronous = OFF")
        for table, columns, values in tables:
            places = ", ".join("?" for _ in columns)
            database.executemany(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({places})", values)
        database.commit()
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()


def add_postgresql(url, tables):
    """Adds the rows of tables to the database of a server that does not run."""
    with cluster.Connection(url) as connection:
        for table, columns, values in tables:
            connection.copy(f"uaf.{table}", columns, values)
        connection.execute("VACUUM ANALYZE")


def fill_sqlite(path: Path, app_id, accounts, own, each=1, **shape):
    """Fills the file of a server that does not run; `shape` is that of `tables`."""
    add_sqlite(path, tables(app_id, accounts, own, each, **shape))


def fill_postgresql(url, app_id, accounts, own, each=1, **shape):
    """Fills the database of a server that does not run; `shape` is that of `tables`."""
    add_postgresql(url, tables(app_id, accounts, own, each, **shape))


def audit(count, accounts):
    """Rows of the audit with their chain, the oldest first: logins, and few of anything else."""
    end, previous = int(time.time()), bytes(32)
    for number in range(1, count + 1):
        person = number * 7919 % accounts
        kind = "registration" if number % _REGISTRATIONS == 0 else "login"
        kind = "policy" if number % _POLICIES == 0 else kind
        outcome = "wrongSignature" if number % _REFUSALS == 1 else "ok"
        texts = (
            kind, outcome, f"person{person:07d}", "person", "192.0.2.7", f"person{person:07d}-0",
            f"{AAID} c2l4dHkgZm91ciBieXRlcyBvZiBhIGtleQ 7", "",
        )  # fmt: skip
        at = end - AUDITED + number * AUDITED // count
        body = b"\1" + struct.pack(">q", at) + b"".join(struct.pack(">I", len(text)) + text.encode() for text in texts)
        previous = hashlib.sha256(previous + struct.pack(">q", number) + body).digest()
        yield (number, at, *texts, previous)


def audit_sqlite(path: Path, rows):
    """Replaces the audit of a stopped server by rows."""
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA synchronous = OFF")
        database.execute("DELETE FROM audit")
        database.execute("DELETE FROM auditHead")
        places = ", ".join("?" for _ in _AUDIT)
        database.executemany(f"INSERT INTO audit ({', '.join(_AUDIT)}) VALUES ({places})", rows)
        database.commit()
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()


def audit_postgresql(url, rows):
    """Replaces the audit of a stopped server by rows."""
    end = {"number": "0", "hash": ""}

    def noted():
        for row in rows:
            end.update(number=str(row[0]), hash=row[-1].hex())
            yield row

    with cluster.Connection(url) as connection:
        connection.execute("SET search_path = uaf")
        connection.execute("DELETE FROM audit")
        connection.execute("DELETE FROM auditHead")
        connection.copy("audit", _AUDIT, noted())
        connection.execute("UPDATE auditEnd SET number = {number}, hash = decode('{hash}', 'hex')".format(**end))
        connection.execute("VACUUM ANALYZE")


def used(count):
    """The used challenges that this many logins leave; none of them expires during the measurement."""
    first = int(time.time()) + _USED_FOR
    for number in range(count):
        yield hashlib.sha256(str(number).encode()).digest(), first + number // _USED_AT_ONCE


def use_sqlite(path: Path, rows):
    """Adds used challenges to the file of a server that does not run."""
    add_sqlite(path, [("usedChallenge", _USED, rows)])


def use_postgresql(url, rows):
    """Adds used challenges to the database of a server that does not run."""
    add_postgresql(url, [("usedChallenge", _USED, rows)])
