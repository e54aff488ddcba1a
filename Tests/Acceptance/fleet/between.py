"""Sits between an instance and PostgreSQL, reads their protocol, and can swallow the answer to a commit.

PostgreSQL's manual, "Frontend/Backend Protocol": each message is a type of one byte, a length, and a content; the first message
of a connection has no type.
"""

import contextlib
import re
import socket
import struct
import threading

ADDRESS = "127.0.4.2"
BEGINS, WRITES, COMMITS = (re.compile(text, re.IGNORECASE) for text in (rb"\s*BEGIN\b", rb"\b(INSERT|UPDATE) ", rb"\s*COMMIT\b"))
TLS_ASKED, TLS_REFUSED = struct.pack(">ii", 8, 80877103), b"N"


class Between:
    """Forwards everything. Once armed, it swallows PostgreSQL's answer to the next request that commits a write."""

    def __init__(self, lab, target):
        self._target = target
        self._listener = socket.create_server((ADDRESS, 0), backlog=64)
        self.port = self._listener.getsockname()[1]
        self._armed, self._is_taken = threading.Event(), threading.Lock()
        # Set when PostgreSQL has executed the request, and only its answer is withheld.
        self.committed = threading.Event()
        self._lets_go = threading.Event()
        self._open = []
        threading.Thread(target=self._listen, daemon=True).start()
        lab.after(self._close)

    def arm(self):
        self.committed.clear()
        self._lets_go.clear()
        self._armed.set()

    def let_go(self):
        """Closes the connection whose answer was swallowed."""
        self._lets_go.set()

    def _close(self):
        self._armed.clear()
        self._lets_go.set()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for connection in self._open:
            connection.close()

    def _listen(self):
        while True:
            try:
                client = self._listener.accept()[0]
            except OSError:
                return
            self._open.append(client)
            threading.Thread(target=_Connection(self, client, self._target).pass_on, daemon=True).start()

    def takes(self):
        """Returns whether it is armed, and disarms it."""
        with self._is_taken:
            was = self._armed.is_set()
            self._armed.clear()
            return was

    def wait(self):
        self._lets_go.wait(120)


class _Connection:
    def __init__(self, between, client, target):
        self._between, self._client = between, client
        self._server = socket.create_connection(target)
        self._texts = {}
        self._swallows = threading.Event()
        self._is_in_transaction = self._has_written = False

    def pass_on(self):
        threading.Thread(target=self._guarded, args=(self._answers,), daemon=True).start()
        self._guarded(self._requests)

    def _guarded(self, work):
        with contextlib.suppress(OSError, EOFError):
            work()
        for end in (self._client, self._server):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def _requests(self):
        while True:
            length = _exactly(self._client, 4)
            first = length + _exactly(self._client, int.from_bytes(length) - 4)
            if first != TLS_ASKED:
                break
            self._client.sendall(TLS_REFUSED)
        self._server.sendall(first)
        while True:
            kind, content = _message(self._client)
            if kind == b"P":
                name, text = content.split(b"\0", 2)[:2]
                self._texts[name] = text
            if self._commits_what_it_wrote(kind, content) and self._between.takes():
                self._swallows.set()
            self._server.sendall(kind + struct.pack(">i", len(content) + 4) + content)

    def _commits_what_it_wrote(self, kind, content):
        """Whether a message executes a statement, direct or prepared, that commits a write."""
        if kind == b"Q":
            text = content
        elif kind == b"B":
            text = self._texts.get(content.split(b"\0", 2)[1], b"")
        else:
            return False
        if BEGINS.match(text):
            self._is_in_transaction, self._has_written = True, False
        self._has_written = self._has_written or bool(WRITES.search(text))
        if self._is_in_transaction and not COMMITS.match(text):
            return False
        was, self._is_in_transaction, self._has_written = self._has_written, False, False
        return was

    def _answers(self):
        while True:
            kind, content = _message(self._server)
            if self._swallows.is_set():
                # Ready for the next query, and in no transaction.
                if kind == b"Z" and content == b"I":
                    self._between.committed.set()
                    self._between.wait()
                    raise EOFError
                continue
            self._client.sendall(kind + struct.pack(">i", len(content) + 4) + content)


def _message(connection):
    kind = _exactly(connection, 1)
    return kind, _exactly(connection, int.from_bytes(_exactly(connection, 4)) - 4)


def _exactly(connection, count):
    data = b""
    while len(data) < count:
        part = connection.recv(count - len(data))
        if not part:
            raise EOFError
        data += part
    return data
