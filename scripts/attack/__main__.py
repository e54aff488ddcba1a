"""Runs the rows that are named, or all, and prints the table."""

import importlib
import json
import os
import pathlib
import pkgutil
import sys
import time
import traceback

from attack import rows
from attack.lab import Lab
from attack.table import ROWS, Broken, Outcome, Skip, order


def run(row, lab, with_baseline):
    started = time.monotonic()
    try:
        verdict, seen = "held", row.attack(lab)
    except Skip as reason:
        verdict, seen = "skipped", str(reason)
    except Broken as reason:
        verdict, seen = "BROKEN", str(reason)
    except Exception:
        # A harness that cannot tell has shown nothing.
        verdict, seen = "BROKEN", "the attack itself failed: " + traceback.format_exc(limit=-3)
    outcome = Outcome(row, verdict, seen, time.monotonic() - started)
    lab.tidy()
    if with_baseline and row.baseline:
        try:
            holds, outcome.baseline = row.baseline(lab)
            outcome.baseline_verdict = "holds" if holds else "falls"
        except Skip as reason:
            outcome.baseline, outcome.baseline_verdict = str(reason), "skipped"
        except Exception:
            outcome.baseline, outcome.baseline_verdict = traceback.format_exc(limit=-3), "not told"
        lab.tidy()
    return outcome


def show(outcome):
    row = outcome.row
    print(f"{row.identifier:4} {outcome.verdict:8} {row.title}  [{outcome.seconds:.1f} s]")
    print(f"              expected  {row.expected}")
    print(f"              seen      {outcome.seen}")
    if outcome.baseline is not None:
        print(f"              faillock  {outcome.baseline_verdict}: {outcome.baseline}")
    sys.stdout.flush()


def keep(outcomes):
    folder = pathlib.Path(os.environ["ATTACK_RESULTS"])
    folder.mkdir(parents=True, exist_ok=True)
    lines = [
        {
            "id": outcome.row.identifier, "attack": outcome.row.title, "expected": outcome.row.expected,
            "seen": outcome.seen, "verdict": outcome.verdict, "seconds": round(outcome.seconds, 1),
            "faillock": outcome.baseline, "faillockVerdict": outcome.baseline_verdict,
        } for outcome in outcomes
    ]
    (folder / "attack.json").write_text(json.dumps(lines, indent=1) + "\n")


def main(names):
    for module in pkgutil.iter_modules(rows.__path__):
        importlib.import_module(f"attack.rows.{module.name}")
    unknown = [name for name in names if name not in ROWS]
    if unknown:
        print(f"attack: there is no {', '.join(unknown)}; known are {' '.join(sorted(ROWS, key=order))}", file=sys.stderr)
        return 64
    outcomes = []
    with Lab(thorough=bool(os.environ.get("THOROUGH"))) as lab:
        for identifier in sorted(names or ROWS, key=order):
            outcomes.append(run(ROWS[identifier], lab, bool(os.environ.get("BASELINE"))))
            show(outcomes[-1])
    keep(outcomes)
    count = {verdict: sum(o.verdict == verdict for o in outcomes) for verdict in ("held", "BROKEN", "skipped")}
    for outcome in outcomes:
        if outcome.verdict == "skipped":
            print(f"attack: {outcome.row.identifier} was skipped: {outcome.seen}")
    print(f"attack: {count['held']} passed, {count['BROKEN']} failed, {count['skipped']} skipped")
    return 1 if count["BROKEN"] else 0


sys.exit(main(sys.argv[1:]))
