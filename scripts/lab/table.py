"""What a row of a table is, and what may come of it."""

import dataclasses
import typing


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


def row(identifier, title, expected):
    """Makes a function a row. It gets the lab and returns what was seen, or raises Broken or Skip."""

    def enter(function):
        if identifier in ROWS:
            raise ValueError(f"two rows are called {identifier}")
        ROWS[identifier] = Row(identifier, title, expected, function)
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
