"""Whether the number and models of the keys that a server asks for reveal which names it knows."""

import collections
import contextlib
import os
import pathlib
import sqlite3

from attack.recorder import request
from attack.rows.enumeration import shape
from lab.table import Broken, must, row
from lab.waiting import until

FOLDER, PORT = "/srv/uaf-shapes", 8459
PASSCODE, PATTERN = "5541#0001", "5541#0002"
# How many accounts have which keys.
ACCOUNTS = {(PASSCODE,): 24, (PASSCODE, PATTERN): 10, (PASSCODE, PASSCODE): 6}
UNKNOWN = 400


def fill(path):
    """Inserts accounts directly into the store; returns their names."""
    names = []
    with sqlite3.connect(path) as store:
        for keys, count in ACCOUNTS.items():
            for _ in range(count):
                names.append(f"hana{len(names):04}")
                store.execute("INSERT INTO account (username, createdAt) VALUES (?, 0)", (names[-1],))
                store.executemany(
                    "INSERT INTO credential (username, appID, aaid, keyID, publicKey, signatureAlgorithm, "
                    "authenticatorVersion, signCounter, regCounter, registeredAt) VALUES (?, ?, ?, ?, ?, 1, 256, 1, 1, 0)",
                    [(names[-1], f"https://127.0.0.1:{PORT}/uaf/facets", key, os.urandom(32), os.urandom(65)) for key in keys],
                )
    store.close()
    return names


def asked(names):
    """The server's request for each name, without the parts that are new in each request."""
    return {name: request({"username": name}, port=PORT) for name in names}


def share(messages):
    """The share of each shape in the messages."""
    counts = collections.Counter(shape(message) for message in messages.values())
    return {kind: count / len(messages) for kind, count in counts.items()}


@row(
    "A56",
    f"{sum(ACCOUNTS.values())} accounts of three shapes, and {UNKNOWN} names that nobody has: asked for by somebody "
    "without a key",
    "the same shapes with about the same shares, the same keys for a name each time and after a restart",
    causes=("somebody remote",),
)
def shapes(lab):
    server = lab.start_server(FOLDER, PORT)
    lab.after(lambda: pathlib.Path("/etc/ssl/uaf-ca.pem").write_bytes(pathlib.Path("/srv/uaf/ca.pem").read_bytes()))
    lab.stop(server)
    real = fill(f"{FOLDER}/server.db")
    unknown = [f"suna{number:04}" for number in range(UNKNOWN)]
    server = lab.start_server(FOLDER, PORT)
    try:
        # A server reads its accounts at startup.
        known = share(asked(real))
        with contextlib.suppress(Broken):
            until(lambda: len(share(asked(unknown[:50]))) > 1, "made-up keys of more than one shape", 10)
        first = asked(unknown)
        made_up = share(first)
    finally:
        lab.stop(server)
    told = [kind for kind in known if kind not in made_up]
    with_them = sum(known[kind] for kind in told)
    must(not told, f"{with_them:.0%} of the accounts have {len(told)} shapes that no unknown name has")
    apart = max(abs(known[kind] - made_up.get(kind, 0)) for kind in known)
    must(apart < 0.15, f"shares of shapes are {apart:.2f} apart: {known} and {made_up}")
    must(set(made_up) <= set(known), "unknown names have shapes that no account has")
    server = lab.start_server(FOLDER, PORT)
    again = asked(unknown[:100])
    lab.stop(server)
    changed = [name for name in again if again[name]["policy"] != first[name]["policy"]]
    must(not changed, f"after a restart {len(changed)} of {len(again)} names are asked for other keys")
    return (
        f"{len(known)} shapes each, shares at most {apart:.2f} apart ({len(real)} accounts, {len(unknown)} names); after a "
        f"restart the same keys for {len(again)} of {len(again)} names"
    )
