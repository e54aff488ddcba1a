"""Compares the surviving store with the results that people got."""

import collections
import dataclasses
import time

from fleet.client import Later, Refused
from lab.table import must

# How long a request is valid: its used challenge must be stored for this long.
REQUEST_LIFETIME = 120


@dataclasses.dataclass
class Questions:
    """The SQL queries for a store, in the dialect of its engine."""

    counters: str
    used: str
    texts: str
    rows: str


POSTGRESQL = Questions(
    "SELECT username, max(signCounter) FROM uaf.credential GROUP BY username",
    "SELECT encode(hash, 'hex') FROM uaf.usedChallenge",
    "SELECT username, shown FROM uaf.confirmation",
    "SELECT account, authenticators FROM uaf.audit WHERE outcome = 'ok' AND kind IN ('login', 'confirmation')",
)
SQLITE = Questions(
    "SELECT username, max(signCounter) FROM credential GROUP BY username",
    "SELECT lower(hex(hash)) FROM usedChallenge",
    "SELECT username, shown FROM confirmation",
    "SELECT account, authenticators FROM audit WHERE outcome = 'ok' AND kind IN ('login', 'confirmation')",
)


def must_have_all(sql, load, questions=POSTGRESQL):
    """Checks that every acknowledged counter, challenge, text and audit row is in the store; returns what was compared."""
    moment = time.time()
    stored = {name: int(counter) for name, counter in sql(questions.counters)}
    for name, counter in load.counters().items():
        must(stored.get(name, -1) >= counter, f"{name}: counter {counter} was acknowledged, {stored.get(name)} is stored")
    used = {digest for (digest,) in sql(questions.used)}
    young = [yes for yes in load.yes if yes.started > moment - REQUEST_LIFETIME + 5]
    lost = [yes for yes in young if yes.digest not in used]
    must(not lost, f"{len(lost)} of {len(young)} used challenges are gone: {lost[:2]}")
    texts = {(name, text) for name, text in sql(questions.texts)}
    told = [(yes.person.name, yes.text) for yes in load.yes if yes.text]
    lost = [text for text in told if text not in texts]
    must(not lost, f"{len(lost)} of {len(told)} confirmed texts are gone: {lost[:2]}")
    rows = collections.Counter((name, int(keys.split()[-1])) for name, keys in sql(questions.rows))
    unwritten = collections.Counter((yes.person.name, yes.counter) for yes in load.yes) - rows
    must(not unwritten, f"{unwritten.total()} of {len(load.yes)} logins have no row in the audit: {list(unwritten)[:2]}")
    return f"{len(load.yes)} acknowledged, each in the audit, {len(young)} used challenges, {len(told)} texts: all there"


def must_refuse_again(load, channels):
    """Checks that no instance accepts an accepted answer again; returns how many were tried."""
    tried = 0
    for yes in load.yes:
        for channel in channels:
            status = outcome(yes, channel)
            must(status != "yes", f"accepted twice: {yes}")
            must(status != "later", f"no definite refusal of an answer that was used: {yes}")
            tried += 1
    return tried


def must_accept_once_at_most(load, channels):
    """Checks that an answer with an unknown result is accepted at most once; returns the results now."""
    seen = []
    for signed in load.unknown:
        outcomes = [outcome(signed, channel) for channel in channels]
        must(outcomes.count("yes") <= 1, f"accepted twice: {signed}")
        seen += outcomes
    return seen


def outcome(signed, channel):
    """The result of sending an answer: yes, later, or the status of a definite refusal."""
    try:
        signed.person.send(channel, signed)
        return "yes"
    except Later:
        return "later"
    except Refused as reason:
        return reason.status
