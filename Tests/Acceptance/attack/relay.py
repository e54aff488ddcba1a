"""A compromised network program: it replaces uaf-fetch and can do everything that the real one can."""

import contextlib
import dataclasses
import http.client
import itertools
import json
import socket
import ssl
import sys
import threading
import urllib.parse

from attack import faults, peer
from attack.recorder import Answer

REQUEST, RESPONSE, CHUNK = 0x41, 0xC1, 0xC2
LONGEST_CHUNK = 32768
# The script passes the core's socket to the row, which acts as the network program, and ends with that connection.
SCRIPT = f"""#!{sys.executable} -IS
import os, socket
row = socket.socket(socket.AF_UNIX)
row.connect("\\0PLACE")
socket.send_fds(row, [b"-"], [3])
os.close(3)
row.recv(1)
"""

_numbers = itertools.count(1)


@dataclasses.dataclass(frozen=True)
class Asked:
    """A request that the core wants to send."""

    url: str
    kind: str
    accept: str
    body: bytes
    proof: str
    is_post: bool

    @property
    def is_question(self):
        return self.is_post and urllib.parse.urlsplit(self.url).path.endswith("/get")

    @property
    def is_answer(self):
        return self.is_post and urllib.parse.urlsplit(self.url).path.endswith("/respond")

    @property
    def operation(self):
        """Reg, Auth or Dereg."""
        return json.loads(self.body)["op"] if self.is_question else self.answer().header["op"]

    @property
    def context(self):
        return json.loads(json.loads(self.body)["context"])

    def answer(self):
        """The UAF response, to be read and changed."""
        return Answer(self.body)

    def says(self, body):
        """The same request with a different body."""
        return dataclasses.replace(self, body=body)

    def about(self, **members):
        """The same request with changed members of the context; None removes a member."""
        context = {name: value for name, value in {**self.context, **members}.items() if value is not None}
        return self.says(json.dumps({**json.loads(self.body), "context": json.dumps(context)}).encode())


@dataclasses.dataclass(frozen=True)
class Said:
    """A server's answer, real or forged."""

    status: int
    kind: str
    body: bytes
    certificate: bytes

    @property
    def document(self):
        return json.loads(self.body)

    @property
    def tokens(self):
        """What the server has signed."""
        try:
            return [token["value"] for token in self.document.get("additionalTokens", [])]
        except (ValueError, AttributeError):
            return []

    def with_members(self, **members):
        return dataclasses.replace(self, body=json.dumps({**self.document, **members}).encode())


class Relay:
    """Replaces uaf-fetch until the row has ended, and forwards everything unless a hook says otherwise."""

    def __init__(self, lab):
        place = f"relay-{next(_numbers)}"
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(f"\0{place}")
        self._listener.listen(64)
        faults.stands_in(lab, SCRIPT.replace("PLACE", place), "uaf-fetch")
        lab.after(self._close)
        # Each request as the core made it, each packet from and to the core, and each token from a server.
        self.asked, self.packets, self.tokens = [], [], []
        self._on_request, self._on_answer = _as_it_is, _answer_as_it_is
        self._failures = []
        threading.Thread(target=self._listen, daemon=True).start()

    def _close(self):
        # Closing the socket alone would leave the thread waiting.
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    @contextlib.contextmanager
    def doing(self, on_request=None, on_answer=None):
        """Changes the traffic while the block runs.

        `on_request(asked)` returns the request to send instead (Asked), or the immediate answer to the core (Said).
        `on_answer(asked, said)` returns the answer to the core. An error in a hook is raised at the end of the block.
        """
        self.asked, self.tokens = [], []
        self._on_request, self._on_answer = on_request or _as_it_is, on_answer or _answer_as_it_is
        try:
            yield self
        finally:
            self._on_request, self._on_answer = _as_it_is, _answer_as_it_is
            failures, self._failures = self._failures, []
        if failures:
            raise failures[0]

    def send(self, asked):
        """Sends a request as the real program would; returns the server's answer."""
        place = urllib.parse.urlsplit(asked.url)
        headers = {"Content-Type": asked.kind, "Accept": asked.accept, "UAF-Machine": asked.proof}
        with contextlib.closing(_connection(place.hostname, place.port or 443)) as server:
            server.connect()
            certificate = server.sock.getpeercert(binary_form=True)
            path = place.path + (f"?{place.query}" if place.query else "")
            chosen = {name: value for name, value in headers.items() if value}
            server.request("POST" if asked.is_post else "GET", path, asked.body or None, chosen)
            response = server.getresponse()
            said = Said(response.status, response.headers.get("Content-Type", ""), response.read(), certificate)
        self.tokens += said.tokens
        return said

    def _listen(self):
        while True:
            try:
                stub = self._listener.accept()[0]
            except OSError:
                return
            threading.Thread(target=self._serve, args=(stub,), daemon=True).start()

    def _serve(self, stub):
        with stub:
            _, descriptors, _, _ = socket.recv_fds(stub, 1, 1)
            if not descriptors:
                return
            with socket.socket(fileno=descriptors[0]) as core, contextlib.suppress(ConnectionError, BrokenPipeError):
                while packet := core.recv(65537):
                    self.packets.append(packet)
                    if packet[0] == REQUEST:
                        for part in _packets(self._answered(_asked(packet))):
                            self.packets.append(part)
                            core.send(part)

    def _answered(self, asked):
        self.asked.append(asked)
        try:
            changed = self._on_request(asked)
            return changed if isinstance(changed, Said) else self._on_answer(asked, self.send(changed))
        except Exception as failure:
            self._failures.append(failure)
            # The core is told that the connection to the server was lost.
            return None


def _as_it_is(asked):
    return asked


def _answer_as_it_is(asked, said):
    return said


def _connection(host, port):
    return http.client.HTTPSConnection(host, port, timeout=30, context=ssl._create_unverified_context())


def _asked(packet):
    """docs/protocol.md, "Fetch"."""
    _, fields = peer.read(packet)
    url, kind, accept, proof = (fields.get(tag, b"").decode() for tag in (3, 4, 5, 11))
    return Asked(url, kind, accept, fields.get(6, b""), proof, is_post=fields[2] == b"\2")


def _packets(said):
    """The answer as packets; the "connection lost" packet if there is no answer."""
    if said is None:
        return [_packet(RESPONSE, (1, b"\7"), (2, b"\1"), (3, bytes(2)), (6, bytes(4)))]
    head = _packet(
        RESPONSE,
        (1, b"\0"),
        (2, b"\1"),
        (3, said.status.to_bytes(2, "big")),
        (4, said.kind.encode()),
        (5, said.certificate),
        (6, len(said.body).to_bytes(4, "big")),
    )
    starts = range(0, len(said.body), LONGEST_CHUNK)
    return [head, *(_packet(CHUNK, (1, said.body[start : start + LONGEST_CHUNK])) for start in starts)]


def _packet(kind, *fields):
    return bytes([kind]) + b"".join(peer.field(tag, value) for tag, value in fields)
