"""More connections to the core's socket than the core can serve."""

import json
import os
import signal
import socket
import subprocess
import time

from lab import hosts
from lab.listener import SOCKET, serve
from lab.machine import PROGRAMS
from lab.processes import listens, running
from lab.table import must, row
from lab.waiting import until

FLOODERS, SECONDS = 4, 4
# In addition to the last line of each call by a different user.
MOST_LINES = 50
# Together with the locker's, fewer connections than a uid may have at a time (ConnectionLimits); otherwise, a fast machine would
# run into that limit itself.
MOST_CALLS = 20
LOCKER = "/usr/local/bin/locker"


def flood(uid, report):
    """Runs in a separate process: connects and closes until told to end, then reports how often."""
    count, over = 0, []
    signal.signal(signal.SIGTERM, lambda *_: over.append(True))
    os.setgroups([])
    os.setgid(uid)
    os.setuid(uid)
    while not over:
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
            try:
                connection.connect(SOCKET)
                count += 1
            except OSError:
                pass
    os.write(report, f"{count}\n".encode())


def start_flooders(uid):
    """Starts this many processes of one person; returns their process IDs and report files."""
    reading, writing = os.pipe()
    children = []
    for _ in range(FLOODERS):
        child = os.fork()
        if child == 0:
            try:
                flood(uid, writing)
            finally:
                os._exit(0)
        children.append(child)
    os.close(writing)
    return children, os.fdopen(reading)


def listener_process():
    """The process ID of the process that accepts the connections."""
    return next(filter(listens, running("uaf-helper")), None)


def processor_seconds(process):
    with open(f"/proc/{process}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def own_status(lab, person):
    """Runs uafctl as an unprivileged person; returns whether it was served, and after how long."""
    started = time.monotonic()
    result = lab.run("uafctl", "status", "--json", check=False, user=person.uid, group=person.uid, extra_groups=[], cwd="/")
    line = next((line for line in result.stdout.splitlines() if line.startswith("{")), None)
    served = line is not None and json.loads(line).get("account", {}).get("uid") == person.uid
    return served, time.monotonic() - started, result.stdout


def own_locker(lab, person):
    """A person's screen locker: the module without root, which can only use the socket. Returns whether it unlocks."""
    result = subprocess.run(
        [LOCKER, "locker", person.name],
        input=person.passcode + "\n",
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        user=person.uid,
        group=person.uid,
        extra_groups=[],
        cwd="/",
        timeout=90,
        check=False,
    )
    return result.returncode == hosts.SUCCESS


@row(
    "A57",
    f"{FLOODERS} processes of one person connect to the socket and hang up, as fast as they can",
    "another person's uafctl and screen locker are served; the log stays short, and names the attacker",
    causes=("a local user",),
)
def connections(lab):
    flooder, other = lab.person(registered=False), lab.person()
    lab.stack("locker", "auth required pam_uaf.so", "account required pam_permit.so")
    lab.compile(PROGRAMS / "locker.c", LOCKER)
    serve(lab, limited=True)
    # Started by the first connection.
    first = own_status(lab, other)
    must(first[0], f"without a flood: {first}")
    listener = until(listener_process, "the listener")
    mark, before = lab.log.mark(), processor_seconds(listener)
    children, reports = start_flooders(flooder.uid)
    try:
        ends, opened, deadline = [], [], time.monotonic() + SECONDS
        while time.monotonic() < deadline and len(ends) < MOST_CALLS:
            ends.append(own_status(lab, other))
            opened.append(own_locker(lab, other))
    finally:
        for child in children:
            os.kill(child, signal.SIGTERM)
        counts = [int(line) for line in reports]
        reports.close()
        for child in children:
            os.waitpid(child, 0)
    lines = [line for line in lab.log.since(mark) if "pam-uaf[" in line]
    used = processor_seconds(listener) - before
    took = time.monotonic() - deadline + SECONDS
    refused = [text for served, _, text in ends if not served]
    about = [line for line in lines if f"peer={flooder.uid}" in line]
    seen = (
        f"{sum(counts)} connections in {took:.1f} s, {len(lines)} lines of the log, {used:.1f} s of processor for the "
        f"listener; another's uafctl and screen locker {len(ends)} times each, the slowest uafctl after "
        f"{max(seconds for _, seconds, _ in ends):.1f} s"
    )
    must(all(opened), f"another's screen locker was refused {opened.count(False)} times of {len(opened)}: {seen}")
    must(not refused, f"another's uafctl was refused {len(refused)} times: {refused[:1]}; {seen}")
    must(len(lines) - 2 * len(ends) <= MOST_LINES, f"{seen}: {lines[:2]}")
    must(about, f"the log does not name who floods: {seen}")
    return seen
