"""Anonymous clients that try to fill the server's disk."""

import http.client
import json
import pathlib
import sqlite3
import ssl

from lab import forger
from lab.table import must, row

# A separate server: data of other rows would expire during the row, and deleting it is a write.
STORE, PORT = pathlib.Path("/srv/flooded"), 8557
AUTHORITY = pathlib.Path("/etc/ssl/uaf-ca.pem")
TABLES = ("account", "credential", "openRegistration", "usedChallenge", "confirmation", "approval", "usedProof", "wrongAnswer")


def store_bytes():
    """The size of every file of the store, with its log."""
    return {path.name: path.stat().st_size for path in STORE.glob("server.db*")}


def rows():
    """The number of rows of each table."""
    with sqlite3.connect(f"file:{STORE}/server.db?mode=ro", uri=True, timeout=10) as database:
        return {table: database.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in TABLES}


def somebody(lab):
    """A person with a passcode at that server, which the machine uses until the row ends."""
    trusted = AUTHORITY.read_bytes()
    server = lab.start_server(STORE, PORT)
    lab.after(lambda: AUTHORITY.write_bytes(trusted))
    lab.after(lambda: lab.stop(server))
    lab.configure(port=PORT)
    person = lab.person(registered=False)
    code = lab.payload(person, STORE)
    lab.run("uafctl", "register", person.name, "--payload", code, answers=f"{person.passcode}\n{person.passcode}\n")
    return person


@row(
    "A70",
    "endless requests for logins, for a known name and for made-up names, with texts to be confirmed",
    "the server's store does not grow by a byte or a row; the person still logs in",
    causes=("somebody remote",),
)
def fill_the_store(lab):
    person = somebody(lab)
    must(lab.login(person, person.passcode).is_in, "not let in before")
    count = 100_000 if lab.thorough else 2_000
    connection = http.client.HTTPSConnection("127.0.0.1", PORT, timeout=30, context=ssl._create_unverified_context())
    sizes, before = store_bytes(), rows()
    for number in range(count):
        # A known name has a limit of 120 a minute; each unknown name is asked for once.
        context = {"username": person.name if number < 100 else f"nobody{number}"}
        if number % 3 == 0:
            context["transaction"] = "x" * 2000
        body = json.dumps({"op": "Auth", "context": json.dumps(context)})
        status = forger.ask("/uaf/get", body, connection=connection)[0]
        must(status == 200, f"request {number}: HTTP {status}")
    connection.close()
    after = rows()
    # A thorough run takes longer than the server keeps the challenge of the login above.
    forgot = lab.thorough and after["usedChallenge"] < before["usedChallenge"]
    must(after == before or forgot, f"rows before {before}, after {after}")
    must(store_bytes() == sizes or forgot, f"bytes before {sizes}, after {store_bytes()}")
    must(lab.login(person, person.passcode).is_in, "not let in afterwards")
    return f"{count} requests: not a row and not a byte more in the store; the person is in afterwards"
