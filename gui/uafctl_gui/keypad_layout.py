"""Which keypad a prompt needs, and where its digits are.

Each keypad is shuffled, so that somebody who sees the hand or the pointer learns no digit. With `keypad = "shuffled"` the core
wants other digits than those of the PIN: its prompt then ends with two rows, "Digit 0 1 2 ..." and below them the keys.
"""

import itertools
import random
from collections.abc import Callable
from dataclasses import dataclass

from uafctl_gui.messages import Challenge

DIGITS = tuple(range(10))
# `entryLength` is also there for a passcode with `auto_submit`, which no keypad can type. It then stands unused beside the
# entry, where typing always works.
_PIN_LENGTHS = (4, 6)
_below = random.SystemRandom().randrange


@dataclass(frozen=True)
class Keypad:
    """The digits in the order in which they are shown, and what each of them enters."""

    order: tuple[int, ...]
    enters: tuple[int, ...]

    @property
    def is_translated(self) -> bool:
        """Whether the core has its own layout, so that the keyboard types something else than the PIN."""
        return self.enters != DIGITS


def keypad(challenge: Challenge, choose: Callable[[int], int] = _below) -> Keypad | None:
    """The keypad for a prompt; None if it is not for a PIN.

    `choose(n)` returns a number below n, each as likely as the others.
    """
    if challenge.check != "passcode" or challenge.entry_length not in _PIN_LENGTHS:
        return None
    order = list(DIGITS)
    for last in range(len(order) - 1, 0, -1):
        other = choose(last + 1)
        order[last], order[other] = order[other], order[last]
    return Keypad(tuple(order), _keys_of_the_core(challenge.text) or DIGITS)


def _keys_of_the_core(text: str) -> tuple[int, ...] | None:
    rows = [_digits(line) for line in text.split("\n")]
    for above, below in itertools.pairwise(rows):
        if above == DIGITS and below is not None and sorted(below) == list(DIGITS):
            return below
    return None


def _digits(line: str) -> tuple[int, ...] | None:
    words = line.split()[1:]
    if len(words) != len(DIGITS) or not all(word in "0123456789" and len(word) == 1 for word in words):
        return None
    return tuple(int(word) for word in words)
