"""Programs that receive the audit: a syslog server with TLS (RFC 5425) and a webhook. Each keeps its port while it is down."""

import base64
import contextlib
import hashlib
import hmac
import http.server
import json
import re
import socket
import ssl
import threading
import typing

from fleet import certificates
from fleet.programs import folder

HOST = "localhost"
NUMBER = re.compile(rb'\[uafAudit@32473 number="(\d+)" hash="([\w-]{43})"')


def unused_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def made(name, names, **more):
    """A folder with an authority and its certificates for some names, as `certificates.make` writes them."""
    home = folder(f"/srv/{name}", 0o755)
    certificates.make(home, names, **more)
    return home


class Receiver:
    """What both receivers share: they keep the rows in the order of arrival, as pairs of number and hash."""

    def __init__(self, lab, home):
        self.port, self.home = unused_port(), home
        self.rows, self.bytes, self.faults = [], 0, []
        self._listener = None
        lab.after(self.down)

    @property
    def certificate(self):
        return self.home / "ca.pem"

    def up(self, home=None):
        """Starts listening, with a different certificate if one is given."""
        home = home or self.home
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(home / "leaf.pem", home / "leaf.key")
        self._listener = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self._listen, args=(self._listener, context), daemon=True).start()

    def down(self):
        if self._listener is not None:
            with contextlib.suppress(OSError):
                self._listener.shutdown(socket.SHUT_RDWR)
            self._listener.close()
            self._listener = None

    def _listen(self, listener, context):
        while True:
            try:
                client = listener.accept()[0]
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client, context), daemon=True).start()

    def _serve(self, client, context):
        client.settimeout(30)
        try:
            with context.wrap_socket(client, server_side=True) as connection:
                self.read(connection)
        except (OSError, ValueError) as fault:
            self.faults.append(str(fault))

    def read(self, connection):
        raise NotImplementedError


class Syslog(Receiver):
    def read(self, connection):
        """Reads until the sender closes the connection, and then closes it too, which acknowledges the rows."""
        text = b""
        while part := connection.recv(1 << 16):
            self.bytes += len(part)
            text += part
        while text:
            length, text = text.split(b" ", 1)
            message, text = text[: int(length)], text[int(length) :]
            found = NUMBER.search(message)
            if found is None or len(message) != int(length):
                raise ValueError(f"no message of the audit: {message!r}")
            self.rows.append((int(found[1]), found[2].decode()))


class Webhook(Receiver):
    def __init__(self, lab, home, secret):
        super().__init__(lab, home)
        self._secret = secret.encode()

    def read(self, connection):
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(outer.take(body, self.headers["UAF-Audit-Signature"]))
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        Handler(connection, ("127.0.0.1", self.port), typing.cast("typing.Any", None))

    def take(self, body, signature):
        """The status for a portion of rows."""
        parts = dict(part.split("=", 1) for part in signature.split(","))
        code = hmac.new(self._secret, parts["t"].encode() + b"." + body, hashlib.sha256).hexdigest()
        if not hmac.compare_digest(code, parts["v1"]):
            self.faults.append("a signature that does not fit")
            return 403
        self.bytes += len(body)
        rows = [json.loads(line) for line in body.splitlines()]
        self.rows += [(row["number"], row["hash"]) for row in rows]
        return 204


def text_of(data):
    """Bytes as the audit writes them."""
    return base64.urlsafe_b64encode(data).decode().rstrip("=")
