#!/usr/bin/env python3
"""Checks how the sources are divided: imports, contents of programs, citations, the table of targets, the version.

structure.py                  everything; prints what exceptions.toml does not allow, and fails if there is any
structure.py --target NAME    all that is found in one target, known or not
structure.py --settle         takes out of exceptions.toml what is mended
structure.py --write-table    writes the imports into the table of targets in ARCHITECTURE.md
structure.py --figures        how many findings each rule has, known ones too
"""

import argparse
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator

import citations
import exceptions
import imports
import lists
import table
import versions
import wire
from configuration import Rules, read
from tree import ROOT, Finding, Target, Tree, load

Rule = Callable[[Tree, Rules], Iterator[Finding]]


RULES: list[Rule] = [
    imports.undeclared,
    imports.zones,
    imports.packages,
    imports.settings,
    imports.forbidden,
    imports.sockets,
    imports.stale_sockets,
    citations.citations,
    lists.lists,
    wire.numbers,
    table.differences,
    versions.versions,
]


def found(tree: Tree, rules: Rules) -> list[Finding]:
    """Everything that breaks a rule, allowed or not."""
    return [finding for rule in RULES for finding in rule(tree, rules)]


def shown(finding: Finding) -> str:
    """One finding as a line, or several."""
    path, _, what = finding.place.partition(": ")
    place = f"{path}:{finding.line}" if finding.line else finding.place
    return f"check: {finding.rule}: {place}: {finding.text}" + (f" [{what}]" if finding.line and what else "")


def _belongs(finding: Finding, target: Target) -> bool:
    return finding.target == target.name or target.has(finding.place.split(": ")[0])


def describe(tree: Tree, rules: Rules, target: Target) -> None:
    """Prints all that is found in one target."""
    for finding in found(tree, rules):
        if _belongs(finding, target):
            print(shown(finding))


def check(tree: Tree, rules: Rules) -> int:
    """Prints what is not allowed, and returns how many that are."""
    allowed, findings = exceptions.read(), found(tree, rules)
    refused = [finding for finding in findings if not allowed.covers(finding)] + allowed.wrong(findings)
    for finding in refused:
        print(shown(finding))
    return len(refused)


def main() -> int:
    """Does what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target")
    for option in ("--settle", "--write-table", "--figures", "--know"):
        parser.add_argument(option, action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    tree, rules = load(os.environ.get("SWIFT", "swift")), read()
    if asked.target:
        target = next((target for target in tree.targets if target.name == asked.target), None)
        if target is None:
            parser.error(f"no target is named {asked.target}")
        describe(tree, rules, target)
    elif asked.write_table:
        table.write(tree, ROOT)
    elif asked.settle or asked.know:
        exceptions.settle(found(tree, rules), asked.know)
    elif asked.figures:
        for rule, count in Counter(finding.rule for finding in found(tree, rules)).most_common():
            print(f"{count:5} {rule}")
    else:
        return 1 if check(tree, rules) else 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
