"""Registering, changing and logging in at the same time, and state of a different version."""

import concurrent.futures
import shutil
import sqlite3

from lab import hosts
from lab.table import must, row

LIMIT = 10
ROUNDS = 3
ALL_ROUNDS = 20
PER_ROUND = 4
# Texts in the log that would show damaged or mixed-up state: calls at the same time must not cause any of them.
TORN = ("damaged", "SQLite error 11", "SQLite error 26", "SQLite error 1:", "a different account")


def change(lab, person, old, new):
    return lab.run("uafctl", "change", person.name, answers=f"{old}\n{new}\n{new}\n", check=False)


def register_anew(lab, person, payload, value):
    return lab.run("uafctl", "register", person.name, "--payload", payload, answers=f"{value}\n{value}\n", check=False)


def all_at_once(lab, person, value, number):
    """Runs right and wrong logins, changes and a registration by code at the same time; returns the value that is valid
    afterwards, and counts."""
    new = [f"changed-{number}-{place}-value" for place in range(PER_ROUND)]
    payload, anew = lab.payload(person), f"anew-{number}-value"
    with concurrent.futures.ThreadPoolExecutor(4 * PER_ROUND) as pool:
        changes = [pool.submit(change, lab, person, value, entry) for entry in new]
        logins = [pool.submit(lab.login, person, value) for _ in range(PER_ROUND)]
        wrong = [pool.submit(lab.login, person, f"wrong-guess-{place}") for place in range(PER_ROUND)]
        registered = pool.submit(register_anew, lab, person, payload, anew)
    must(not any(login.result().is_in for login in wrong), "a wrong value got in")
    done = [entry for entry, call in zip(new, changes) if call.result().returncode == 0]
    must(len(done) <= 1, f"of changes of one value {len(done)} were done: {done}")
    # A code replaces any value; no change of the old value can follow it.
    is_anew = registered.result().returncode == 0
    good = anew if is_anew else done[0] if done else value
    lab.run("uafctl", "unlock", person.name)
    values = {value, anew, *new}
    opening = {entry for entry in values if lab.login(person, entry).is_in}
    lab.run("uafctl", "unlock", person.name)
    must(opening == {good}, f"{good} was set, and {opening} let in")
    return good, len(done), sum(login.result().is_in for login in logins), registered.result().returncode


@row(
    "A32",
    "registering, changing and logging in at the same time; state of a newer and an older schema",
    "at most one change, one value works afterwards, nothing is left half done; another schema is refused by its "
    "number, and never treated as new",
    causes=("the person",),
)
def at_once(lab):
    lab.configure(lock=f"retry_count_to_lock = {LIMIT}\nlock_time = 300")
    mark = lab.log.mark()
    changed = entered = 0
    rounds = ALL_ROUNDS if lab.thorough else ROUNDS
    for number in range(rounds):
        person = lab.person()
        _, done, logins, _ = all_at_once(lab, person, person.passcode, number)
        must(done + logins > 0, f"rush {number} kept everybody out")
        changed, entered = changed + done, entered + logins
    torn = [line for line in lab.log.since(mark) if any(text in line for text in TORN)]
    must(not torn, f"torn state: {torn[:2]}")
    first_registrations(lab)
    return (
        f"{rounds} rushes of {3 * PER_ROUND + 1}: {changed} changes, {entered} logins, one good value after each; "
        f"one of {PER_ROUND} first registrations at once was kept; {other_schemas(lab)}"
    )


def first_registrations(lab):
    """Several simultaneous registrations of a person without a value: exactly one of the new values is valid at the end."""
    person = lab.person(registered=False)
    payloads = []
    for place in range(PER_ROUND):
        payload = lab.payload(person) + f"-{place}"
        # The next code overwrites this one.
        shutil.copyfile(f"/tmp/payload-{person.name}", payload)
        payloads.append(payload)
    values = [f"first-{place}-value" for place in range(PER_ROUND)]
    with concurrent.futures.ThreadPoolExecutor(PER_ROUND) as pool:
        list(pool.map(lambda pair: register_anew(lab, person, *pair), zip(payloads, values)))
    opening = [value for value in values if lab.login(person, value).is_in]
    must(len(opening) == 1, f"after {PER_ROUND} registrations at once {opening} let in")


def other_schemas(lab):
    person = lab.person()
    kept = person.state.read_bytes()
    versions = (2, 2**31 - 1)
    for version in versions:
        database = sqlite3.connect(person.state, isolation_level=None)
        database.execute(f"PRAGMA user_version = {version}")
        database.close()
        mark = lab.log.mark()
        login = lab.login(person, person.passcode)
        must(login.code == hosts.SYSTEM_ERR and "prompt" not in login.text, f"schema {version}: {login}")
        lines = lab.log.since(mark, f"schema {version}")
        must(any(f"schema {version}: written by another version" in line for line in lines), f"not logged: {lines}")
        again = register_anew(lab, person, lab.payload(person), "another-value-9")
        must(again.returncode != 0, f"schema {version}: registered anew over it")
        person.state.write_bytes(kept)
    must(lab.login(person, person.passcode).is_in, "with the state as it was the right value is refused")
    return f"schemas {versions[0]} and {versions[1]} refused by name"
