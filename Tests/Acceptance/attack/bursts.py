"""Ports that an attacker keeps binding and releasing, and a name server that answers."""

import contextlib
import pathlib
import socket
import subprocess
import sys
import threading

RANGE = pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range")
RESOLVER = pathlib.Path("/etc/resolv.conf")
FIRST, LAST = 40100, 40139

# Keeps all ports but the first few bound, and binds and releases those few. Arguments: uid, type, seconds for both.
PROGRAM = """
import os, socket, sys, time
first, free, last, uid, kind = map(int, sys.argv[1:6])
taken_for, free_for = map(float, sys.argv[6:])
os.setgroups([])
os.setgid(uid)
os.setuid(uid)
def take(ports):
    taken = []
    for port in ports:
        taken.append(socket.socket(socket.AF_INET, kind))
        try:
            taken[-1].bind(("0.0.0.0", port))
        except OSError:
            taken.pop().close()
    return taken
kept = take(range(free, last + 1))
print("begun", flush=True)
while True:
    taken = take(range(first, free))
    time.sleep(taken_for)
    for each in taken:
        each.close()
    time.sleep(free_for)
"""


@contextlib.contextmanager
def ports(caller, kind, free, taken_for, free_for):
    """Has a person bind and release the machine's last free ports of a type. There are few ports, so that this is quick."""
    before = RANGE.read_text()
    RANGE.write_text(f"{FIRST} {LAST}")
    arguments = (FIRST, FIRST + free, LAST, caller.uid, int(kind), taken_for, free_for)
    stranger = subprocess.Popen([sys.executable, "-c", PROGRAM, *map(str, arguments)], stdout=subprocess.PIPE)
    assert stranger.stdout
    try:
        stranger.stdout.readline()
        yield
    finally:
        stranger.kill()
        stranger.communicate()
        RANGE.write_text(before)


@contextlib.contextmanager
def name_server():
    """Resolves every name to the address of this machine."""
    before = RESOLVER.read_text() if RESOLVER.exists() else ""
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.53", 53))
    over = threading.Event()

    def serve():
        while not over.is_set():
            with contextlib.suppress(TimeoutError):
                question, sender = server.recvfrom(4096)
                server.sendto(_answer(question), sender)

    server.settimeout(0.1)
    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    RESOLVER.write_text("nameserver 127.0.0.53\n")
    try:
        yield
    finally:
        over.set()
        thread.join()
        server.close()
        RESOLVER.write_text(before)


def _answer(question):
    end = question.index(b"\0", 12) + 5
    # Answers only queries of type A and class IN.
    address = b"\xc0\x0c\0\1\0\1\0\0\0\1\0\4\x7f\0\0\1" if question[end - 4 : end - 2] == b"\0\1" else b""
    counts = b"\0\1" + (b"\0\1" if address else b"\0\0") + b"\0\0\0\0"
    return question[:2] + b"\x81\x80" + counts + question[12:end] + address
