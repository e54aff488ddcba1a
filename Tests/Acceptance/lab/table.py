"""A row of a table, and its possible results."""

import dataclasses
import typing

LIMIT = 600

# The person who logs in; a different account of the machine; a remote attacker; an attacker between the machine
# and the server; the server; root's own mistake; power, disk and kernel.
CAUSES = ("the person", "a local user", "somebody remote", "the network", "the server", "root", "the machine")


class Broken(Exception):
    """An attack succeeded, a host showed something different, or the expected result could not be observed."""


class Skip(Exception):
    """The row's requirements are missing; the message names them."""


@dataclasses.dataclass
class Row:
    identifier: str
    title: str
    expected: str
    act: typing.Callable
    # Who can cause it: some of CAUSES.
    causes: tuple[str, ...] = ()
    # After this many seconds the row is broken. The limit only detects a hang; no row is judged by its speed.
    limit: int = LIMIT
    baseline: typing.Callable | None = None


@dataclasses.dataclass
class Outcome:
    row: Row
    verdict: str  # held, BROKEN, skipped
    seen: str
    seconds: float
    baseline: str | None = None
    baseline_verdict: str | None = None


ROWS: dict[str, Row] = {}


def row(identifier, title, expected, causes=(), limit=LIMIT):
    """Makes a function a row. The function gets the lab and returns its observation, or raises Broken or Skip."""
    unknown = set(causes) - set(CAUSES)
    if unknown:
        raise ValueError(f"{identifier}: unknown causes {unknown}; known are {CAUSES}")

    def enter(function):
        if identifier in ROWS:
            raise ValueError(f"two rows are called {identifier}")
        ROWS[identifier] = Row(identifier, title, expected, function, tuple(causes), limit)
        return function

    return enter


def baseline(identifier):
    """Makes a function the same attack on pam_faillock: returns (whether it was withstood, the observation)."""

    def enter(function):
        ROWS[identifier].baseline = function
        return function

    return enter


def must(condition, text):
    """Ends the row as broken, unless the condition holds."""
    if not condition:
        raise Broken(text)


def order(identifier):
    """Sorts A2 before A10, and words alphabetically."""
    word = identifier.rstrip("0123456789")
    return word, int(identifier.removeprefix(word) or 0)
