"""What a row of the table is, and what may come of it."""

import dataclasses
import typing


class Broken(Exception):
    """The attack won, or what was to hold could not be seen."""


class Skip(Exception):
    """What the attack needs is not there: says what."""


@dataclasses.dataclass
class Row:
    identifier: str
    title: str
    expected: str
    attack: typing.Callable
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


def attack(identifier, title, expected):
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
    """Ends the attack as won, unless the condition holds."""
    if not condition:
        raise Broken(text)


def order(identifier):
    """Sorts A2 before A10."""
    return int(identifier[1:]) if identifier[1:].isdigit() else 1000
