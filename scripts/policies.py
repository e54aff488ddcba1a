#!/usr/bin/env python3
"""Checks docs/policies.md: each row names types or source files that exist and tests that exist, and each result of
the table has one row, with its PAM code. Checks docs/conformance.md: the suites, tests and vectors that it names exist. Checks
SECURITY.md and docs/threats.md: the suites, attacks and rows of `make test-...` that they name exist. Checks docs/cves.md: each
fault has an identifier that no other row has, and names rows and tests that exist, or says why there is none. `scripts/check.sh`
calls it.

Prints one line for each violation, and fails if there is any.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TESTS = ("Tests", "Server/Tests")
TABLE = ROOT / "Sources/Shared/FidoResults/FidoResult+Table.swift"
# The PAM code that a row names first, by the rule of the table; a result without a rule is a refusal.
CODES = {
    "": "AUTH_ERR",
    ".authenticated": "SUCCESS",
    ".valueChanged": "SUCCESS",
    ".fault": "SERVICE_ERR",
    ".notRegistered": "USER_UNKNOWN",
    ".unknownUser": "USER_UNKNOWN",
    ".locked": "MAXTRIES",
    ".noAnswer": "AUTHINFO_UNAVAIL",
    ".always(.systemError)": "SYSTEM_ERR",
    ".always(.conversationError)": "CONV_ERR",
    ".always(.tokenError)": "AUTHTOK_ERR",
    ".always(.credentialsUnavailable)": "CRED_UNAVAIL",
}


def names_of_tests():
    """The names in each test file, by the file's name without its ending."""
    found = {}
    for folder in TESTS:
        for path in (ROOT / folder).rglob("*.swift"):
            found.setdefault(path.stem, set()).update(re.findall(r"func `([^`]*)`", path.read_text(encoding="utf-8")))
    for path in (ROOT / "Tests/CShim").glob("test-*.c"):
        found[path.stem] = set(re.findall(r'\btest\("([^"]*)"', path.read_text(encoding="utf-8")))
    return found


def names_of_sources():
    """The names of source files without their ending, and of the types and functions at the top level of Swift files."""
    declared = re.compile(r"(?m)^(?:\w+ )*(?:struct|enum|class|actor|protocol|func) (\w+)")
    found = set()
    for folder in ("Sources", "Server/Sources", "cshim"):
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
    yield from problems_of_tests(cells[2].split("; "), tests)


def problems_of_tests(pieces, tests):
    """The named tests that do not exist. A test that is named without a suite belongs to the last suite before it."""
    suite = None
    for piece in pieces:
        named = re.match(r"`([\w-]+)`: (.*)", piece)
        suite, name = named.groups() if named else (suite, piece)
        if suite is None or name not in tests.get(suite, ()):
            yield f"there is no test '{name}' in {suite}"


def problems_of_results(rows):
    """What is wrong with the results of the table: a number that is not in one row's first cell, before its colon, exactly once;
    a PAM code that differs from the table's. A result that is never an ending has none."""
    listed = {}
    for line in rows:
        named = re.match(r"\| ([\d, -]+):? ([^|]*)", line)
        if not named:
            continue
        for first, last in re.findall(r"(\d+)(?:-(\d+))?", named.group(1)):
            for number in range(int(first), int(last or first) + 1):
                listed.setdefault(number, []).append(named.group(2))
    table = TABLE.read_text(encoding="utf-8")
    for digits, rest in re.findall(r'= FidoResult\(\s*([\d_]+),\s*"\w+"(.*)\)', table):
        number, rule = int(digits.replace("_", "")), rest.removeprefix(", ")
        cells = listed.get(number, [])
        if len(cells) != 1:
            yield f"result {number} does not have one row"
            continue
        codes = re.findall(r"\b(?:[A-Z]+_)?(?:SUCCESS|ERR|UNKNOWN|MAXTRIES|UNAVAIL)\b", cells[0])
        if codes and codes[0] != CODES.get(rule):
            yield f"result {number} has {codes[0]}, and {CODES.get(rule, rule)} in the table"


def is_quoted(quote, names):
    """Whether `quote` is made of names from `names`, separated by commas (names contain those as well); "…" stands for omitted
    text."""
    parts = quote.split(", ")
    for count in range(len(parts), 0, -1):
        pattern = ".*".join(re.escape(piece.strip()) for piece in ", ".join(parts[:count]).split("…"))
        if any(re.fullmatch(pattern, name) for name in names):
            return count == len(parts) or is_quoted(", ".join(parts[count:]), names)
    return False


