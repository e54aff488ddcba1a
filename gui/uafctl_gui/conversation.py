"""One conversation with uafctl, as a value: an event goes in, and the actions to take come out.

It has no process, no clock and no widget. Which events are allowed when is the table of the methods' first lines; anything
else ends the conversation as `BROKEN`, and then nothing can be sent any more.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from uafctl_gui import answers
from uafctl_gui.messages import Challenge, Challenges, Ending, LineReader, Message, Notice, Unreadable, message
from uafctl_gui.secret import Secret

# What uafctl may write in one conversation. A person answers some twenty times at most.
MOST_LINES = 500
MOST_NOTICES = 12


class Cause(Enum):
    """How a conversation has ended."""

    SUCCESS = auto()
    FAILURE = auto()
    # The person has cancelled, or closed the window.
    CANCELLED = auto()
    # uafctl is not there, or cannot be started.
    ABSENT = auto()
    # uafctl has written something that is not of the protocol, or has ended without a result.
    BROKEN = auto()


@dataclass(frozen=True)
class Outcome:
    """The end of a conversation: uafctl's own texts, which are empty for `ABSENT` and `BROKEN`."""

    cause: Cause
    text: str = ""
    next_step: str = ""
    result: int | None = None
    # Why it is `BROKEN`, for a maintainer; it has no part of a line.
    detail: str = ""


@dataclass(frozen=True)
class Ask:
    """Show these challenges, and what was said before them."""

    challenges: tuple[Challenge, ...]
    notices: tuple[Notice, ...]


@dataclass(frozen=True)
class Tell:
    """Show that something happens; nothing is asked."""

    notices: tuple[Notice, ...]


@dataclass(frozen=True)
class Send:
    """Write this line, and wipe it."""

    line: Secret


@dataclass(frozen=True)
class Cancel:
    """Write that the person cancels, close uafctl's input, and see that it ends."""


@dataclass(frozen=True)
class End:
    """Show the outcome; nothing follows."""

    outcome: Outcome
    notices: tuple[Notice, ...] = ()


Action = Ask | Tell | Send | Cancel | End


class _State(Enum):
    WORKING = auto()
    ASKING = auto()
    LEAVING = auto()
    ENDED = auto()


class Conversation:
    """The state of one conversation."""

    def __init__(self) -> None:
        self._state = _State.WORKING
        self._reader = LineReader()
        self._notices: list[Notice] = []
        self._asked: tuple[Challenge, ...] = ()
        self._lines = 0

    @property
    def is_over(self) -> bool:
        """Whether the outcome is known."""
        return self._state is _State.ENDED

    @property
    def is_working(self) -> bool:
        """Whether uafctl works, and the person waits."""
        return self._state is _State.WORKING

    def received(self, data: bytes) -> list[Action]:
        """uafctl has written these bytes."""
        actions: list[Action] = []
        if self.is_over:
            return actions
        try:
            for line in self._reader.lines(data):
                self._lines += 1
                if self._lines > MOST_LINES:
                    raise Unreadable("too many lines")
                actions += self._heard(message(line))
                if self.is_over:
                    break
        except Unreadable as error:
            actions += self._broken(str(error))
        return actions

    def answered(self, secrets: Sequence[Secret]) -> list[Action]:
        """The person has entered these values, one for each challenge; they are wiped here, whatever comes of it."""
        try:
            fits = len(secrets) == len(self._asked) and all(len(secret) <= answers.LONGEST for secret in secrets)
            if self._state is not _State.ASKING or not fits:
                return []
            self._state, self._asked = _State.WORKING, ()
            self._notices.clear()
            return [Send(answers.answer_line(secrets)), Tell(())]
        finally:
            for secret in secrets:
                secret.wipe()

    def cancelled(self) -> list[Action]:
        """The person does not go on. uafctl says how that ends; what it asks after this is not shown."""
        if self._state in (_State.LEAVING, _State.ENDED):
            return []
        self._state, self._asked = _State.LEAVING, ()
        return [Cancel(), Tell(tuple(self._notices))]

    def ended(self) -> list[Action]:
        """uafctl's output has ended, and so has uafctl."""
        if self.is_over:
            return []
        if self._state is _State.LEAVING:
            return self._over(Outcome(Cause.CANCELLED))
        return self._over(Outcome(Cause.BROKEN, detail="uafctl has ended without a result"))

    def not_started(self) -> list[Action]:
        """uafctl cannot be started."""
        return self._over(Outcome(Cause.ABSENT))

    def not_written(self) -> list[Action]:
        """A line could not be written to uafctl."""
        return [] if self.is_over else self._broken("uafctl does not read its input")

    def _heard(self, heard: Message) -> list[Action]:
        if isinstance(heard, Ending):
            return self._finished(heard)
        if isinstance(heard, Notice):
            self._notices = [*self._notices, heard][-MOST_NOTICES:]
            return [Tell(tuple(self._notices))] if self._state is _State.WORKING else []
        return self._challenged(heard)

    def _challenged(self, heard: Challenges) -> list[Action]:
        if self._state is _State.LEAVING:
            return []
        if self._state is not _State.WORKING:
            raise Unreadable("asked before the last answer was given")
        self._state, self._asked = _State.ASKING, heard.challenges
        return [Ask(heard.challenges, tuple(self._notices))]

    def _finished(self, heard: Ending) -> list[Action]:
        # A change that was cancelled too late is done; that must be said.
        if self._state is _State.LEAVING and not heard.is_success:
            return self._over(Outcome(Cause.CANCELLED, result=heard.result))
        cause = Cause.SUCCESS if heard.is_success else Cause.FAILURE
        return self._over(Outcome(cause, heard.text, heard.next_step or "", heard.result))

    def _broken(self, detail: str) -> list[Action]:
        cause = Cause.CANCELLED if self._state is _State.LEAVING else Cause.BROKEN
        return [Cancel(), *self._over(Outcome(cause, detail=detail))]

    def _over(self, outcome: Outcome) -> list[Action]:
        self._state, self._asked = _State.ENDED, ()
        return [End(outcome, tuple(self._notices))]
