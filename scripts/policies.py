#!/usr/bin/env python3
"""Checks docs/policies.md: each row names types or source files that are there and tests that are there, and each result of
the table has one row. Checks docs/conformance.md: the suites, tests and vectors it names are there. Checks SECURITY.md and
docs/threats.md: the rows of `make test-...` that they name are there. `scripts/check.sh` calls it.

Prints one line for each row or result that does not, and fails if there is any.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def names_of_tests():
    """The names in each test file, by the file's name without its ending."""
    found = {}
    for path in (ROOT / "Tests").rglob("*.swift"):
        found.setdefault(path.stem, set()).update(re.findall(r"func `([^`]*)`", path.read_text(encoding="utf-8")))
    for path in (ROOT / "Tests/CShim").glob("test-*.c"):
        found[path.stem] = set(re.findall(r'\btest\("([^"]*)"', path.read_text(encoding="utf-8")))
    return found


def names_of_sources():
    """The names of source files without their ending, and of the types and functions that stand alone in Swift files."""
    declared = re.compile(r"(?m)^(?:\w+ )*(?:struct|enum|class|actor|protocol|func) (\w+)")
    found = set()
    for folder in ("Sources", "cshim"):
        for path in (ROOT / folder).rglob("*.*"):
            found.add(path.stem)
            if path.suffix == ".swift":
                found.update(declared.findall(path.read_text(encoding="utf-8")))
    return found


def problems_of(line, tests, sources):
    """What is wrong with one row of a table."""
    cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
    if len(cells) != 3:
        yield "a row has three columns: rule, where it is kept, tests"
        return
    kept = re.findall(r"`([^`]*)`", cells[1])
    if not kept:
        yield "no type or source file is named"
    for name in kept:
        if name not in sources:
            yield f"there is no type or source file {name}"
    suite = None
    for piece in cells[2].split("; "):
        named = re.match(r"`([\w-]+)`: (.*)", piece)
        suite, name = named.groups() if named else (suite, piece)
        if suite is None or name not in tests.get(suite, ()):
            yield f"there is no test '{name}' in {suite}"


def results_without_a_row(rows):
    """The numbers of the table of results that are not in one row's first cell, before its colon, exactly once."""
    listed = []
    for line in rows:
        named = re.match(r"\| ([\d, -]+):? ", line)
        for first, last in re.findall(r"(\d+)(?:-(\d+))?", named.group(1) if named else ""):
            listed += range(int(first), int(last or first) + 1)
    table = (ROOT / "Sources/FidoResults/FidoResult+Table.swift").read_text(encoding="utf-8")
    numbers = [int(digits.replace("_", "")) for digits in re.findall(r"= FidoResult\(\s*([\d_]+),", table)]
    return [number for number in numbers if listed.count(number) != 1]


def is_quoted(quote, names):
    """Whether `quote` is names out of `names`, set apart by commas (which names have as well); "…" is left out text."""
    parts = quote.split(", ")
    for count in range(len(parts), 0, -1):
        pattern = ".*".join(re.escape(piece.strip()) for piece in ", ".join(parts[:count]).split("…"))
        if any(re.fullmatch(pattern, name) for name in names):
            return count == len(parts) or is_quoted(", ".join(parts[count:]), names)
    return False


def problems_of_conformance(line, tests):
    """What is wrong with one line of docs/conformance.md."""
    for suite in re.findall(r"\w+Tests\b", line):
        if suite not in tests and not (ROOT / "Tests" / suite).is_dir():
            yield f"there is no suite {suite}"
    for names in re.findall(r"\bvectors? ((?:`[\w-]+`(?:, )?)+)", line):
        for name in re.findall(r"`([\w-]+)`", names):
            if not (ROOT / f"Tests/Vectors/uaf/{name}.json").is_file():
                yield f"there is no vector {name}"
    for piece in re.split(r"; |\s*\|\s*", line.strip()):
        named = re.fullmatch(r"((?:`?\w+Tests`?(?:, )?)+): (.*)", piece)
        suites, quote = named.groups() if named else ("", "")
        for suite in re.findall(r"\w+", suites):
            if not is_quoted(quote, tests.get(suite, ())):
                yield f"there is no test '{quote}' in {suite}"


def rows_of(package):
    """The identifiers of the rows of a package of Tests/Acceptance."""
    found = set()
    for path in (ROOT / "Tests/Acceptance" / package / "rows").glob("*.py"):
        found.update(re.findall(r'@row\(\s*"([^"]+)"', path.read_text(encoding="utf-8")))
    return found


def problems_of_rows(line):
    """Which rows a line names that are not there: `make test-devices` (D3, D10)."""
    for package, names in re.findall(r"`make test-(\w+)` \(([^)]*)\)", line):
        for name in names.replace("`", "").split(", "):
            if name not in rows_of(package):
                yield f"`make test-{package}` has no row {name}"


def main():
    tests = names_of_tests()
    sources = names_of_sources()
    broken, rows = 0, []
    lines = (ROOT / "docs/policies.md").read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, 1):
        if not line.startswith("|") or line.startswith(("| rule |", "|---")):
            continue
        rows.append(line)
        for problem in problems_of(line, tests, sources):
            print(f"check: docs/policies.md:{number}: {problem}")
            broken += 1
    if not rows:
        print("check: docs/policies.md has no rows")
    for number in results_without_a_row(rows):
        print(f"check: docs/policies.md: result {number} does not have one row")
        broken += 1
    for number, line in enumerate((ROOT / "docs/conformance.md").read_text(encoding="utf-8").splitlines(), 1):
        for problem in problems_of_conformance(line, tests):
            print(f"check: docs/conformance.md:{number}: {problem}")
            broken += 1
    for document in ("SECURITY.md", "docs/threats.md"):
        for number, line in enumerate((ROOT / document).read_text(encoding="utf-8").splitlines(), 1):
            for problem in problems_of_rows(line):
                print(f"check: {document}:{number}: {problem}")
                broken += 1
    sys.exit(1 if broken or not rows else 0)


main()
