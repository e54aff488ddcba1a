"""What a login cannot cost less than on this machine: its mandatory operations alone, in CPU time.

One verification and one signature on P-256 by `openssl speed`; two static answers through the server's own TLS and HTTP; one
durable commit of a login's two rows by SQLite, alone and as one of sixteen that share it.
"""

import http.client
import os
import shutil
import sqlite3
import ssl
import subprocess
import tempfile
import threading
import time
from pathlib import Path

from measure import server

SECONDS = 3
ANSWERS, CLIENTS = 4000, 8
COMMITS = 1000


def p256():
    """Seconds of a signature and of a verification."""
    command = ["openssl", "speed", "-mr", "-seconds", str(SECONDS), "ecdsap256"]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    # +F4:number:bits:signatures a second:verifications a second
    made, checked = next(line.split(":")[3:5] for line in lines if line.startswith("+F4:"))
    return 1 / float(made), 1 / float(checked)


def cpu(process):
    """Seconds of the CPU that a process has used."""
    used = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(used[11]) + int(used[12])) / os.sysconf("SC_CLK_TCK")


def ask(port, trusted):
    connection = http.client.HTTPSConnection("localhost", port, context=trusted)
    for _ in range(ANSWERS // CLIENTS):
        connection.request("GET", "/livez")
        if connection.getresponse().read() != b"ok\n":
            raise SystemExit("bench: the server does not say that it lives")
    connection.close()


def answer(program, folder):
    """Seconds of the server for a static answer."""
    ours = server.Server(program, folder, 0).start()
    try:
        trusted = ssl.create_default_context(cafile=ours.authority())
        clients = [threading.Thread(target=ask, args=(int(ours.port), trusted)) for _ in range(CLIENTS)]
        before = cpu(ours.worker())
        for client in clients:
            client.start()
        for client in clients:
            client.join()
        return (cpu(ours.worker()) - before) / ANSWERS
    finally:
        ours.stop()


def commit(path, together):
    """Seconds of a login's rows, where so many logins share a commit."""
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


def run(program):
    """Prints what each operation costs, and how many logins a second of the CPU their sum would allow."""
    server.BUILT.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="floor.", dir=server.BUILT))
    try:
        made, checked = p256()
        answers = 2 * answer(program, folder / "server")
        alone, shared = (commit(folder / f"rows-{together}.db", together) for together in (1, 16))
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
