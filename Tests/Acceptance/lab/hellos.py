"""The first messages of TLS 1.3 between a client and our server, recorded by a relay (RFC 8446, section 4)."""

import dataclasses
import fcntl
import socket
import struct
import termios
import threading

from lab import machine
from lab.waiting import until

HEADER = 5
KEY_SHARE = 51
# RFC 8446, section 4.2.7, and draft-ietf-tls-ecdhe-mlkem.
GROUPS = {0x001D: "X25519", 0x11EC: "X25519MLKEM768"}


class Cut:
    """Reads a message field by field, from its beginning to its end."""

    def __init__(self, message):
        self._rest = memoryview(message)

    def __bool__(self):
        return bool(self._rest)

    def take(self, count):
        taken, self._rest = self._rest[:count], self._rest[count:]
        return taken

    def number(self, size):
        return int.from_bytes(self.take(size))

    def vector(self, size):
        """A field that is preceded by its length in `size` bytes."""
        return self.take(self.number(size))


def _extension(cut, wanted):
    extensions = Cut(cut.vector(2))
    while extensions:
        kind, content = extensions.number(2), extensions.vector(2)
        if kind == wanted:
            return Cut(content)
    raise ValueError(f"no extension {wanted}")


def offered_groups(record):
    """The groups for which a ClientHello contains a key."""
    cut = Cut(record)
    # The headers, the version and the random number.
    cut.take(HEADER + 4 + 2 + 32)
    for size in (1, 2, 1):
        cut.vector(size)
    shares = Cut(_extension(cut, KEY_SHARE).vector(2))
    groups = []
    while shares:
        groups.append(shares.number(2))
        shares.vector(2)
    return groups


def chosen_group(record):
    """The group that a ServerHello names."""
    cut = Cut(record)
    cut.take(HEADER + 4 + 2 + 32)
    cut.vector(1)
    cut.take(2 + 1)
    return _extension(cut, KEY_SHARE).number(2)


@dataclasses.dataclass
class Hellos:
    """The records with both messages of one connection; the second is empty if the server did not answer."""

    client: bytes
    server: bytes


class Relay:
    """Passes connections on to our server, the client's first message in pieces; `seen` has the first two messages of each."""

    def __init__(self, lab, piece):
        self._piece, self.seen = piece, []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._listen, daemon=True).start()
        lab.after(lambda: (self._listener.shutdown(socket.SHUT_RDWR), self._listener.close()))

    def _listen(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._pass_on, args=(client,), daemon=True).start()

    def _pass_on(self, client):
        with client, socket.create_connection(("127.0.0.1", machine.PORT)) as server:
            server.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            hello = _record(client)
            for start in range(0, len(hello), self._piece):
                server.sendall(hello[start : start + self._piece])
                # The next piece becomes a separate segment: this one has arrived.
                until(lambda: not _unacknowledged(server), "a piece of a ClientHello to arrive")
            answer = _record(server)
            self.seen.append(Hellos(hello, answer))
            client.sendall(answer)
            back = threading.Thread(target=_pump, args=(server, client), daemon=True)
            back.start()
            _pump(client, server)
            back.join()


def _unacknowledged(connection):
    """The sent bytes that the other end's kernel has not acknowledged yet."""
    return struct.unpack("i", fcntl.ioctl(connection, termios.TIOCOUTQ, struct.pack("i", 0)))[0]


def _record(connection):
    """The next TLS record; an incomplete one if the connection ends."""
    record = b""
    while len(record) < HEADER or len(record) < HEADER + int.from_bytes(record[3:HEADER]):
        wanted = HEADER if len(record) < HEADER else HEADER + int.from_bytes(record[3:HEADER])
        part = connection.recv(wanted - len(record))
        if not part:
            break
        record += part
    return record


def _pump(source, target):
    try:
        while part := source.recv(65536):
            target.sendall(part)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass
