"""The least that a login can cost on this machine: its mandatory operations alone, in CPU time.

One verification and one signature on P-256 by `openssl speed`; two static answers through the server's own TLS and HTTP; one
durable commit of a login's two rows by SQLite, alone and as one of sixteen that share it. It also measures how long one wait for
the disk
takes, because every login has one.
"""

import os
import shutil
import sqlite3
import subprocess
import tempfile
import time
from pathlib import Path

from measure import server

SECONDS = 3
# As many as in the measurements with a required rate, so that the server is never idle between two requests.
CONNECTIONS = 16
COMMITS = 1000
FLUSHES = 2000


def p256():
    """Seconds of a signature and of a verification."""
    command = ["openssl", "speed", "-mr", "-seconds", str(SECONDS), "ecdsap256"]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    # +F4:number:bits:signatures a second:verifications a second
    made, checked = next(line.split(":")[3:5] for line in lines if line.startswith("+F4:"))
    return 1 / float(made), 1 / float(checked)


def answer(program, folder):
    """Seconds of the server for a static answer."""
    ours = server.Server(program, folder, 0).start()
    try:
        figures = ours.pages("/livez", "ok\n", CONNECTIONS, SECONDS)
        return figures["server_seconds"] / figures["answers"]
    finally:
        ours.stop()


def commit(path, together):
    """Seconds per login for committing its rows, if this many logins share a commit."""
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = FULL")
    database.execute("CREATE TABLE IF NOT EXISTS key (id INTEGER PRIMARY KEY, counter INTEGER)")
    database.execute("CREATE TABLE IF NOT EXISTS used (hash BLOB PRIMARY KEY, expiresAt INTEGER) WITHOUT ROWID")
    database.executemany("INSERT OR IGNORE INTO key VALUES (?, 0)", ((number,) for number in range(together)))
    before = time.process_time()
    for _ in range(COMMITS):
        database.execute("BEGIN IMMEDIATE")
        for number in range(together):
            database.execute("UPDATE key SET counter = counter + 1 WHERE id = ?", (number,))
            database.execute("INSERT INTO used VALUES (?, ?)", (os.urandom(32), number))
        database.execute("COMMIT")
    used = time.process_time() - before
    database.close()
    return used / COMMITS / together


def flush(path):
    """Seconds of each wait for the disk after a page was appended to a file, sorted."""
    file = os.open(path, os.O_CREAT | os.O_WRONLY, 0o600)
    waits = []
    for _ in range(FLUSHES):
        os.write(file, bytes(4096))
        before = time.perf_counter()
        os.fdatasync(file)
        waits.append(time.perf_counter() - before)
    os.close(file)
    return sorted(waits)


def run(program):
    """Prints what each operation costs, and how many logins a second of the CPU their sum would allow."""
    server.build()
    folder = Path(tempfile.mkdtemp(prefix="floor.", dir=server.BUILT))
    try:
        made, checked = p256()
        answers = 2 * answer(program, folder / "server")
        alone, shared = (commit(folder / f"rows-{together}.db", together) for together in (1, 16))
        waits = flush(folder / "flushed")
    finally:
        shutil.rmtree(folder)
    costs = {
        "P-256, one verification": checked,
        "P-256, one signature": made,
        "two static answers over TLS": answers,
        "two durable rows, one of 16 logins": shared,
    }
    for name, seconds in costs.items():
        print(f"{name:<36}{seconds * 1e6:>8.1f} µs")
    print(f"{'two durable rows, alone':<36}{alone * 1e6:>8.1f} µs, not in the sum")
    print(f"{'sum':<36}{sum(costs.values()) * 1e6:>8.1f} µs, {1 / sum(costs.values()):.0f} a second of the CPU")
    middle, late = waits[FLUSHES // 2], waits[FLUSHES * 99 // 100]
    print(
        f"one wait for the disk: {middle * 1e3:.2f} ms, 99 of 100 within {late * 1e3:.2f} ms, the longest {waits[-1] * 1e3:.2f}"
    )
