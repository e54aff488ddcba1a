"""Runs rows and prints the table. `main` is what the programs of the packages with rows call."""

import importlib
import json
import os
import pathlib
import pkgutil
import signal
import sys
import time
import traceback

from lab.limit import ends_within, within
from lab.machine import Lab
from lab.processes import gone
from lab.table import ROWS, Broken, Outcome, Skip, order

# All points of failure take many times as long as the part that fits into `make test`.
THOROUGH = 20


def outcome_of(row, lab, with_baseline):
    started = time.monotonic()
    limit = row.limit * (THOROUGH if lab.thorough else 1)
    try:
        with within(limit, row.identifier):
            verdict, seen = "held", row.act(lab)
    except Skip as reason:
        verdict, seen = "skipped", str(reason)
    except Broken as reason:
        verdict, seen = "BROKEN", str(reason)
    except Exception:
        # A harness that cannot decide has proved nothing.
        verdict, seen = "BROKEN", "the row itself failed: " + traceback.format_exc(limit=-3)
    lab.tidy()
    if left := gone():
        verdict, seen = "BROKEN", f"{seen}; programs of ours are left: {left}"
    outcome = Outcome(row, verdict, seen, time.monotonic() - started)
    if with_baseline and row.baseline:
        try:
            with within(limit, f"{row.identifier}, pam_faillock"):
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
    if row.causes:
        print(f"              caused by {', '.join(row.causes)}")
    print(f"              expected  {row.expected}")
    print(f"              seen      {outcome.seen}")
    if outcome.baseline is not None:
        print(f"              faillock  {outcome.baseline_verdict}: {outcome.baseline}")
    sys.stdout.flush()


def keep(name, outcomes):
    folder = pathlib.Path(os.environ["LAB_RESULTS"])
    folder.mkdir(parents=True, exist_ok=True)
    lines = [
        {
            "id": outcome.row.identifier,
            "attack": outcome.row.title,
            "causes": outcome.row.causes,
            "expected": outcome.row.expected,
            "seen": outcome.seen,
            "verdict": outcome.verdict,
            "seconds": round(outcome.seconds, 1),
            "faillock": outcome.baseline,
            "faillockVerdict": outcome.baseline_verdict,
        }
        for outcome in outcomes
    ]
    (folder / f"{name}.json").write_text(json.dumps(lines, indent=1) + "\n")


def summarize(name, outcomes):
    """Repeats the failed rows, so that the end of a long log shows them, with their number."""
    for outcome in outcomes:
        if outcome.verdict == "BROKEN":
            show(outcome)
    for outcome in outcomes:
        if outcome.verdict == "skipped":
            print(f"{name}: {outcome.row.identifier} was skipped: {outcome.seen}")
    count = {verdict: sum(o.verdict == verdict for o in outcomes) for verdict in ("held", "BROKEN", "skipped")}
    print(f"{name}: {count['held']} passed, {count['BROKEN']} failed, {count['skipped']} skipped")
    return 1 if count["BROKEN"] else 0


def main(name, rows, identifiers, enter=None, limit=None, left_out=()):
    """Runs the rows of a package's folder `rows` that are named, or all; returns the exit status.

    `enter` returns the rows' lab, as a context; by default, this is the machine that `attack` and `system` share. A run ends
    after `limit` seconds. Rows of `left_out` run only if they are named.
    """
    if limit:
        ends_within(limit, name)
    # A shell that starts this in the background makes it ignore some of these signals, and the hosts would inherit that.
    for number in (signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for module in pkgutil.iter_modules(rows.__path__):
        importlib.import_module(f"{rows.__name__}.{module.name}")
    unknown = [identifier for identifier in identifiers if identifier not in ROWS]
    if unknown:
        known = " ".join(sorted(ROWS, key=order))
        print(f"{name}: there is no {', '.join(unknown)}; known are {known}", file=sys.stderr)
        return 64
    outcomes = []
    with enter() if enter else Lab(thorough=bool(os.environ.get("THOROUGH"))) as lab:
        for identifier in sorted(identifiers or set(ROWS) - set(left_out), key=order):
            outcomes.append(outcome_of(ROWS[identifier], lab, bool(os.environ.get("BASELINE"))))
            show(outcomes[-1])
    keep(name, outcomes)
    return summarize(name, outcomes)
