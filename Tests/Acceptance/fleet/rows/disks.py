"""A store whose disk is full, or that is unreachable."""

import pathlib
import subprocess
import time

from fleet.programs import folder
from fleet.server import Instance
from fleet.single import PLACES, Single
from fleet.stored import SQLITE, must_have_all
from lab.table import must, row
from lab.waiting import until

LARGEST = 64 * 1024 * 1024


def fill(path):
    """Leaves no byte on a disk."""
    with (path / "filler").open("wb", buffering=0) as file:
        size = LARGEST
        while size >= 1024:
            try:
                file.write(b"\0" * size)
            except OSError:
                size //= 2


def full(lab, load, disk, again=lambda: None):
    """The disk of a store fills up during logins, and then has free space again."""
    load.for_(2)
    fill(disk)
    until(lambda: load.later, "a login that cannot be stored", 60)
    began = time.time()
    load.for_(5)
    acknowledged = sum(yes.started > began + 1 for yes in load.yes)
    (disk / "filler").unlink()
    again()
    gap = load.back_after(time.time(), 60)
    return acknowledged, gap


@row(
    "F15",
    "PostgreSQL's disk is full under logins, then has room again",
    "no yes that is not stored; 'try again later', and logins are back by themselves",
    causes=("the machine",),
    limit=240,
)
def postgresql_full(lab):
    single = Single(lab, size=160)
    instances = single.serve()
    people = lab.people(4, instances[0])
    with lab.load("F15", people, instances[0]) as load:
        # PostgreSQL ends if there is no space for its log; on a real machine, systemd would restart it.
        acknowledged, gap = full(lab, load, single.home, single.up)
    load.must_be_honest()
    compared = must_have_all(single.sql, load)
    return f"{compared}; {acknowledged} of them while the disk was full; later {dict(load.later)}; back after {gap:.1f} s"


@row(
    "F16",
    "SQLite's disk is full under logins, then has room again",
    "no yes that is not stored; 'try again later', and logins are back by themselves",
    causes=("the machine",),
    limit=120,
)
def sqlite_full(lab):
    number = next(PLACES)
    disk = pathlib.Path(f"/srv/one{number}")
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=32m,mode=700", "full", disk], check=True)
    folder(disk)
    instance = Instance(disk.name, f"127.0.5.{number}", lab.certificates, [])
    lab.after(lambda: (instance.program.stop(), subprocess.run(["umount", "--lazy", disk], check=True)))
    instance.share(lab.keys)
    instance.start()
    people = lab.people(4, instance)
    with lab.load("F16", people, instance) as load:
        acknowledged, gap = full(lab, load, disk)
    load.must_be_honest()
    compared = must_have_all(lambda statement: lab.sqlite(disk / "server.db", statement), load, SQLITE)
    return f"{compared}; {acknowledged} of them while the disk was full; later {dict(load.later)}; back after {gap:.1f} s"


@row(
    "F17",
    "PostgreSQL is away: ended, then standing still with its connections open; 20 s each",
    "'try again later' all the time, and not ready; logins are back by themselves, nothing that was told is lost",
    causes=("the network", "the machine"),
    limit=240,
)
def away(lab):
    single = Single(lab)
    instances = single.serve()
    people = lab.people(4, instances[0])
    seen = []
    with lab.load("F17", people, instances[0]) as load:
        for what, goes, comes in (
            ("ended", single.down, single.up),
            ("standing still", single.freeze, single.thaw),
        ):
            load.for_(2)
            goes()
            time.sleep(1)
            began = time.time()
            until(lambda: lab.health(instances[0]) != 200, "an instance that is not ready")
            load.for_(20)
            told = [yes for yes in load.yes if yes.started > began]
            comes()
            gap = load.back_after(time.time(), 60)
            must(not told, f"{what}: {len(told)} logins were acknowledged by a store that was away")
            until(lambda: lab.health(instances[0]) == 200, "an instance that is ready again")
            seen.append(f"{what}: not ready, longest wait {gap:.1f} s")
    load.must_be_honest()
    return f"{must_have_all(single.sql, load)}; {'; '.join(seen)}; later {dict(load.later)}"
