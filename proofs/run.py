#!/usr/bin/env python3
"""Checks the models of this folder with Spin: each property in each world, and that Spin finds the mutation that breaks it.

  run.py               all of it, one line each, and compares the table of the ledger's steps; two checks at a time
  run.py NAME...       only the named worlds and mutations
  run.py --show NAME   what leads to the violation of a mutation, or of a world in which there is one, as events
  run.py --write-table writes table.txt, after a change of the ledger and of its model

Worlds are named by their first words. README.md says what the models contain.
"""

import argparse
import re
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUILD = HERE.parent / "build/proofs"
TABLE = HERE / "table.txt"
SECONDS = 180
MEGABYTES = 1500
AT_A_TIME = 2

LEDGER = [
    "no guess is uncounted",
    "no guess is counted twice",
    "no guess is looked at beyond the limit",
    "no lock is lost",
    "nobody else locks the person out",
]
PERSON = ["a right value gets in"]
SERVER = [
    "no challenge is accepted twice",
    "no counter goes back",
    "no acknowledged row is lost",
    "nothing is accepted after expiry",
]
PROPERTIES = {"attempts": LEDGER, "person": PERSON, "server": SERVER}


@dataclass(frozen=True)
class Check:
    """A search of one model; without `breaks` it must find nothing."""

    name: str
    model: str
    switches: tuple[str, ...]
    breaks: str = ""

    @property
    def folder(self) -> Path:
        """Where its verifier is built."""
        return BUILD / re.sub(r"\W+", "-", f"{self.name} {self.breaks}").strip("-")

    @property
    def text(self) -> str:
        """What it shows, in words."""
        if self.breaks:
            return f"with {self.name}, Spin finds that this is broken: {self.breaks}"
        return f"{self.name}: {', '.join(PROPERTIES[self.model])}"


def _origins(*names: str) -> tuple[str, ...]:
    return tuple(f"{place}={name}" for place, name in zip(("FIRST", "SECOND", "THIRD"), names))


_THREE_ORIGINS = _origins("LOCAL", "REMOTE", "OTHER_USER")
_TWO_AND_REMOTE = _origins("LOCAL", "LOCAL", "REMOTE")
_TIMELESS = ("FIRST_ANSWER=0", "LAST_ANSWER=3", "LATEST=0", "CLOCKS_DIFFER=0")
_CLOCKS = ("FIRST_ANSWER=3", "LAST_ANSWER=3")

# The longest first: two run at a time.
WORLDS = [
    Check(
        "remote: two local conversations and a remote one",
        "attempts",
        (*_TWO_AND_REMOTE, "TRIES_OF_STRANGERS=1", "LOCK_TIME=1"),
    ),
    Check("origins: a local, a remote and another user's conversation", "attempts", (*_THREE_ORIGINS, "TRIES=1", "LOCK_TIME=1")),
    Check("person: strangers guess without end", "person", ("TRIES_OF_STRANGERS=1",)),
    Check(
        "permanent: two local conversations and a remote one, whose locks double and then are permanent",
        "attempts",
        (*_TWO_AND_REMOTE, "TRIES=1", "LOCK_TIME=1", "LONGEST_LOCK=2", "MAX_LOCKS_OF_STRANGERS=1"),
    ),
    Check("tries: three local conversations, three tries", "attempts", ("TRIES=3", "LOCK_TIME=1")),
    Check("local: three local conversations", "attempts", ()),
    Check("failover: two instances, four answers", "server", _TIMELESS),
    Check(
        "together: three answers under way at a failover",
        "server",
        ("FIRST_ANSWER=0", "LAST_ANSWER=2", "LATEST=0", "CLOCKS_DIFFER=0", "REQUESTS=3"),
    ),
    Check("clocks: two instances whose clocks differ", "server", _CLOCKS),
]

_TWICE, _BACK, _ROW, _EXPIRY = SERVER
_UNCOUNTED, _DOUBLE, _BEYOND, _LOST, _OUT = LEDGER
_SMALL = (*_THREE_ORIGINS, "TRIES_OF_STRANGERS=1", "LOCK_TIME=1")

