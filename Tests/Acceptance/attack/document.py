"""The table of SECURITY.md, made from the last complete run. `python3 -m attack.document` writes it; with `--check` it
only checks whether the page lists the current rows."""

import importlib
import json
import pathlib
import pkgutil
import sys

from attack import rows
from lab.table import ROWS, order

CHECKOUT = pathlib.Path(__file__).resolve().parents[3]
PAGE = CHECKOUT / "SECURITY.md"
RESULTS = CHECKOUT / "build/attack/attack.json"
BEGIN, END = "<!-- attacks: begin, written by Tests/Acceptance/attack/document.py -->\n", "<!-- attacks: end -->\n"


def cell(text):
    return " ".join((text or "").split()).replace("|", "\\|")


def table(outcomes):
    lines = ["| id | attack | caused by | must hold | seen | pam_faillock |", "|---|---|---|---|---|---|"]
    for outcome in outcomes:
        seen = outcome["seen"] if outcome["verdict"] == "held" else f"{outcome['verdict']}: {outcome['seen']}"
        beside = f"{outcome['faillockVerdict']}: {outcome['faillock']}" if outcome["faillock"] else ""
        cells = [outcome["id"], outcome["attack"], ", ".join(outcome["causes"]), outcome["expected"], seen, beside]
        lines.append("| " + " | ".join(cell(text) for text in cells) + " |")
    return "\n".join(lines) + "\n"


def write():
    outcomes = json.loads(RESULTS.read_text())
    missing = sorted(set(ROWS) - {outcome["id"] for outcome in outcomes}, key=order)
    if missing:
        sys.exit(f"document: the last run was not complete, it lacks {' '.join(missing)}: run 'make attack BASELINE=1'")
    before, rest = PAGE.read_text().split(BEGIN)
    _, after = rest.split(END)
    PAGE.write_text(before + BEGIN + table(outcomes) + END + after)


def check():
    _, rest = PAGE.read_text().split(BEGIN)
    if unnamed := [row.identifier for row in ROWS.values() if not row.causes]:
        sys.exit(f"check: rows of Tests/Acceptance/attack that do not say who can bring them about: {' '.join(unnamed)}")
    listed = [line.split(" | ")[:4] for line in rest.split(END)[0].splitlines() if line.startswith("| A")]
    known = {identifier.removeprefix("| "): tuple(cells) for identifier, *cells in listed}
    wrong = [
        row.identifier
        for row in ROWS.values()
        if known.get(row.identifier) != (cell(row.title), ", ".join(row.causes), cell(row.expected))
    ]
    wrong += sorted(set(known) - set(ROWS))
    if wrong:
        rows_named = " ".join(sorted(wrong, key=order))
        sys.exit(f"check: SECURITY.md's table of attacks is not that of Tests/Acceptance/attack: {rows_named}")


if __name__ == "__main__":
    for module in pkgutil.iter_modules(rows.__path__):
        importlib.import_module(f"attack.rows.{module.name}")
    check() if sys.argv[1:] == ["--check"] else write()
