"""Makes one thing at a time go wrong inside a login: a system call of the core or the host fails, or kills its process.

A small script replaces uaf-helper and runs the real one under the command in the host's environment, which is strace with one
injection. A login without an injection is traced first and shows the calls, so nothing here needs to know which calls the core
makes. The module finds the core as always, by its one fixed path.
"""

import concurrent.futures
import dataclasses
import itertools
import os
import pathlib
import re
import shutil

from lab import hosts
from lab.machine import HELPER
from lab.table import Skip, must
from lab.waiting import until

WORKERS = 3
FOLDER = pathlib.Path("/tmp/faults")
SCRIPT = """#!/bin/sh
# In the place of uaf-helper: the real one, under what the environment of the host asks for.
set -f
exec $(tr '\\0' '\\n' </proc/$PPID/environ | sed -n 's/^CORE_UNDER=//p') REAL/uaf-helper
"""

_numbers = itertools.count(1)
_CALL = re.compile(r"(\w+)\(")


@dataclasses.dataclass
class Run:
    """One login, and what strace saw of the disturbed process."""

    login: hosts.Login
    core: list
    trace: list  # of the disturbed side
    before: int  # tries left
    after: int

    @property
    def looked(self):
        """Whether the core verified the entry: it then allocated the memory of a key derivation. See `lab.configure(cost=)`."""
        return any(_derives(line) and " = 0x" in line for line in self.core)

    @property
    def reached(self):
        return any("INJECTED" in line or "killed by" in line for line in self.trace)

    @property
    def said_yes(self):
        """Whether the core sent *finished* with PAM_SUCCESS (docs/protocol.md)."""
        return any(re.match(r'sendto\(3, "\\206\\1\\0\\1\\0.* = \d+$', line) for line in self.core)


def _read(path):
    lines = path.read_text(errors="replace").splitlines() if path.exists() else []
    path.unlink(missing_ok=True)
    return lines


def _command_line(process):
    try:
        return (process / "cmdline").read_bytes()
    except OSError:
        return b""


def _derives(line, least=1 << 20):
    size = re.match(r"mmap\([^,]*, (\d+), .*MAP_ANONYMOUS", line)
    return size is not None and least <= int(size[1]) < 2 * least


class Core:
    """The script that replaces the core until the row has ended."""

    def __init__(self, lab):
        if shutil.which("strace") is None:
            raise Skip("strace is not there")
        self.lab = lab
        FOLDER.mkdir(exist_ok=True)
        stands_in(lab, SCRIPT)

    def attempt(self, person, value, core="", host="", before=5):
        """A login with `core` or `host` as strace's options for that side; the other side is watched."""
        number = next(_numbers)
        traces = {side: FOLDER / f"{number}.{side}" for side in ("core", "host")}
        strace = {
            side: f"strace -q -s 16 -o {traces[side]} {options or '-e trace=mmap,sendto'}"
            for side, options in (("core", core), ("host", host))
        }
        login = self.lab.login(
            person, value, prefix=strace["host"].split() if host else (), env={**os.environ, "CORE_UNDER": strace["core"]}
        )
        self._wait_for_end(traces["core"])
        watched = {side: _read(path) for side, path in traces.items()}
        return Run(login, watched["core"], watched["host" if host else "core"], before, self.left(person))

    def _wait_for_end(self, path):
        """Waits for the core, which may outlive a killed host: the guess may still be counted then."""
        until(
            lambda: not any(str(path).encode() in _command_line(each) for each in pathlib.Path("/proc").glob("[0-9]*")),
            "the end of the core",
        )

    def left(self, person):
        """The tries left, as reported by an undisturbed core."""
        status = self.lab.status(person)
        must(len(status.get("authenticators", [])) == 1, f"no count is told afterwards: {status}")
        return status["authenticators"][0]["remainingTries"]


def stands_in(lab, text, program="uaf-helper"):
    """Replaces a program by a script until the row has ended; the real programs are then in REAL."""
    folder = pathlib.Path(HELPER).parent
    real = folder.with_name(folder.name + ".real")
    if not real.exists():
        shutil.copytree(folder, real)
    lab.after(lambda: _replace(folder / program, (real / program).read_bytes()))
    _replace(folder / program, text.replace("REAL", str(real)).encode())
    return real


def _replace(path, content):
    # Under a temporary name first: a running program cannot be overwritten.
    new = pathlib.Path(f"{path}.new")
    new.write_bytes(content)
    new.chmod(0o755)
    new.rename(path)


def points(trace):
    """Every system call of a trace as (name, ordinal among the calls of this name, position)."""
    seen, found = {}, []
    for place, line in enumerate(trace):
        name = _CALL.match(line)
        if name is None or name[1] in ("execve", "exit_group"):
            continue
        seen[name[1]] = seen.get(name[1], 0) + 1
        found.append((name[1], seen[name[1]], place))
    return found


def sample(found, count, since=0):
    """This many items, evenly spread, three quarters of them after the given position."""
    early = [point for point in found if point[2] < since]
    late = [point for point in found if point[2] >= since]
    share = count // 4 if early else 0
    return _spread(early, share) + _spread(late, count - share)


def _spread(found, count):
    if len(found) <= count:
        return list(found)
    return [found[number * len(found) // count] for number in range(count)]


def count_of_people(jobs):
    """How many people share the jobs: the server rate-limits an account that logs in too often."""
    return -(-len(jobs) // 150) * WORKERS


def everywhere(lab, jobs, work, people=None):
    """Calls `work(person, job)` for each job, several in parallel; returns the results in order."""
    people = people or [lab.person() for _ in range(count_of_people(jobs))]

    def share(number):
        return [work(people[place % len(people)], jobs[place]) for place in range(number, len(jobs), WORKERS)]

    results = [None] * len(jobs)
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        for number, part in enumerate(pool.map(share, range(WORKERS))):
            results[number::WORKERS] = part
    return results


def learn(core, person, value, side):
    """The points of an undisturbed login, and the position at which the value arrives."""
    run = core.attempt(person, value, **{side: "-e trace=all"})
    must(run.trace, f"strace saw nothing of the {side}: {run.login}")
    must(side != "core" or run.looked, "the derivation of the key is not found in the trace")
    waits = [place for place, line in enumerate(run.trace) if line.startswith(("recvmsg(3", "read(0"))]
    return points(run.trace), waits[-1] if waits else 0


def judge(run, right, what, full=5):
    """Checks a run: a wrong value must never log in, and must be counted if it was verified. A right value may log in only by the
    core's complete verdict; otherwise it must be counted, or not have been tried, or have been found right so that the count was
    cleared."""
    if not right:
        must(not run.login.is_in, f"{what}: a wrong value got in")
    if run.login.is_in:
        must(run.after == full, f"{what}: let in with {run.after} tries left")
    allowed = (run.before, run.before - 1) + ((full,) if right else ())
    must(run.after in allowed, f"{what}: {run.before} tries were left, then {run.after}")
    must(run.after != run.before or not run.looked, f"{what}: looked at and not counted")
