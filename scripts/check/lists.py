"""Lists that are repeated in several places: the checks of a prompt, the types of authenticators, and the fuzzers.

The compiler cannot compare Swift with C, with a document or with a text, and if one copy of a list was forgotten, everything
works until
somebody uses the new entry.
"""

import re
from collections.abc import Iterator

from configuration import Rules
from tree import ROOT, Finding, Tree

CHECKS = "Sources/Login/UAFWire/CoreMessage.swift"
PROTOCOL = "docs/protocol.md"
MODULE = "cshim/talk.c"
KINDS = "Sources/Shared/AuthenticatorTypes/"
FUZZERS = "Tests/Fuzz/FuzzTarget.swift"
FUZZERS_IN_C = "Tests/Fuzz/Makefile"
READERS = "Tests/Fuzz/readers.toml"
COVERAGE = "docs/testing.md"
_ENTRY = KINDS + "AuthenticatorType.swift"
_KIND = re.compile(KINDS + r"\w+/AuthenticatorType\+\w+\.swift$")
# The files that name each type by hand, each with the text that surrounds the names.
NAMING = {
    "Sources/Shared/FidoResults/EnglishCatalogue.swift": r"^ *1012: .*$",
    "Sources/Shared/FidoResults/KoreanCatalogue.swift": r"^ *1012: .*$",
    "examples/pam_uaf.conf": r"^authenticators = .*$",
    "man/pam_uaf.8": r"^\.Cm .*$",
    "man/pam_uaf.conf.5": r"^\.Ql .*$",
}


def text_of(tree: Tree, path: str) -> str:
    if path in tree.files:
        return tree.files[path].text
    return (ROOT / path).read_text(encoding="utf-8") if (ROOT / path).is_file() else ""


def _found(pattern: str, text: str) -> set[str]:
    """The names in the part of a text that a pattern finds: in its first group, or all of it."""
    return {name for part in re.findall(pattern, text, re.MULTILINE | re.DOTALL) for name in re.findall(r"\w+", part, re.ASCII)}


def _kinds(tree: Tree) -> tuple[set[str], set[str]]:
    """The names of all types, and the checks that their prompts have."""
    plain = _found(r'plainCheck = "(\w+)"', text_of(tree, _ENTRY))
    names, checks = set(), set()
    for path in tree.files:
        if _KIND.match(path):
            text = text_of(tree, path)
            names |= _found(r'rawValue: "(\w+)"', text)
            checks |= _found(r'\bcheck: "(\w+)"', text) or plain
    return names, checks


def _missing(rule: str, path: str, needed: set[str], there: set[str]) -> Iterator[Finding]:
    for name in sorted(needed - there):
        yield Finding("list", f"{path}: {rule} {name}", f"does not have the {rule} '{name}', which other places have")


def _fuzzers(tree: Tree) -> Iterator[Finding]:
    """Each fuzzer has a reader, whose lines scripts/coverage.py counts, and a row in the table of what it counted."""
    fuzzers = _found(r"^  case (\w+)$", text_of(tree, FUZZERS)) | _found(r"^IN_C := (.*?)$", text_of(tree, FUZZERS_IN_C))
    table = text_of(tree, COVERAGE).partition("| fuzzer | reader |")[2].partition("\n\n")[0]
    for path, there in (
        (READERS, _found(r"^\[(\w+)\]$", text_of(tree, READERS))),
        (COVERAGE, _found(r"^\| `(\w+)` \|", table)),
    ):
        yield from _missing("fuzzer", path, fuzzers or {"of any name"}, there)
        for name in sorted(there - fuzzers):
            yield Finding("list", f"{path}: fuzzer {name}", f"has the fuzzer '{name}', which is no longer there")


def lists(tree: Tree, _rules: Rules) -> Iterator[Finding]:
    """The entries that one copy of a list has and another lacks."""
    yield from _fuzzers(tree)
    names, asked = _kinds(tree)
    swift = _found(r"allCases: \[Check\] = \[(.*?)\]", text_of(tree, CHECKS))
    protocol = _found(r"^\| `(\w+)` \|", text_of(tree, PROTOCOL).partition("| check | answer |")[2].partition("\n\n")[0])
    module = _found(r"values\[\] = \{(.*?)(?:, NULL)?\}", text_of(tree, MODULE))
    for path, there, needed in (
        (CHECKS, swift, protocol | module | asked),
        (PROTOCOL, protocol, swift | module | asked),
        # The module's list needs only the checks whose entry is a secret: an earlier module may already have asked for the
        # secret.
        (MODULE, module, asked),
    ):
        yield from _missing("check", path, needed or {"of any name"}, there)
    for path, pattern in NAMING.items():
        lines = "\n".join(re.findall(pattern, text_of(tree, path), re.MULTILINE))
        yield from _missing("type", path, names or {"of any name"}, _found(r".*", lines))
