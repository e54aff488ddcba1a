"""The lines that uafctl writes, read strictly: docs/json-conversation.md, docs/schemas/uafctl-conversation.json.

A line that is something else is `Unreadable`, and nothing of it is used. Members that are not known are ignored, as that page
asks, because a newer uafctl may add some.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass

# The longest line: a prompt of the core has at most 4,096 bytes in each of a few texts, and escapes make a byte six.
LONGEST_LINE = 128 * 1024
# The longest document of `uafctl status --json`: it has the policy of the machine, and where each value comes from.
LONGEST_DOCUMENT = 512 * 1024
CHECKS = ("passcode", "pattern", "choice", "code")
STEPS = ("current", "new", "newAgain")
_MOST_OPTIONS = 32


class Unreadable(Exception):
    """A line is not one of the protocol's; the text is for a maintainer, and never has a part of the line."""


@dataclass(frozen=True)
class Challenge:
    """What the person must enter."""

    check: str
    step: str
    echo: bool
    text: str
    remaining_attempts: int | None = None
    error: str | None = None
    reason: str | None = None
    entry_length: int | None = None
    options: tuple[str, ...] = ()


@dataclass(frozen=True)
class Challenges:
    """All that one line asks for: one challenge, or a new value and its repetition."""

    challenges: tuple[Challenge, ...]


@dataclass(frozen=True)
class Notice:
    """Something to show that needs no answer."""

    text: str
    is_error: bool


@dataclass(frozen=True)
class Ending:
    """The last line."""

    is_success: bool
    result: int
    text: str
    next_step: str | None = None


Message = Challenges | Notice | Ending


class LineReader:
    """Takes bytes as they arrive, and gives complete lines."""

    def __init__(self, longest: int = LONGEST_LINE) -> None:
        self._longest = longest
        self._begun = bytearray()

    def lines(self, data: bytes) -> Iterator[bytes]:
        """The lines that are complete now; `Unreadable` as soon as one is too long."""
        *complete, rest = data.split(b"\n")
        for line in complete:
            self._append(line)
            whole = bytes(self._begun)
            self._begun.clear()
            yield whole
        self._append(rest)

    @property
    def is_between_lines(self) -> bool:
        """Whether nothing has begun that is not yet a line."""
        return not self._begun

    def _append(self, data: bytes) -> None:
        if len(self._begun) + len(data) > self._longest:
            raise Unreadable("a line is too long")
        self._begun += data


def json_object(line: bytes) -> dict[str, object]:
    """The object that a line consists of: no name twice, nothing before or behind it, no number that is none."""
    try:
        text = line.decode("utf-8")
        value = json.loads(text, object_pairs_hook=_members, parse_constant=_constant)
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        raise Unreadable("a line is no JSON") from error
    if not isinstance(value, dict):
        raise Unreadable("a line is no object")
    return value


def _members(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a name twice")
    return members


def _constant(name: str) -> object:
    raise ValueError(name)


def message(line: bytes) -> Message:
    """What a line of a conversation with `--together` says."""
    members = json_object(line)
    kind = members.get("type")
    if kind in ("info", "error"):
        return Notice(text_of(members, "text"), kind == "error")
    if kind in ("success", "failure"):
        return ending(members)
    if kind == "challenges":
        return _challenges(members.get("challenges"))
    raise Unreadable("a line has a type that is not known")


def ending(members: dict[str, object]) -> Ending:
    """The last line, or the only one of a command that prints a document and has failed."""
    return Ending(
        members.get("type") == "success", whole(members, "result") or 0, text_of(members, "text"), perhaps(members, "nextStep")
    )


def _challenges(listed: object) -> Challenges:
    if not isinstance(listed, list) or not 1 <= len(listed) <= 2:
        raise Unreadable("a line asks for none or for too many")
    challenges = tuple(_challenge(members) for members in listed)
    if len(challenges) == 2:
        first, second = challenges
        if (first.step, second.step) != ("new", "newAgain") or first.check != second.check or first.check == "choice":
            raise Unreadable("two challenges are not a new value and its repetition")
    return Challenges(challenges)


def _challenge(members: object) -> Challenge:
    if not isinstance(members, dict):
        raise Unreadable("a challenge is no object")
    check, step, echo = members.get("check"), members.get("step"), members.get("echo")
    if check not in CHECKS or step not in STEPS or not isinstance(echo, bool):
        raise Unreadable("a challenge asks for something that is not known")
    options = _options(members.get("options", []))
    if (check == "choice") != bool(options):
        raise Unreadable("a choice has no options, or something else has")
    length = whole(members, "entryLength")
    if length is not None and not 1 <= length <= 1024:
        raise Unreadable("an entry has an impossible length")
    return Challenge(
        check, step, echo, text_of(members, "text"), whole(members, "remainingAttempts"), perhaps(members, "errorMessage"),
        perhaps(members, "reason"),
        length, options,
    )  # fmt: skip


def _options(listed: object) -> tuple[str, ...]:
    if not isinstance(listed, list) or len(listed) > _MOST_OPTIONS:
        raise Unreadable("the options are no list, or too many")
    if not all(isinstance(option, str) for option in listed):
        raise Unreadable("an option is no text")
    return tuple(listed)


def text_of(members: dict[str, object], name: str) -> str:
    """A member that must be a text."""
    value = members.get(name)
    if not isinstance(value, str):
        raise Unreadable(f"{name} is no text")
    return value


def perhaps(members: dict[str, object], name: str) -> str | None:
    """A member that is a text, null or absent."""
    return None if members.get(name) is None else text_of(members, name)


def whole(members: dict[str, object], name: str) -> int | None:
    """A member that is a whole number from 0 on, null or absent."""
    value = members.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**53:
        raise Unreadable(f"{name} is no number")
    return value
