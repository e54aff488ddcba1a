"""Runs the rows that are named, or all, and prints the table."""

import importlib
import pathlib
import pkgutil
import sys

from lab.machine import loopback_up
from lab.run import keep, outcome_of, show, summarize
from lab.table import ROWS, order
from packages import rows
from packages.scene import Scene


def main(folder, identifiers):
    for module in pkgutil.iter_modules(rows.__path__):
        importlib.import_module(f"packages.rows.{module.name}")
    unknown = [identifier for identifier in identifiers if identifier not in ROWS]
    if unknown:
        known = " ".join(sorted(ROWS, key=order))
        print(f"packages: there is no {', '.join(unknown)}; known are {known}", file=sys.stderr)
        return 64
    loopback_up()
    scene, outcomes = Scene(pathlib.Path(folder)), []
    for name, archive in scene.archives.items():
        print(f"packages: {name} {scene.version}: {archive.stat().st_size // 1024} KiB")
    for identifier in sorted(identifiers or ROWS, key=order):
        outcomes.append(outcome_of(ROWS[identifier], scene, with_baseline=False))
        show(outcomes[-1])
    keep("packages", outcomes)
    return summarize("packages", outcomes)


sys.exit(main(sys.argv[1], sys.argv[2:]))
