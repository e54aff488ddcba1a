"""The attacker's servers: one that forges answers or intercepts, and the bad ones of Tests/Servers."""

import dataclasses
import http.client
import json
import pathlib
import re
import socket
import ssl
import subprocess
import threading

from lab import machine

FOLDER = pathlib.Path("/tmp/forger")
TRUSTED = pathlib.Path("/etc/ssl/uaf-ca.pem")
# The real server's own certificate and key, for a proxy that even the channel binding does not detect.
STOLEN = ("/srv/uaf/certificate.pem", "/srv/uaf/key.pem")
UAF = "application/fido+uaf; charset=utf-8"


@dataclasses.dataclass
class Request:
    method: str
    path: str
    headers: dict
    body: bytes


def answer(body, kind=UAF, status="200 OK", more="", length=None):
    """The bytes of an HTTP answer; a text body is sent as UTF-8."""
    body = body.encode() if isinstance(body, str) else body
    length = len(body) if length is None else length
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n{more}\r\n"
    return head.encode() + body


def verdict(status=1200, **members):
    """The result that a server returns for an answer."""
    return json.dumps({"statusCode": status, **members})


def member(body, name):
    """A member of a JSON object."""
    return json.loads(body)[name]


def authority():
    """Creates an authority and its certificate for this machine, once; returns the certificate's path."""
    if not (FOLDER / "leaf.pem").exists():
        FOLDER.mkdir(exist_ok=True)
        key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30"]
        subprocess.run(
            [
                "openssl",
                "req",
                "-x509",
                *key,
                "-subj",
                "/CN=between",
                "-keyout",
                "ca.key",
                "-out",
                "ca.pem",
                "-addext",
                "basicConstraints=critical,CA:TRUE",
            ],
            cwd=FOLDER,
            check=True,
            capture_output=True,
        )
        subprocess.run(
            [
                "openssl",
                "req",
                "-x509",
                *key,
                "-subj",
                "/CN=leaf",
                "-keyout",
                "leaf.key",
                "-out",
                "leaf.pem",
                "-addext",
                "basicConstraints=critical,CA:FALSE",
                "-addext",
                "subjectAltName=IP:127.0.0.1",
                "-CA",
                "ca.pem",
                "-CAkey",
                "ca.key",
            ],
            cwd=FOLDER,
            check=True,
            capture_output=True,
        )
    return str(FOLDER / "leaf.pem")


def trust(lab, *authorities):
    """Makes the client trust further authorities until the row has ended."""
    before = TRUSTED.read_bytes()
    TRUSTED.write_bytes(before + b"".join(authorities))
    lab.after(lambda: TRUSTED.write_bytes(before))


def ask(path, body, port=machine.PORT, kind=UAF, connection=None):
    """Sends a body to the real server and returns status and answer."""
    context = ssl._create_unverified_context()
    made = connection or http.client.HTTPSConnection("127.0.0.1", port, timeout=30, context=context)
    made.request("POST", path, body, {"Content-Type": kind, "Accept": UAF})
    response = made.getresponse()
    said = response.read()
    if connection is None:
        made.close()
    return response.status, said


class Forger:
    """A TLS server with a certificate the client trusts. `reply(request)` returns bytes, or yields them in parts."""

    def __init__(self, lab, reply, shown=None):
        trust_now = shown is None
        shown = shown or (authority(), FOLDER / "leaf.key")
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(*shown)
        if trust_now:
            trust(lab, (FOLDER / "ca.pem").read_bytes())
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self._listener.getsockname()[1]
        self.reply = reply
        # Every received request, and the number of bytes sent.
        self.heard, self.sent = [], 0
        threading.Thread(target=self._listen, daemon=True).start()
        lab.after(self._close)

    def _close(self):
        # Closing the socket alone would leave the thread waiting.
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _listen(self):
        while True:
            try:
                connection = self._listener.accept()[0]
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        try:
            with self._context.wrap_socket(connection, server_side=True) as tls:
                tls.settimeout(60)
                while request := self._read(tls):
                    self.heard.append(request)
                    parts = self.reply(request)
                    for part in [parts] if isinstance(parts, bytes) else parts:
                        tls.sendall(part)
                        self.sent += len(part)
                    return
        except OSError:
            # The client has closed the connection, as it should.
            pass

    @staticmethod
    def _read(tls):
        data = b""
        while b"\r\n\r\n" not in data:
            if not (part := tls.recv(65536)):
                return None
            data += part
        head, _, body = data.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        while len(body) < int(headers.get("content-length", 0)):
            body += tls.recv(65536)
        method, path, _ = first.split(" ", 2)
        return Request(method, path, headers, body)


def passing(request):
    """Passes a request on to the real server and returns its answer, as a Forger's reply."""
    status, body = ask(request.path, request.body)
    return answer(body, status=f"{status} as said")


class BadServers:
    """The servers of Tests/Servers/https_servers.py, each with one fault."""

    def __init__(self, lab):
        program = machine.ROOT / "Tests/Servers/https_servers.py"
        self._process = lab.start("python3", "-W", "ignore", program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        lab.after(lambda: lab.stop(self._process))
        said = json.loads(self._process.stdout.readline())
        self.authority, self.folder, self._ports = said["authority"].encode(), said["folder"], said["ports"]

    def url(self, name, path="/ok", host="127.0.0.1"):
        return f"https://{host}:{self._ports[name]}{path}"


def point(request_url=None, response_url=None):
    """Changes the addresses in the configuration that `lab.configure` has written."""
    text = machine.CONFIGURATION.read_text()
    for key, url in (("request_url", request_url), ("response_url", response_url)):
        if url:
            text = re.sub(rf'^{key} = ".*"$', f'{key} = "{url}"', text, flags=re.M)
    machine.CONFIGURATION.write_text(text)
