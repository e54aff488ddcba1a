"""What a row of a table is, and what may come of it."""

import dataclasses
import typing

LIMIT = 600

# The person who logs in; another account of the machine; somebody who reaches it over the network; who sits between it
# and the server; the server; root's own mistake; power, disk and kernel.
CAUSES = ("the person", "a local user", "somebody afar", "the network", "the server", "root", "the machine")


class Broken(Exception):
    """An attack won, a host showed something else, or what was to hold could not be seen."""


class Skip(Exception):
    """What the row needs is not there: says what."""


@dataclasses.dataclass
class Row:
    identifier: str
    title: str
    expected: str
    act: typing.Callable
    # Who can bring it about: some of CAUSES.
    causes: tuple[str, ...] = ()
    # After so many seconds it is broken. A bound for what hangs: no row is judged by how fast it is.
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
    """Makes a function a row. It gets the lab and returns what was seen, or raises Broken or Skip."""
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
    """Makes a function the same attack on pam_faillock: returns (whether it holds, what was seen)."""

    def enter(function):
        ROWS[identifier].baseline = function
        return function

    return enter


def must(condition, text):
    """Ends the row as broken, unless the condition holds."""
    if not condition:
        raise Broken(text)


def order(identifier):
    """Sorts A2 before A10, and words as words."""
    word = identifier.rstrip("0123456789")
    return word, int(identifier.removeprefix(word) or 0)
