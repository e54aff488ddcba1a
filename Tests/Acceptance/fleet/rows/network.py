"""Middleboxes between an instance and PostgreSQL: a pooler, and a firewall that forgets connections."""

import math
import re
import socket
import subprocess

from fleet.cluster import DATABASE, ROLE
from fleet.programs import Program, write
from fleet.single import Single
from lab.table import must, row
from lab.waiting import until

PORT = 6432
# EX_CONFIG of sysexits.h.
WRONG_CONFIGURATION = 78
# As ss writes it: 1min30sec, 29sec, 4.036ms (seconds with a fraction) or 36ms.
KEEPALIVE = re.compile(r"timer:\(keepalive,(?:(\d+)min)?(?:(\d+)(?:sec|\.))?")


def _pooler(single, mode):
    """PgBouncer in front of that PostgreSQL, without password authentication."""
    settings = f"""[databases]
{DATABASE} = host={single.home} user={ROLE}
[pgbouncer]
listen_addr = {single.ADDRESS}
listen_port = {PORT}
unix_socket_dir =
auth_type = any
pool_mode = {mode}
"""
    file = write(single.home / f"{mode}.ini", settings)
    pooler = Program(f"pgbouncer-{mode}", ["/usr/sbin/pgbouncer", file], single.home)
    pooler.start()
    until(lambda: _listens(single.ADDRESS), f"PgBouncer to listen: {pooler.told()[-400:]}")
    return pooler


def _listens(address):
    try:
        socket.create_connection((address, PORT), 1).close()
    except OSError:
        return False
    return True


@row(
    "F26",
    "PgBouncer between an instance and PostgreSQL, in each of its modes; the role's commits do not wait for the disk",
    "refused by name with status 78, before anything listens; without PgBouncer the same store is served",
    causes=("root",),
    limit=120,
)
def pooler(lab):
    single = Single(lab)
    single.sql(f"ALTER ROLE {ROLE} SET synchronous_commit = off")
    person = lab.person(single.serve()[0])
    refused = []
    for mode in ("session", "transaction", "statement"):
        between = _pooler(single, mode)
        lab.after(between.stop)
        # The second instance gets a PostgreSQL process that the first one has used.
        for _ in range(2):
            instance = single.instance(port=PORT)
            instance.program.start()
            until(lambda instance=instance: not instance.program.runs, f"an instance to end, {mode}", 30)
            status, told = instance.program.process.returncode, instance.program.told()
            must(status == WRONG_CONFIGURATION and "names a pooler" in told, f"{mode}: status {status}: {told[-600:]}")
            must("listening" not in told, f"{mode}: it listened: {told[-600:]}")
            refused.append(status)
        between.stop()
    person.login(lab.channel(single.serve()[1]))
    return f"{len(refused)} starts in three modes: each status {WRONG_CONFIGURATION}; then served without it"


def _seconds(line):
    """After how many whole seconds a connection sends its next keepalive probe; infinite if it sends none."""
    found = KEEPALIVE.search(line)
    return 60 * int(found[1] or 0) + int(found[2] or 0) if found else math.inf


def _all_ask(address):
    """When each connection to a PostgreSQL sends its next keepalive probe; None unless there are two, and both do within 30 s."""
    command = ["ss", "-tnoH", "state", "established", "dst", f"{address}:5432"]
    timers = [_seconds(line) for line in subprocess.check_output(command, text=True).splitlines()]
    return timers if len(timers) > 1 and max(timers) <= 30 else None


@row(
    "F27",
    "nobody logs in for a while, where a firewall would forget a connection on which nothing is sent",
    "each connection to PostgreSQL asks within 30 s whether the other end is still there",
    causes=("the network",),
    limit=60,
)
def idle(lab):
    single = Single(lab)
    instance = single.instance()
    instance.start()
    people = lab.people(4, instance)
    with lab.load("F27", people, instance) as load:
        load.for_(2)
    # Newly sent data has a different timer until the other end has acknowledged it.
    timers = until(lambda: _all_ask(single.ADDRESS), "connections that all ask within 30 s", 20)
    return f"{len(timers)} connections, the next question in at most {max(timers)} s"
