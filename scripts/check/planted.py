#!/usr/bin/env python3
"""Shows that the structure check refuses: plants one violation of each rule into a copy of a part of the project in memory, and
fails if one is not found, or is found without being planted."""

import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import citations
import exceptions
import imports
import lists
import structure
import table
import versions
import wire
from configuration import read
from tree import ROOT, Finding, Target, Tree, load

_FILE = "Sources/Shared/SecretMemory/Planted.swift"


@dataclass(frozen=True)
class Violation:
    """The name of the violation, the rule that must find it, and the project with the violation."""

    key: str
    rule: structure.Rule
    tree: Tree


def _imports(tree: Tree) -> Iterator[Violation]:
    for text in ("import UAFWire\n", "@testable import UAFWire\n", "import struct UAFWire.Packet\n"):
        yield Violation(f"import {_FILE}: UAFWire", imports.undeclared, tree.planted(_FILE, text))
    tests = "Tests/SecretMemoryTests/Planted.swift"
    yield Violation(f"import {tests}: UAFWire", imports.undeclared, tree.planted(tests, "@testable import UAFWire\n"))
    unused = tree.declaring("SecretMemory", "CPSL")
    yield Violation("dependency SecretMemory: CPSL", imports.undeclared, unused)
    upwards = {"UAFCrypto": "UAFWire", "Authenticator": "Wording", "UAFTool": "UAFService", "UAFService": "UAFWire"}
    for user, used in upwards.items():
        yield Violation(f"zone {user}: {used}", imports.zones, tree.declaring(user, used))
    nowhere = Tree({}, [Target("SecretMemory", "regular", "Sources/SecretMemory", frozenset())])
    yield Violation("zone SecretMemory", imports.zones, nowhere)
    more = tree.changing("SecretMemory", lambda target: replace(target, products=frozenset({"NIOCore"})))
    yield Violation("package SecretMemory: NIOCore", imports.packages, more)
    unset = tree.changing("SecretMemory", lambda target: replace(target, settings=target.settings - {"strictMemorySafety"}))
    yield Violation("setting SecretMemory: strictMemorySafety", imports.settings, unset)
    for program, module in (("UAFFetch", "UAFCrypto"), ("UAFFetch", "Authenticator"), ("UAFHelper", "CCurl")):
        key = f"closure {program}: {module}"
        yield Violation(key, imports.forbidden, tree.declaring(program, module))
        # Once through a target that both programs contain, and once by an import that Package.swift does not declare.
        yield Violation(key, imports.forbidden, tree.declaring("SecretMemory", module))
        yield Violation(key, imports.forbidden, tree.planted(_FILE, f"import {module}\n"))
    key = "closure UAFHelper: Foundation"
    yield Violation(key, imports.forbidden, tree.planted(_FILE, "import Foundation\n"))
    for text in ("let a = socket(1, 2, 3)\n", "let a = unsafe Glibc.connect(1)\n", 'let a = "\\(connect(1))"\n'):
        yield Violation(f"socket {_FILE}", imports.sockets, tree.planted(_FILE, text))
    in_c = tree.planted("cshim/planted.c", "int f(void) { return socket(1, 2, 3); }\n")
    yield Violation("socket cshim/planted.c", imports.sockets, in_c)


def _lists(tree: Tree) -> Iterator[Violation]:
    def without(path: str, name: str) -> Tree:
        text = (ROOT / path).read_text(encoding="utf-8")
        return tree.planted(path, text.replace(name, "planted"))

    for path in (lists.CHECKS, lists.PROTOCOL, lists.MODULE):
        yield Violation(f"list {path}: check pattern", lists.lists, without(path, "pattern"))
    for path in lists.NAMING:
        yield Violation(f"list {path}: type pattern", lists.lists, without(path, "pattern"))
    for path in (lists.READERS, lists.COVERAGE):
        yield Violation(f"list {path}: fuzzer json", lists.lists, without(path, "json"))
        yield Violation(f"list {path}: fuzzer planted", lists.lists, without(path, "json"))
        more = tree.planted(lists.FUZZERS, (ROOT / lists.FUZZERS).read_text(encoding="utf-8") + "  case planted\n")
        yield Violation(f"list {path}: fuzzer planted", lists.lists, more)
    # A new check of the protocol, and a new type with a check of its own.
    new = tree.planted(lists.CHECKS, "allCases: [Check] = [.passcode, .planted]\n")
    yield Violation(f"list {lists.PROTOCOL}: check planted", lists.lists, new)
    kind = "Sources/Shared/AuthenticatorTypes/Planted/AuthenticatorType+Planted.swift"
    typed = tree.planted(kind, 'AuthenticatorType(rawValue: "planted", entry: TypedEntry(check: "planted"))\n')
    for path in (lists.CHECKS, lists.PROTOCOL, lists.MODULE):
        yield Violation(f"list {path}: check planted", lists.lists, typed)
    for path in lists.NAMING:
        yield Violation(f"list {path}: type planted", lists.lists, typed)


