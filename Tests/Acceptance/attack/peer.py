"""Our own front end on the core's socket (docs/protocol.md), for packets that no honest front end would send."""

import base64
import contextlib
import json
import os
import socket
import threading

from lab.listener import SOCKET

AUTHENTICATE, CHANGE, REGISTER, DEREGISTER, DEREGISTER_ALL, STATUS, UNLOCK, RESET, INIT, FORGET, TRUST = range(1, 12)
OPERATIONS = {
    "authenticate": AUTHENTICATE,
    "change": CHANGE,
    "register": REGISTER,
    "deregister": DEREGISTER,
    "deregister-all": DEREGISTER_ALL,
    "status": STATUS,
    "unlock": UNLOCK,
    "reset": RESET,
    "init": INIT,
    "forget": FORGET,
    "trust": TRUST,
}
PROMPT, INFO, ERROR, READY, SETENV, FINISHED = range(0x81, 0x87)
# Fields of begin.
UID, ACCOUNT, TYPED_NAME, SERVICE, REMOTE, ARGUMENT, AUTHENTICATOR, PAYLOAD, CALLER = 3, 4, 5, 6, 10, 12, 16, 17, 19

_identity = threading.Lock()


@contextlib.contextmanager
def identity(uid):
    """A connection made inside this context has that user's uid, as the kernel reports it to the other end."""
    with _identity:
        os.seteuid(uid)
        try:
            yield
        finally:
            os.seteuid(0)


class Conversation:
    """One connection to the core, by some user."""

    def __init__(self, uid, seconds=40):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.settimeout(seconds)
        with identity(uid):
            self.socket.connect(SOCKET)

    def send(self, packet):
        self.socket.send(packet)

    def receive(self):
        """The next message as (type, fields), or None at the end."""
        try:
            packet = self.socket.recv(65537)
        except ConnectionError:
            return None
        return read(packet) if packet else None

    def close(self):
        self.socket.close()


def field(tag, value):
    return bytes([tag]) + len(value).to_bytes(2, "big") + value


def begin(operation, version=4, **fields):
    """A begin packet; fields are those of docs/protocol.md that a row needs, by name."""
    tags = {
        "uid": UID,
        "account": ACCOUNT,
        "typed_name": TYPED_NAME,
        "service": SERVICE,
        "remote": REMOTE,
        "argument": ARGUMENT,
        "authenticator": AUTHENTICATOR,
        "payload": PAYLOAD,
        "caller": CALLER,
    }
    numbers = {"uid": 4, "remote": 1, "caller": 4}
    parts = {1: version.to_bytes(2, "big"), 2: bytes([operation])}
    for name, value in fields.items():
        parts[tags[name]] = value.to_bytes(numbers[name], "big") if name in numbers else _bytes(value)
    return b"\x01" + b"".join(field(tag, parts[tag]) for tag in sorted(parts))


def answer(value):
    return b"\x02" + field(1, _bytes(value))


def _bytes(value):
    return value if isinstance(value, bytes) else value.encode()


def read(packet):
    """A message of the core: its type, and its fields by tag; the last one of a repeated field."""
    fields, rest = {}, packet[1:]
    while rest:
        length = int.from_bytes(rest[1:3], "big")
        fields[rest[0]] = rest[3 : 3 + length]
        rest = rest[3 + length :]
    return packet[0], fields


def converse(uid, *packets):
    """Sends the first packet, and one more for each prompt and each ready; returns all messages."""
    conversation, waiting, messages = Conversation(uid), list(packets), []
    try:
        conversation.send(waiting.pop(0))
        while message := conversation.receive():
            messages.append(message)
            if message[0] in (PROMPT, READY):
                if not waiting:
                    break
                conversation.send(waiting.pop(0))
    finally:
        conversation.close()
    return messages


def verdict(messages):
    """The content of the last message if it is *finished*: (PAM's code, the FIDO result, the text), else None."""
    if not messages or messages[-1][0] != FINISHED:
        return None
    fields = messages[-1][1]
    return fields[1][0], int.from_bytes(fields[2], "big"), fields.get(3, b"").decode(errors="replace")


def forged_payload(text, **members):
    """A payload with some members replaced."""
    document = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    line = json.dumps({**document, **members}, separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(line).rstrip(b"=").decode()
