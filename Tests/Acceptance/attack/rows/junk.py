"""Strangers who share everything with a person's machine, even its loopback address, and keep the server busy."""

import json
import os
import select
import signal
import socket
import ssl
import time

from attack.rows.same_address import PORT, Crowd, near_server, register_near
from lab import forger, hosts
from lab.table import must, row

ADDRESS, LOGINS, IDLE = "127.0.0.1", 20, 1000
FLOODERS, RATE, BATCH = 2, 2000, 20
# How long a login may take on a quiet machine. Only reported: the rows share their machine.
QUICK = 2.0


def question(name):
    return json.dumps({"op": "Auth", "context": json.dumps({"username": name})})


def post(path, body):
    head = f"POST {path} HTTP/1.1\r\nHost: {ADDRESS}:{PORT}\r\nContent-Type: {forger.UAF}\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode()


def junk(name):
    """A batch of requests: for the person, for unknown names, and invalid answers."""
    kinds = [
        post("/uaf/get", question(name)),
        post("/uaf/get", question("nobody")),
        post("/uaf/respond", "{}"),
        post("/uaf/respond", json.dumps({"uafResponse": "[]"})),
        post("/uaf/get", "x"),
    ]
    return b"".join(kinds[number % len(kinds)] for number in range(BATCH))


def flood(name, report):
    """Runs in a separate process: sends its share of the rate until told to end, and reports how many were answered."""
    over, answered, batch = [], 0, junk(name)
    signal.signal(signal.SIGTERM, lambda *_: over.append(True))
    connection, next_batch = None, time.monotonic()
    while not over:
        try:
            if connection is None:
                connection = ssl._create_unverified_context().wrap_socket(socket.create_connection((ADDRESS, PORT), 10))
                connection.settimeout(10)
            connection.sendall(batch)
            left = BATCH
            while left > 0 and not over:
                said = connection.recv(65536)
                if not said:
                    raise ConnectionError
                heads = said.count(b"HTTP/1.1 ")
                left -= heads
                answered += heads
        except OSError:
            # Closed or displaced: a stranger reconnects.
            if connection is not None:
                connection.close()
            connection = None
        next_batch = max(next_batch + BATCH * FLOODERS / RATE, time.monotonic() - 1)
        select.select([], [], [], max(0, next_batch - time.monotonic()))
    os.write(report, f"{answered}\n".encode())


class Flood:
    """Runs this many processes until the block ends."""

    def __init__(self, name):
        self._name, self.answered, self.seconds = name, 0, 0.0

    def __enter__(self):
        reading, writing = os.pipe()
        self._children, self._report, self._since = [], os.fdopen(reading), time.monotonic()
        for _ in range(FLOODERS):
            child = os.fork()
            if child == 0:
                try:
                    flood(self._name, writing)
                finally:
                    os._exit(0)
            self._children.append(child)
        os.close(writing)
        return self

    def __exit__(self, *_):
        self.seconds = time.monotonic() - self._since
        for child in self._children:
            os.kill(child, signal.SIGTERM)
        for child in self._children:
            os.waitpid(child, 0)
        self.answered = sum(int(line) for line in self._report)


def timed_logins(lab, person):
    """The codes of some logins, and how long each took."""
    codes, times = [], []
    for _ in range(LOGINS):
        since = time.monotonic()
        codes.append(lab.login(person, person.passcode).code)
        times.append(time.monotonic() - since)
    must(hosts.AUTHINFO_UNAVAIL not in codes, f"the server was told as away: codes {codes}")
    must(codes == [hosts.SUCCESS] * LOGINS, f"{codes.count(hosts.SUCCESS)} of {LOGINS} were let in: codes {codes}")
    quick = sum(each <= QUICK for each in times)
    return f"{LOGINS} of {LOGINS} in, {quick} within {QUICK:.0f} s, the slowest after {max(times):.1f} s"


@row(
    "A71",
    f"{RATE} requests a second that are junk, from the loopback address of a person's machine, after a restart of the server",
    f"{LOGINS} of {LOGINS} logins succeed; none sees the server as unreachable; unknown machines are told to try later",
    causes=("a local user",),
)
def flooded_loopback(lab):
    server = near_server(lab, address=ADDRESS)
    person = lab.person(registered=False)
    register_near(lab, person)
    # After a restart, the server has nothing about the machine in memory.
    lab.stop(server)
    near_server(lab, address=ADDRESS)
    with Flood(person.name) as crowd:
        limited = [0]
        for _ in range(10_000):
            limited.append(forger.ask("/uaf/get", question(person.name), port=PORT)[0])
            if limited[-1] == 429:
                break
        must(limited[-1] == 429, "nobody is limited")
        seen = timed_logins(lab, person)
        unknown = [forger.ask("/uaf/get", question(person.name), port=PORT)[0] for _ in range(20)]
    must(unknown.count(429) > 10, f"unknown machines were not limited meanwhile: {unknown}")
    return (
        f"{crowd.answered / crowd.seconds:.0f} requests a second were answered; {seen}; a request for the same account "
        f"without a proof: {unknown.count(429)} of {len(unknown)} x HTTP 429"
    )


@row(
    "A72",
    f"{IDLE} silent, half-open and idle connections, opened again when closed, from the loopback address of a person's machine",
    f"{LOGINS} of {LOGINS} logins succeed; none sees the server as unreachable",
    causes=("a local user",),
)
def crowded_loopback(lab):
    near_server(lab, address=ADDRESS)
    person = lab.person(registered=False)
    register_near(lab, person)
    with Crowd(IDLE, ADDRESS) as crowd:
        seen = timed_logins(lab, person)
    return f"{seen}, beside {IDLE} connections that were opened {crowd.opened} times in all"