def _numbers(tree: Tree) -> Iterator[Violation]:
    def saying(path: str, text: str, other: str) -> Tree:
        return tree.planted(path, (ROOT / path).read_text(encoding="utf-8").replace(text, other, 1))

    wrong = {
        "Operation": ("19 check-in", "19 planted"),
        "PromptStep": ("3 new again", "4 new again"),
        "Purpose": ("9 find)", "9 found)"),
        "ChipOutcome": (" · 15 full", ""),
        "Wish": ("1 look, 2 compare", "1 compare, 2 look"),
        "ChallengePurpose": ("| 7 | `removal` |", "| 7 | `planted` |"),
        "PacketType": ("| 0x22 | stop |", "| 0x23 | stop |"),
        "FetchOutcome": ("| 12 | no route", "| 14 | no route"),
        "State": ("| 7 | another failure |", ""),
        "FingerTouch": ("| 2 to 6 |", "| 2 to 5 |"),
        "Cause": ("| 2 | the sensor was unplugged |\n", ""),
        "Outcome": ("| 3 | a name service failed |", "| 4 | a name service failed |"),
        "0x02": ("1 value:bytes≤1024!", "1 value:bytes≤2048!"),
    }
    for name, (text, other) in wrong.items():
        yield Violation(f"wire {lists.PROTOCOL}: {name}", wire.numbers, saying(lists.PROTOCOL, text, other))
    tested = saying(wire.TESTS, ".answer: [1: 1024]", ".answer: [1: 1025]")
    yield Violation(f"wire {lists.PROTOCOL}: 0x02", wire.numbers, tested)


def _citations(tree: Tree) -> Iterator[Violation]:
    cited = ("features 12", "house.md", "A999", "section 3.2", "Section 7")
    for path, mark in ((_FILE, "//"), (_FILE, "///"), ("cshim/planted.h", "//"), ("scripts/planted.py", "#")):
        for what in cited:
            changed = tree.planted(path, f"{mark} As {what} has it.\n")
            yield Violation(f"citation {path}: {what}", citations.citations, changed)
    in_text = tree.planted("scripts/planted.py", '"""As features 12 has it."""\n')
    yield Violation("citation scripts/planted.py: features 12", citations.citations, in_text)


def _table(tree: Tree) -> Iterator[Violation]:
    head = "| target | what it is | imports |\n|---|---|---|\n"
    for row in ("", "| `SecretMemory` |  | – |\n", "| `SecretMemory` | pages that lock | `CCurl` |\n"):
        yield Violation("table SecretMemory", table.differences, tree.planted("ARCHITECTURE.md", head + row))
    gone = tree.planted("ARCHITECTURE.md", head + "| `Planted` | nothing | – |\n")
    yield Violation("table Planted", table.differences, gone)


def _versions(tree: Tree) -> Iterator[Violation]:
    tree = tree.planted("debian/changelog", "pam-uaf (1.2.3) unstable; urgency=medium\n")
    for text in ('  static let current = "1.2.4"\n', 'let a = CommandConfiguration(version: "1.2.2")\n'):
        yield Violation(f"version {_FILE}", versions.versions, tree.planted(_FILE, text))
    galaxy = "examples/ansible/galaxy.yml"
    yield Violation(f"version {galaxy}", versions.versions, tree.planted(galaxy, "name: fleet\nversion: 1.2.2\n"))
    yield Violation("version CHANGELOG.md", versions.versions, tree.planted("CHANGELOG.md", "## [1.3.0]\n## [1.2.3]\n"))


def _missed(tree: Tree) -> Iterator[str]:
    rules = read()
    for make in (_imports, _lists, _numbers, _citations, _table, _versions):
        for violation in make(tree):
            before = {finding.key for finding in violation.rule(tree, rules)}
            after = {finding.key for finding in violation.rule(violation.tree, rules)}
            if violation.key in before:
                yield f"{violation.key} is there without being planted"
            elif violation.key not in after:
                yield f"{violation.key} was planted and is not found"


def _missed_in_the_list() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "exceptions.toml"
        path.write_text('known = [\n  "file gone.swift",\n]\n[exceptions]\n"file a.swift" = "because"\n', encoding="utf-8")
        wrong = exceptions.read(path).wrong([Finding("file", "a.swift", "")])
        if sorted(finding.place for finding in wrong) != ["file a.swift", "file gone.swift"]:
            yield "an exception without need or without a reason is not found"
        exceptions.settle([Finding("file", "b.swift", "")], adds=False, path=path)
        if exceptions.read(path).known:
            yield "a known violation that was mended stays in the list"


def _allowed() -> Iterator[str]:
    """Things that look like a violation but are none."""
    text = '// RFC 5869, section 2.2; A1\nlet s = "import UAFWire; socket(1)"\n/* import UAFWire */\nfunc connect(x: Int) {}\n'
    target = Target("SecretMemory", "regular", "Sources/Shared/SecretMemory", frozenset(), settings=read().settings)
    tree = Tree({}, [target])
    tree = tree.planted(_FILE, text).planted("SECURITY.md", "| A1 | a row |\n")
    for rule in structure.RULES:
        for finding in rule(tree, read()):
            if finding.place.startswith((_FILE, "SecretMemory: ")):
                yield f"{finding.key} is not a violation"


def main() -> int:
    """Plants every violation, and prints what was missed. The copy needs only one target's files, and the names of all
    targets."""
    tree = load(os.environ.get("SWIFT", "swift"))
    files = {path: file for path, file in tree.files.items() if path.startswith(("Sources/Shared/SecretMemory/", lists.KINDS))}
    tree = Tree(files, tree.targets)
    missed = [*_missed(tree), *_missed_in_the_list(), *_allowed()]
    for text in missed:
        print(f"check: {text}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
