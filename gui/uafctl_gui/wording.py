"""The text of a challenge, divided for a window: the problem, what to know, and what the field is called."""

import re
from dataclasses import dataclass

from uafctl_gui.messages import Challenge
from uafctl_gui.shown_text import line, shown

# The lines with which a terminal shows the grid; the window has its own.
_LEGEND = re.compile(r"[1-9]( [1-9]){2}\s*")


@dataclass(frozen=True)
class Wording:
    """The parts, each safe to show. `body` may have several lines."""

    problem: str
    body: str
    caption: str
    has_table: bool = False


def wording(challenge: Challenge) -> Wording:
    """Divides the text: its last line is the question, and the lines of the last mistake are shown apart.

    A choice has its options below the question; they become buttons, so that their lines are left out.
    """
    problem = shown(challenge.error or "")
    lines = [each for each in shown(challenge.text).split("\n") if each.strip()]
    if challenge.check == "choice":
        lines = lines[: max(1, len(lines) - len(challenge.options))] if len(lines) > len(challenge.options) else lines[:1]
    if challenge.check == "pattern":
        lines = [each for each in lines if not _LEGEND.fullmatch(each)]
    caption = lines.pop() if lines else ""
    if challenge.reason:
        # The reason is always that this window asks.
        lines = [each for each in lines if not re.fullmatch(rf"[^:]{{1,20}}: {re.escape(challenge.reason)}", each)]
    mistake = set(problem.split("\n"))
    body = [each for each in lines if each not in mistake]
    return Wording(problem, "\n".join(body), line(caption).rstrip(" :"), any(" 0 1 2 3 4 5 6 7 8 9" in each for each in body))
