"""A pooler between an instance and PostgreSQL."""

import socket

from fleet.cluster import DATABASE, ROLE
from fleet.programs import Program, write
from fleet.single import Single
from lab.table import must, row
from lab.waiting import until

PORT = 6432
# EX_CONFIG of sysexits.h.
WRONG_CONFIGURATION = 78


def _pooler(single, mode):
    """PgBouncer over that PostgreSQL, as its manual's first example sets it up."""
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