def problems_of_conformance(line, tests):
    """What is wrong with one line of docs/conformance.md."""
    for suite in re.findall(r"\w+Tests\b", line):
        if suite not in tests and not any((ROOT / folder / suite).is_dir() for folder in TESTS):
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


def problems_of_promise(line, tests, attacks):
    """The tests that a line names but that do not exist: `LockTests`, A12, C: start, and `make test-devices` (D3, D10)."""
    for suite in re.findall(r"\b\w+Tests\b", line):
        if suite not in tests and not any((ROOT / folder / suite).is_dir() for folder in TESTS):
            yield f"there is no suite {suite}"
    for name in re.findall(r"(?<![\w#+-])A\d+\b", line):
        if name not in attacks:
            yield f"there is no attack {name}"
    for names in re.findall(r"\bC: ((?:[a-z]+(?:, )?)+)", line):
        for name in names.removesuffix(", ").split(", "):
            if not any((ROOT / "Tests/CShim" / f"test-{name}{end}").is_file() for end in ("", ".c")):
                yield f"there is no C test {name}"
    for package, names in re.findall(r"`make test-(\w+)` \(([^)]*)\)", line):
        for name in names.replace("`", "").split(", "):
            if name not in rows_of(package):
                yield f"`make test-{package}` has no row {name}"


# In docs/cves.md, what a cell names besides tests, and what it says instead.
ROWS = re.compile(r"A\d+(?:, A\d+)*|`make test-\w+` \([^)]+\)")
SCRIPT = re.compile(r"`(scripts/[\w./-]+)`")
NOTHING = "–"
IDENTIFIER = re.compile(r"CVE-(?:19|20)\d\d-\d{4,}|GHSA(?:-[2-9cfghjmpqrvwx]{4}){3}")


def problems_of_fault(line, tests, attacks, listed):
    """What is wrong with one row of docs/cves.md; its identifiers are added to `listed`."""
    cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
    if len(cells) != 5 or not all(cells):
        yield "a row has five columns, none of them empty: identifier, product, what went wrong, here, shown by"
        return
    for identifier in cells[0].split(", "):
        if not IDENTIFIER.fullmatch(identifier):
            yield f"'{identifier}' is no identifier of a CVE or an advisory"
        elif identifier in listed:
            yield f"{identifier} has a row already"
        listed.add(identifier)
    yield from problems_of_promise(line, tests, attacks)
    if cells[4] == NOTHING:
        return
    pieces = [piece for piece in cells[4].split("; ") if not ROWS.fullmatch(piece)]
    for path in (match.group(1) for piece in pieces if (match := SCRIPT.fullmatch(piece))):
        if not (ROOT / path).is_file():
            yield f"there is no {path}"
    yield from problems_of_tests([piece for piece in pieces if not SCRIPT.fullmatch(piece)], tests)


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
    for problem in problems_of_results(rows):
        print(f"check: docs/policies.md: {problem}")
        broken += 1
    for number, line in enumerate((ROOT / "docs/conformance.md").read_text(encoding="utf-8").splitlines(), 1):
        for problem in problems_of_conformance(line, tests):
            print(f"check: docs/conformance.md:{number}: {problem}")
            broken += 1
    attacks = rows_of("attack")
    for document in ("SECURITY.md", "docs/threats.md"):
        for number, line in enumerate((ROOT / document).read_text(encoding="utf-8").splitlines(), 1):
            for problem in problems_of_promise(line, tests, attacks):
                print(f"check: {document}:{number}: {problem}")
                broken += 1
    listed = set()
    for number, line in enumerate((ROOT / "docs/cves.md").read_text(encoding="utf-8").splitlines(), 1):
        if not line.startswith("|"):
            problems = problems_of_promise(line, tests, attacks)
        elif line.startswith(("| identifier |", "|---|")):
            problems = ()
        else:
            problems = problems_of_fault(line, tests, attacks, listed)
        for problem in problems:
            print(f"check: docs/cves.md:{number}: {problem}")
            broken += 1
    if not listed:
        print("check: docs/cves.md has no rows")
    sys.exit(1 if broken or not rows or not listed else 0)


main()
