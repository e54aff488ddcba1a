"""Prints the rows that failed in the last run of each suite: `python3 -m lab.broken FOLDER`, where FOLDER contains the
results."""

import json
import pathlib
import sys


def broken(folder):
    for path in sorted(pathlib.Path(folder).glob("*/*.json")):
        try:
            rows = json.loads(path.read_text())
        except ValueError:
            continue
        if not isinstance(rows, list):
            continue
        for row in rows:
            if isinstance(row, dict) and row.get("verdict") == "BROKEN":
                yield f"{path.stem} {row['id']}: {row['attack']}\n  expected {row['expected']}\n  seen     {row['seen']}"


if __name__ == "__main__":
    print("\n".join(broken(sys.argv[1])))
