"""What several tests of the window need."""

import json
import typing

Kind = typing.TypeVar("Kind")

PASSCODE: dict[str, object] = {
    "check": "passcode",
    "step": "current",
    "echo": False,
    "text": "Passcode: ",
    "remainingAttempts": None,
    "errorMessage": None,
}
NEW, AGAIN = {"step": "new"}, {"step": "newAgain"}


def of(kind: type[Kind], value: object) -> Kind:
    """The value, which must be of that kind."""
    assert isinstance(value, kind), f"{value!r} is no {kind.__name__}"
    return value


def line(**members: object) -> bytes:
    """A line of uafctl's with these members."""
    return json.dumps(members).encode()


def challenges(*changes: typing.Mapping[str, object]) -> bytes:
    """A line that asks for a passcode with each of these changes."""
    return line(type="challenges", challenges=[PASSCODE | dict(change) for change in changes])
