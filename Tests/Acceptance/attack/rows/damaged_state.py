"""The file of an account is truncated, changed, edited, or of a different version."""

import sqlite3
import time

from attack import faults
from lab import hosts
from lab.table import must, row

GUESSED = 2  # wrong guesses recorded in the file
LIMIT = 5
# The results of an account that was never registered. A damaged file must not lead to them, or an attacker could erase a
# registration.
FRESH = (hosts.USER_UNKNOWN, hosts.CRED_UNAVAIL, hosts.IGNORE)


def edits():
    """What an attacker with the file, but without the key, could write into its rows: name and SQL."""
    kinds = ("identity", "tombstone", "authenticator", "ledger", "key", "lastAnswer")
    yield from ((f"{kind} removed", f"DELETE FROM record WHERE kind = CAST('{kind}' AS BLOB)") for kind in kinds)
    for kind in kinds:
        where = f"WHERE kind = CAST('{kind}' AS BLOB)"
        yield f"{kind} emptied", f"UPDATE record SET body = x'' {where}"
        yield f"{kind} zeroed", f"UPDATE record SET body = zeroblob(length(body)) {where}"
        yield f"{kind} longer", f"UPDATE record SET body = CAST(body || x'00' AS BLOB) {where}"
        yield f"mark of {kind} zeroed", f"UPDATE record SET mac = zeroblob(32) {where}"
        yield f"mark of {kind} emptied", f"UPDATE record SET mac = x'' {where}"
    yield "ledger under another name", "UPDATE record SET name = x'78' WHERE kind = CAST('ledger' AS BLOB)"
    yield "every record removed", "DELETE FROM record"
    yield "no table", "DROP TABLE record"
    yield "a view for a table", "ALTER TABLE record RENAME TO kept; CREATE VIEW record AS SELECT * FROM kept"
    yield (
        "a trigger that undoes what is counted",
        (
            "CREATE TABLE kept AS SELECT * FROM record; CREATE TRIGGER undo AFTER UPDATE ON record BEGIN "
            "UPDATE record SET body = (SELECT body FROM kept WHERE kept.kind = NEW.kind), "
            "mac = (SELECT mac FROM kept WHERE kept.kind = NEW.kind) WHERE kind = NEW.kind; END"
        ),
    )
    for version in (0, 2, 99, -1):
        yield f"schema {version}", f"PRAGMA user_version = {version}"
    yield "WAL mode", "PRAGMA journal_mode = WAL"


def write_edit(path, sql):
    database = sqlite3.connect(path, isolation_level=None)
    try:
        database.executescript(sql)
    finally:
        database.close()


def damages(lab, size):
    """Ways to damage the file: for each, a name, and a function that gets path and content."""

    def cut(length):
        return lambda path, content: path.write_bytes(content[:length])

    def flip(place, bit):
        def change(path, content):
            path.write_bytes(content[:place] + bytes([content[place] ^ 1 << bit]) + content[place + 1 :])

        return change

    lengths = range(size) if lab.thorough else [*range(0, 120, 17), *range(511, size, 2731)]
    # Not a divisor of the page size, so that a sample hits each kind of position.
    places = range(size) if lab.thorough else [*range(0, 128, 3), *range(128, size, 601)]
    yield from ((f"cut at {length}", cut(length)) for length in lengths[:: 16 if lab.thorough else 1])
    yield from ((f"bit {place % 8} of byte {place}", flip(place, place % 8)) for place in places)
    for name, sql in edits():
        yield name, lambda path, content, sql=sql: (path.write_bytes(content), write_edit(path, sql))


def is_logged(lab, mark, person):
    """Waits until a person's login is in the log with a reason; returns whether it is."""
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        for line in lab.log.since(mark):
            if "event=authenticate" in line and f"account={person.name} " in line and "detail=" in line:
                return True
        time.sleep(0.005)
    return False


def suffer(lab, content, person, case):
    """Damages the file, makes a wrong guess and returns its result. Restores the file afterwards."""
    name, damage = case
    journal = person.state.with_name(person.state.name + "-journal")
    kept = journal.read_bytes()
    damage(person.state, content)
    mark = lab.log.mark()
    login = lab.login(person, "wrong-guess")
    must(not login.is_in and login.code not in FRESH, f"{name}: a wrong value ends with {login}")
    is_told = login.code == hosts.AUTH_ERR
    must(not is_told or f"{LIMIT - GUESSED - 1} tries left" in login.text, f"{name}: the count does not stand: {login}")
    must(is_logged(lab, mark, person), f"{name}: not logged: {lab.log.since(mark)}")
    if is_told:
        # Nothing depends on the changed byte, so this guess is counted too.
        left = lab.status(person)["authenticators"][0]["remainingTries"]
        must(left == LIMIT - GUESSED - 1, f"{name}: {left} tries are left afterwards")
    for extra in person.state.parent.glob(f"{person.state.name}-*"):
        extra.unlink()
    journal.write_bytes(kept)
    journal.chmod(0o600)
    person.state.write_bytes(content)
    return "counted" if is_told else "locked" if login.code == hosts.MAXTRIES else "unusable"


@row(
    "A9",
    "an account's file cut, each byte changed, rows edited, removed, undone by a trigger; another schema",
    "refused as locked or unusable, and logged; the count stays; never treated as a new account, never ignored",
    causes=("root", "the machine"),
)
def damaged(lab):
    lab.stack("uaf", "auth required pam_uaf.so nouserok", "account required pam_permit.so")
    # So that the server's last answer is stored, too.
    lab.configure(more='[general]\noffline = "allow"\noffline_max_age = 3600')
    people = [lab.person() for _ in range(faults.WORKERS)]
    contents = {}
    for person in people:
        must(lab.login(person, person.passcode).is_in, "the right value is refused")
        lab.guesses(person, GUESSED)
        contents[person.name] = person.state.read_bytes()
    cases = list(damages(lab, min(len(content) for content in contents.values())))
    ends = faults.everywhere(lab, cases, lambda person, case: suffer(lab, contents[person.name], person, case), people)
    for person in people:
        must(lab.login(person, person.passcode).is_in, "with the file as it was, the right value is refused")
    return (
        f"{len(ends)} damages: {ends.count('locked')} locked for good, {ends.count('unusable')} refused as unusable, "
        f"{ends.count('counted')} in bytes nothing depends on, and counted as ever"
    )
