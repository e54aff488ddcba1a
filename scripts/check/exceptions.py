"""exceptions.toml: what is allowed to break a rule, and why. An exception that is no longer needed is refused too."""

import json
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from configuration import FOLDER
from tree import Finding

PATH = FOLDER / "exceptions.toml"
_KNOWN = "known = ["


@dataclass(frozen=True)
class Exceptions:
    """The exceptions with their reasons, and the known violations that must be removed."""

    reasons: dict[str, str]
    known: frozenset[str]

    def covers(self, finding: Finding) -> bool:
        """Whether a finding is allowed."""
        return finding.key in self.reasons or finding.key in self.known

    def wrong(self, findings: Iterable[Finding]) -> list[Finding]:
        """The mistakes of the list itself: missing reasons, and exceptions that are not needed."""
        needed = {finding.key for finding in findings}
        stale = [Finding("exception", key, "nothing needs this exception any more") for key in self.reasons.keys() - needed]
        stale += [Finding("exception", key, "is mended: structure.py --settle removes it") for key in self.known - needed]
        empty = [key for key, reason in self.reasons.items() if len(reason.split()) < 3]
        return stale + [Finding("exception", key, "gives no reason") for key in empty]


def read(path: Path = PATH) -> Exceptions:
    """Reads the list."""
    with path.open("rb") as file:
        said = tomllib.load(file)
    return Exceptions(dict(said.get("exceptions", {})), frozenset(said.get("known", [])))


def settle(findings: Iterable[Finding], adds: bool, path: Path = PATH) -> None:
    """Removes fixed violations from the known ones. With `adds`, the present findings become known."""
    now, before = {finding.key for finding in findings}, read(path)
    known = sorted((now if adds else now & before.known) - before.reasons.keys())
    head, _, rest = path.read_text(encoding="utf-8").partition(_KNOWN)
    _, _, tail = rest.partition("]\n")
    text = head + "\n".join([_KNOWN, *(f"  {json.dumps(key, ensure_ascii=False)}," for key in known), "]\n"]) + tail
    path.write_text(text, encoding="utf-8")
