"""The numbers of docs/protocol.md: types, operations, outcomes and limits of packets, which Swift has as well.

Fields are compared by a test, name by name. If a number is only in the document, or means something else there,
people who write their own front end or server do something that no program here does.
"""

import re
from collections.abc import Iterator

from configuration import Rules
from lists import PROTOCOL, text_of
from tree import Finding, Tree

TESTS = "Tests/UAFWireTests/PacketTests.swift"
_WIRE = "Sources/Login/UAFWire/"
# Enumerations of Swift: where they are, the text right before the list in the document, and the text that ends it.
NAMED = {
    "Operation": (_WIRE + "Begin.swift", "Operations: ", ".\n"),
    "PromptStep": (_WIRE + "CoreMessage.swift", "Steps of a prompt: ", ".\n"),
    "Purpose": (_WIRE + "ChipRequest.swift", "purpose:u8! (", ")"),
    "ChipOutcome": (_WIRE + "ChipRequest.swift", "- outcome: ", ". `docs/tpm.md`"),
    "Wish": (_WIRE + "FingerAsk.swift", "wish:u8! (", ")"),
    "ChallengePurpose": (
        "Sources/Shared/UAFMessages/Messages/PurposedChallenge.swift",
        "| purpose | word | what for |\n|---|---|---|\n",
        "\n\n",
    ),
}
# Enumerations whose numbers the document explains in sentences instead of a list.
COUNTED = {
    "PacketType": (_WIRE + "Packet.swift", "", ""),
    "FetchOutcome": (_WIRE + "FetchResponse.swift", "| outcome | meaning |\n|---|---|\n| 0 | answered", "\n\n"),
    "State": (_WIRE + "FingerAsk.swift", "| state | meaning |\n|---|---|\n| 0 | ready", "\n\n"),
    "FingerTouch": (_WIRE + "FingerAsk.swift", "| outcome | meaning |\n|---|---|\n| 0, 1 | matched", "\n\n"),
    "Cause": (_WIRE + "FingerAsk.swift", "| cause | meaning |\n|---|---|\n", "\n\n"),
    "Outcome": (_WIRE + "NameRequest.swift", "| outcome | meaning |\n|---|---|\n| 0 | found", "\n\n"),
}
# A word of the document that is spelt out in Swift.
_SPELT = {"init": "initialise"}
_SIZES = {"u8": 1, "bool": 1, "u16": 2, "u32": 4}


def _cases(tree: Tree, path: str, name: str) -> dict[int, str]:
    """The cases of an enumeration by their numbers."""
    found = re.search(rf"^( *)public enum {name}: UInt8\b.*?^\1\}}$", text_of(tree, path), re.DOTALL | re.MULTILINE)
    if not found:
        return {}
    # The cases of nested enumerations are further to the right.
    cases = re.findall(rf"^{found.group(1)}  case (\w+) = (0x\w+|\d+)$", found.group(), re.MULTILINE)
    return {int(number, 0): case for case, number in cases}


def _section(text: str, begin: str, end: str) -> str:
    """A list of the document, with the pattern of its entries."""
    _, found, rest = text.partition(begin)
    return begin.rpartition("\n")[2] + rest.partition(end)[0] if found else ""


def _numbers(rows: str) -> set[int]:
    """The numbers of rows such as `| 0, 1 |` and `| 2 to 6 |`."""
    found: set[int] = set()
    for cell in re.findall(r"^\| ([\d, to]+) \|", rows, re.MULTILINE):
        for first, last in re.findall(r"(\d+)(?: to (\d+))?", cell):
            found |= set(range(int(first), int(last or first) + 1))
    return found


def _limits(tree: Tree) -> Iterator[tuple[int, dict[int, int], dict[int, int]]]:
    """For each type of packet the greatest sizes of its fields, in the document and in the test."""
    types = {name: number for number, name in _cases(tree, _WIRE + "Packet.swift", "PacketType").items()}
    copy = text_of(tree, TESTS).partition("limits: [PacketType: [UInt8: Int]] = [")[2].partition("\n  ]")[0]
    tested = {types.get(name, 0): body for name, body in re.findall(r"\.(\w+): \[([^\]]*)\]", copy)}
    for number, _, fields in re.findall(r"^\| 0x(\w\w) \| ([^|]+) \|[^|]+\| (.*) \|$", text_of(tree, PROTOCOL), re.MULTILINE):
        said = {}
        for tag, form in re.findall(r"(?:^| · )(\d+)\*? \w+:([\w≤]+)", fields):
            said[int(tag)] = _SIZES.get(form) or int(form.rpartition("≤")[2] or 0)
        body = tested.get(int(number, 16), "")
        yield int(number, 16), said, {int(tag): int(size) for tag, size in re.findall(r"(\d+): (\d+)", body)}


def numbers(tree: Tree, _rules: Rules) -> Iterator[Finding]:
    """Numbers that differ between the document and Swift."""
    text = text_of(tree, PROTOCOL)
    for name, (path, begin, end) in NAMED.items():
        pairs = re.findall(r"(\d+) (?:\| `)?([a-zA-Z][\w-]*(?: [\w-]+)*)", _section(text, begin, end))
        said = {int(number): _SPELT.get(word, word).replace(" ", "").replace("-", "").lower() for number, word in pairs}
        if said != {number: case.lower() for number, case in _cases(tree, path, name).items()} or not said:
            yield Finding("wire", f"{PROTOCOL}: {name}", f"does not have the numbers and words of {name} in {path}")
    for name, (path, begin, end) in COUNTED.items():
        if begin:
            listed = _numbers(_section(text, begin, end))
        else:
            listed = {int(number, 16) for number in re.findall(r"^\| 0x(\w\w) \|", text, re.MULTILINE)}
        if listed != set(_cases(tree, path, name)) or not listed:
            yield Finding("wire", f"{PROTOCOL}: {name}", f"does not have the numbers of {name} in {path}")
    for number, said_sizes, tested in _limits(tree):
        if said_sizes != tested:
            yield Finding("wire", f"{PROTOCOL}: 0x{number:02X}", f"does not have the limits of {TESTS}")