MUTATIONS = [
    Check("LOOKS_FIRST", "attempts", (), _UNCOUNTED),
    Check("FORGIVES_LATER", "attempts", (), _UNCOUNTED),
    Check("NOT_DURABLE", "attempts", (), _UNCOUNTED),
    Check("COUNTS_TWICE", "attempts", (), _DOUBLE),
    Check("CHECKS_AND_COUNTS_APART", "attempts", (), _BEYOND),
    Check("FORGETS_LOCKS", "attempts", (), _BEYOND),
    Check("LOCKS_WHEN_WRONG", "attempts", (), _BEYOND),
    Check("REBOOT_ENDS_LOCK", "attempts", (), _LOST),
    Check("CLOCK_BACK_ENDS_LOCK", "attempts", (), _LOST),
    Check("USES_WALL_CLOCK", "attempts", (), _LOST),
    Check(
        "LIFTS_PERMANENT",
        "attempts",
        (*_TWO_AND_REMOTE, "TRIES=1", "LOCK_TIME=1", "MAX_LOCKS_OF_STRANGERS=0"),
        _LOST,
    ),
    Check("LOCKS_WHEN_WRONG", "attempts", (), _LOST),
    Check("ANY_LOCK_STOPS_LOCAL", "attempts", _SMALL, _OUT),
    Check("REFUSAL_RESTARTS_LOCK", "person", ("TRIES_OF_STRANGERS=1",), PERSON[0]),
    Check("ANY_LOCK_STOPS_LOCAL", "person", ("TRIES_OF_STRANGERS=1",), PERSON[0]),
    Check("IGNORES_CONFLICT", "server", _TIMELESS, _TWICE),
    Check("DOES_NOT_WAIT_FOR_STANDBY", "server", _TIMELESS, _TWICE),
    Check("KEPT_UNTIL_EXPIRY", "server", _CLOCKS, _TWICE),
    Check("CLOCKS_DIFFER=APART", "server", _CLOCKS, _TWICE),
    Check("TRUSTS_THE_COUNTER_IT_READ", "server", _TIMELESS, _BACK),
    Check("DOES_NOT_WAIT_FOR_STANDBY", "server", _TIMELESS, _BACK),
    Check("DOES_NOT_WAIT_FOR_STANDBY", "server", _TIMELESS, _ROW),
    Check("WARNING_IS_SUCCESS", "server", _TIMELESS, _ROW),
    Check("DOES_NOT_LOCK_THE_END", "server", _TIMELESS, _ROW),
    Check("RECORDS_APART", "server", _TIMELESS, _ROW),
    Check("DOES_NOT_CHECK_EXPIRY", "server", _CLOCKS, _EXPIRY),
]


class Failure(Exception):
    """A step that did not work, with what it said."""


