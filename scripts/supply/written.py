"""Compares what people wrote about the components, in docs/dependencies.md and debian/copyright, with what is linked."""

import fnmatch
import re
from collections.abc import Iterator

from supply.contents import Contents
from supply.facts import ROOT, Facts
from supply.resolved import Checkout

# The names of licences in debian/copyright.
_DEBIAN = {
    "MIT": "Expat",
    "Apache-2.0 WITH Swift-exception": "Apache-2.0-with-Runtime-Library-Exception",
    "GPL-3.0-or-later WITH GCC-exception-3.1": "GPL-3+-with-GCC-exception",
    "LGPL-2.1-or-later": "LGPL-2.1+",
}


def rows(text: str, heading: str) -> list[list[str]]:
    """The rows of the tables below a heading, as cells without backticks."""
    part = re.split(r"^## ", text.split(f"\n## {heading}\n", 1)[-1], maxsplit=1, flags=re.MULTILINE)[0]
    lines = [line for line in part.splitlines() if line.startswith("| ")]
    cells = [[cell.strip().replace("`", "") for cell in line.strip("|").split(" | ")] for line in lines]
    return [row for row in cells if row[0] not in ("package", "library")]


def _page(linked: dict[str, set[str]], checkouts: dict[str, Checkout], known: Facts) -> Iterator[str]:
    page = (ROOT / "docs/dependencies.md").read_text(encoding="utf-8")
    said = {row[0]: row[1:] for row in rows(page, "Swift packages")}
    for name in sorted(set(said) | set(checkouts)):
        if name not in checkouts or name not in said:
            yield f"docs/dependencies.md: {name} is {'only here' if name in said else 'missing'}"
            continue
        programs = ", ".join(sorted(linked.get(name, set()))) or "–"
        wanted = [checkouts[name].version, programs, known.swift.get(name, {}).get("licence", "")]
        version, _, where, licence = said[name]
        if [version, ", ".join(sorted(where.split(", "))), licence] != wanted:
            yield f"docs/dependencies.md: {name}: the row has to say {' | '.join(wanted)}"


def _stanzas() -> dict[str, str]:
    """Licences in debian/copyright, by the pattern of files."""
    text = (ROOT / "debian/copyright").read_text(encoding="utf-8")
    found = {}
    for stanza in text.split("\n\n"):
        files = re.search(r"^Files:\s*((?:.|\n )*)", stanza, re.MULTILINE)
        licence = re.search(r"^License: (.*)$", stanza, re.MULTILINE)
        for pattern in files.group(1).split() if files and licence else []:
            found[pattern] = licence.group(1) if licence else ""
    return found


def _copyright(licences: dict[str, str]) -> Iterator[str]:
    stanzas = {pattern: licence for pattern, licence in _stanzas().items() if pattern != "*"}
    for name, licence in sorted(licences.items()):
        wanted = " and ".join(_DEBIAN.get(one, one) for one in licence.split(" AND "))
        matching = [pattern for pattern in stanzas if fnmatch.fnmatch(name, pattern)]
        if not matching:
            yield f"debian/copyright: {name} is linked, and not here"
        elif stanzas[matching[-1]] != wanted:
            yield f"debian/copyright: {name} is under {wanted}, and here under {stanzas[matching[-1]]}"
    for pattern in stanzas:
        # A file of this source has its own paragraph if its licence is another one.
        if not fnmatch.filter(licences, pattern) and not (ROOT / pattern).is_file():
            yield f"debian/copyright: {pattern} is no longer linked"


def problems(inside: dict[str, list[Contents]], checkouts: dict[str, Checkout], known: Facts) -> Iterator[str]:
    """Each row and each stanza that does not agree with what is linked."""
    linked: dict[str, set[str]] = {}
    licences: dict[str, str] = {}
    for one in (one for programs in inside.values() for one in programs):
        for package in one.packages:
            linked.setdefault(package, set()).add(one.program.name)
            licences[f"linked/{package}"] = known.swift.get(package, {}).get("licence", "")
        for file in one.runtime:
            name = known.runtime_of(file.rsplit("/", 1)[-1])
            licences[f"runtime/{name}"] = str(known.runtime[name]["licence"])
        for name, entry in known.vendored.items():
            if entry["module"] in one.modules:
                licences[f"linked/{name}"] = entry["licence"]
    yield from _page(linked, checkouts, known)
    yield from _copyright(licences)
