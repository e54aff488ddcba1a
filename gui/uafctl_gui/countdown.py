"""Locks that count down: seconds that were left when uafctl was asked, and what is left of them now."""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Countdown:
    """Seconds left at a time of a clock that never goes back."""

    seconds: int
    asked_at: float

    def left(self, now: float) -> int:
        """Whole seconds left, rounded up, and never more than there were: the text must not promise an end that is later."""
        passed = max(0.0, now - self.asked_at)
        return max(0, min(self.seconds, math.ceil(self.seconds - passed)))


def parts(seconds: int) -> tuple[int, int, int]:
    """Hours, minutes and seconds."""
    return seconds // 3600, seconds // 60 % 60, seconds % 60
