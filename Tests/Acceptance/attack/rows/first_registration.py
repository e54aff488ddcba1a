"""A first registration that is killed, hits a failing call, or runs out of space, at each step of creating the account's file."""

import functools
import os
import pathlib

from attack import disks, faults
from lab.machine import STATE
from lab.table import must, row

KILL = "signal=KILL"
# The calls that change files, and the calls that sync them to disk.
CALLS = {
    "openat": "error=ENOSPC",
    "pwrite64": "error=ENOSPC",
    "write": "error=ENOSPC",
    "fsync": "error=EIO",
    "fdatasync": "error=EIO",
    "rename": "error=EIO",
    "renameat": "error=EIO",
    "renameat2": "error=EINVAL",
    "unlink": "error=EIO",
    "unlinkat": "error=EIO",
    "fcntl": "error=EAGAIN",
}
POINTS = 24
PAGE = 4096
PAGES = 24


def register(lab, person, core="", check=False):
    options = {"env": {**os.environ, "CORE_UNDER": core}} if core else {}
    return lab.run(
        "uafctl",
        "register",
        person.name,
        "--payload",
        lab.payload(person),
        answers=f"{person.passcode}\n{person.passcode}\n",
        check=check,
        **options,
    )


def settle(lab, person, what):
    """Checks that the account either never registered or did; returns whether it did."""
    status = lab.status(person)
    states = {entry["stateName"] for entry in status.get("authenticators", [])}
    must(len(states) == 1 and not any("LOCKED" in name for name in states), f"{what}: {status}")
    was_kept = person.state.exists()
    if not was_kept:
        register(lab, person, check=True)
    names = {path.name for path in person.state.parent.iterdir() if path.name.strip(".").startswith(f"{person.uid}.")}
    if not was_kept:
        # The list of created keys outlives everything, and is not part of the account.
        expected = {person.state.name, person.state.name + "-journal", f"{person.uid}.made"}
        must(names == expected, f"{what}: afterwards there are {names}")
    must(person.state.stat().st_nlink == 1, f"{what}: the file has several names")
    login = lab.login(person, person.passcode)
    must(login.is_in, f"{what}: afterwards the right value is refused: {login}")
    return was_kept


def learn(lab, person):
    """Each call that changes files, starting with the first one on the account's file."""
    path = pathlib.Path(f"/tmp/registration-{person.uid}.trace")
    run = register(lab, person, f"strace -q -o {path} -e trace=all")
    must(run.returncode == 0, f"a registration that is watched fails: {run.stdout[-200:]}")
    lines = path.read_text(errors="replace").splitlines()
    since = next(place for place, line in enumerate(lines) if f'".{person.uid}.' in line)
    return [point for point in faults.points(lines) if point[2] >= since and point[0] in CALLS]


def interrupt(lab, person, job):
    call, number, what = job
    forget(lab, person)
    register(lab, person, f"strace -q -o /dev/null -e trace=all -e inject={call}:{what}:when={number}")
    return settle(lab, person, f"{what} in call {number} of {call}")


def forget(lab, person):
    lab.run("uafctl", "forget", person.name, check=False)


def small_disk(lab):
    """The numbers of free pages, from none to more than enough."""
    person, kept = lab.person(registered=False), []
    disk = disks.Memory(lab, "4m")
    filler = STATE / "filler"
    for pages in range(PAGES if lab.thorough else PAGES // 2 + 1):
        room = pages if lab.thorough else 2 * pages
        forget(lab, person)
        disks.fill()
        os.truncate(filler, filler.stat().st_size - room * PAGE)
        run = register(lab, person)
        filler.unlink()
        was_kept = settle(lab, person, f"{room} free pages")
        must(was_kept == (run.returncode == 0), f"{room} free pages: {run.stdout[-200:]}")
        kept.append(was_kept)
    disk.remove()
    must(True in kept and False in kept, f"the disks were all too small, or none: {kept}")
    return f"{kept.count(False)} of {len(kept)} disks too small"


@row(
    "A43",
    "a first registration that is killed, meets a failing call, or finds no room, at each step",
    "either an account that never registered, or a complete one: never damaged, never locked; registering again works",
    causes=("the machine",),
)
def interrupted(lab):
    faults.Core(lab)
    found = learn(lab, lab.person(registered=False))
    picked = found if lab.thorough else faults.sample(found, POINTS)
    jobs = [(call, number, what) for call, number, _ in picked for what in (KILL, CALLS[call])]
    people = [lab.person(registered=False) for _ in range(faults.count_of_people(jobs))]
    kept = faults.everywhere(lab, jobs, functools.partial(interrupt, lab), people)
    must(not all(kept), "nothing was interrupted: a registration is not what was learnt")
    return f"{len(jobs)} points: {kept.count(False)} never registered, {kept.count(True)} whole; {small_disk(lab)}"