def _run(command: list[str], folder: Path, limit: float = SECONDS) -> str:
    try:
        result = subprocess.run(
            command, cwd=folder, check=False, text=True, timeout=limit, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
    except subprocess.TimeoutExpired as error:
        raise Failure(f"{command[0]} took longer than {limit} s") from error
    if result.returncode:
        raise Failure(f"{command[0]} ended with {result.returncode}: {result.stdout.strip()[-400:]}")
    return result.stdout


def _switches(check: Check, more: Iterable[str] = ()) -> list[str]:
    own = [check.name] if check.breaks else []
    only = [f"ONLY={PROPERTIES[check.model].index(check.breaks) + 1}"] if check.breaks else []
    return [f"-D{switch}" for switch in (*check.switches, *own, *only, *more)]


def _verifier(check: Check, spin: Iterable[str] = (), gcc: Iterable[str] = ()) -> Path:
    folder = check.folder
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    for model in HERE.glob("*.pml"):
        (folder / model.name).write_bytes(model.read_bytes())
    said = _run(["spin", *_switches(check, spin), "-a", f"{check.model}.pml"], folder)
    if "Error" in said:
        raise Failure(f"spin: {said.strip()[-400:]}")
    options = ["-DNFAIR=3"] if check.model == "person" else ["-DSAFETY"]
    # A mutation is found soon: to optimise its search would take longer than the search.
    options.append("-O0" if check.breaks else "-O2")
    _run(["gcc", "-w", "-DNOREDUCE", f"-DMEMLIM={MEGABYTES}", *options, *gcc, "-o", "pan", "pan.c"], folder)
    return folder


def _search(check: Check) -> str:
    """What the verifier prints."""
    fair = ["-a", "-f"] if check.model == "person" else []
    return _run(["./pan", "-m2000000", *fair], _verifier(check))


def _judged(check: Check, output: str) -> str:
    """What is wrong with a search; empty if it is as it must be."""
    errors = re.search(r"errors: (\d+)", output)
    if errors is None or "max search depth too small" in output or "out of memory" in output:
        return "the search did not come to its end: " + output.strip()[-300:]
    violation = re.search(r"assertion violated .*?(\w+)\)? \(at|(acceptance cycle)", output)
    found = (violation[1] or PERSON[0]).replace("_", " ") if violation else ""
    if found == check.breaks and (errors[1] == "0") == (not check.breaks):
        return ""
    if check.breaks and errors[1] == "0":
        return "Spin finds nothing"
    return f"broken: {found or output.strip()[:300]}; run.py --show '{check.name.partition(':')[0]}'"


def _states(output: str) -> str:
    states = re.search(r"(\d+) states, stored", output)
    return f"{int(states[1]):,} states" if states else "no states"


def _line(check: Check) -> tuple[bool, str]:
    began = time.monotonic()
    try:
        output = _search(check)
        wrong, states = _judged(check, output), _states(output)
    except Failure as failure:
        wrong, states = str(failure), "not searched"
    verdict = "failed" if wrong else "passed"
    line = f"proofs: {verdict}: {check.text} ({states}, {time.monotonic() - began:.1f} s)"
    return not wrong, f"{line}\n  {wrong}" if wrong else line


# The table of the ledger's steps.

_STEPS = {
    "one origin, two tries": (),
    "two origins, one try": (
        "ORIGINS_USED=2",
        "TRIES=1",
        "LOCK_TIME=1",
        "LONGEST_UPTIME=1",
        "MAX_LOCKS_OF_STRANGERS=1",
    ),
    "two origins, two tries and one": ("ORIGINS_USED=2", "TRIES_OF_STRANGERS=1", "MAX_LOCKS_OF_STRANGERS=1"),
}

_HEADER = """\
# What the attempt ledger does in every state, as table.pml and LedgerTableTests compute it. For each operation: how many rows
# there are, and the sum of their FNV-1a hashes of 64 bits. build/proofs has the rows after `proofs/run.py`.
"""


def _hash(text: str) -> int:
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = ((value ^ byte) * 0x100000001B3) % 2**64
    return value


def _rows(name: str, switches: tuple[str, ...]) -> Iterator[str]:
    check = Check(f"table {name}", "table", switches)
    output = _run(["./pan", "-m1000000"], _verifier(check, gcc=["-DSAFETY", "-DPRINTF"]))
    if "errors: 0" not in output or "too small" in output:
        raise Failure("the table's search did not come to its end")
    rows = sorted({line.strip()[4:] for line in output.splitlines() if line.strip().startswith("row ")})
    (check.folder / "rows.txt").write_text("\n".join(rows) + "\n", encoding="utf-8")
    yield from rows


def table() -> str:
    """The text of table.txt, as the model has it."""
    text = _HEADER
    for name, switches in _STEPS.items():
        sums: dict[str, tuple[int, int]] = {}
        for row in _rows(name, switches):
            operation = row.split(" > ")[1].split(" = ")[0].split(",")[0].rstrip(" 0123456789")
            rows, total = sums.get(operation, (0, 0))
            sums[operation] = (rows + 1, (total + _hash(row)) % 2**64)
        for operation, (rows, total) in sorted(sums.items()):
            text += f"{name}: {operation}: {rows} rows, {total:016x}\n"
    return text


def _table_line() -> tuple[bool, str]:
    name = "the model of the ledger does in every state what table.txt says, as the Swift code does"
    try:
        is_same = table() == TABLE.read_text(encoding="utf-8")
    except (Failure, OSError) as failure:
        return False, f"proofs: failed: {name}\n  {failure}"
    if is_same:
        return True, f"proofs: passed: {name}"
    return False, f"proofs: failed: {name}\n  run.py --write-table, and see whether LedgerTableTests still passes"


def show(name: str) -> int:
    """Prints the events that lead to a violation, as few as possible."""
    for check in [*WORLDS, *MUTATIONS]:
        if check.name.partition(":")[0] != name:
            continue
        print(f"{check.text}:")
        # The search by breadth finds the shortest way, but knows no scratch variables and no cycles.
        is_safety = check.model != "person"
        folder = _verifier(check, ["hidden="] if is_safety else [], ["-DBFS"] if is_safety else [])
        _run(["./pan", "-m2000000", *([] if is_safety else ["-a", "-f"])], folder)
        spin = ["hidden="] if is_safety else []
        if not (folder / f"{check.model}.pml.trail").exists():
            print("Spin finds no violation")
            continue
        told = _run(["spin", "-t", *_switches(check, spin), f"{check.model}.pml"], folder)
        print("\n".join(line.strip() for line in told.splitlines() if line.strip()))
    return 0


def run(names: list[str]) -> int:
    """Runs the named checks, or all."""
    known = {check.name.partition(":")[0] for check in [*WORLDS, *MUTATIONS]}
    for unknown in set(names) - known:
        sys.exit(f"proofs: {unknown} is none of {', '.join(sorted(known))}")
    chosen = [check for check in [*WORLDS, *MUTATIONS] if not names or check.name.partition(":")[0] in names]
    passed = failed = 0
    with ThreadPoolExecutor(AT_A_TIME) as workers:
        lines = [workers.submit(_line, check) for check in chosen]
        if not names:
            lines.append(workers.submit(_table_line))
        for line in lines:
            is_good, text = line.result()
            print(text, flush=True)
            passed, failed = passed + is_good, failed + (not is_good)
    print(f"proofs: {passed} passed, {failed} failed")
    return 1 if failed else 0


def main() -> int:
    """Does what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--show", metavar="NAME")
    parser.add_argument("--write-table", action="store_true")
    options = parser.parse_args()
    if options.show:
        return show(options.show)
    if options.write_table:
        TABLE.write_text(table(), encoding="utf-8")
        return 0
    return run(options.names)


if __name__ == "__main__":
    sys.exit(main())
