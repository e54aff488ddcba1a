"""A page of docs/ whose commands a row runs: the lines that begin with a prompt."""

import re

from lab.machine import ROOT
from lab.table import must

_LINE = re.compile(r" {4,8}(rescue#|root#|server#|desk#|mina@desk\$) (.*)")


class Page:
    """The commands of one page, by headings. `finish` says whether a row has run each of them.

    `names` has the texts of the page that have another name in the row, such as the address of the server. `instead` has
    commands that are not run as they are: a function that does the same in the row, or None with a command that ends the
    machine and for which there is nothing to do.
    """

    def __init__(self, path, names=None, instead=None):
        self._path, self._names, self._instead = path, names or {}, instead or {}
        self._parts, self._played = {}, set()
        heading = ""
        for line in (ROOT / path).read_text().splitlines():
            if line.startswith("#"):
                heading = line.lstrip("# ")
            if found := _LINE.fullmatch(line):
                self._parts.setdefault(heading, []).append((found[1], found[2]))
        must(self._parts, f"{path} has no command")
        commands = {command for part in self._parts.values() for _, command in part}
        unknown = set(self._instead) - commands
        must(not unknown, f"{path} does not have {unknown}")

    def play(self, heading, run, **more):
        """Runs the commands below a heading in their order.

        `run` gets a prompt and a command with the row's names, and returns what it showed; a command that fails must raise.
        Returns the outputs by the commands of the page. `more` are further names for this time.
        """
        must(heading in self._parts, f"{self._path} has no commands under {heading!r}, but under {list(self._parts)}")
        shown = {}
        for prompt, command in self._parts[heading]:
            self._played.add((heading, command))
            if command in self._instead:
                if act := self._instead[command]:
                    shown[command] = act()
                continue
            text = command
            for name, own in {**self._names, **more}.items():
                text = text.replace(name, own)
            shown[command] = run(prompt, text)
        return shown

    def finish(self):
        """The number of commands; each was played."""
        every = {(heading, command) for heading, part in self._parts.items() for _, command in part}
        must(every == self._played, f"{self._path}: never played: {sorted(every - self._played)}")
        return len(every)
