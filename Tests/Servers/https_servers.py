"""The servers uaf-fetch is tested against: one good, the others each wrong in one thing.

Listens on ports of 127.0.0.1 that the system chooses, with certificates made on the spot, and prints one line of JSON
that says where. Ends, and leaves nothing behind, when its standard input does.
"""

import base64
import http.server
import json
import os
import shutil
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import time

FOLDER = tempfile.mkdtemp(prefix="uaf-fetch-test-")
LIMIT = 262144


def path(name):
    return os.path.join(FOLDER, name)


def openssl(*arguments):
    subprocess.run(["openssl", *arguments], check=True, cwd=FOLDER, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def make_authority(name):
    openssl(
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:P-256",
        "-nodes",
        "-days",
        "30",
        "-subj",
        f"/CN={name}",
        "-keyout",
        f"{name}.key",
        "-out",
        f"{name}.pem",
        "-addext",
        "basicConstraints=critical,CA:TRUE",
        "-addext",
        "keyUsage=critical,keyCertSign",
    )


def make_certificate(name, authority, names="IP:127.0.0.1,DNS:localhost", days=None):
    openssl(
        "req",
        "-new",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:P-256",
        "-nodes",
        "-subj",
        f"/CN={name}",
        "-keyout",
        f"{name}.key",
        "-out",
        f"{name}.csr",
    )
    with open(path(f"{name}.ext"), "w") as file:
        file.write(
            f"[ca]\ndefault_ca = here\n[here]\ndatabase = {path(name)}.db\nserial = {path(name)}.srl\n"
            f"new_certs_dir = {FOLDER}\ndefault_md = sha256\npolicy = any\nx509_extensions = leaf\n"
            f"unique_subject = no\n[any]\ncommonName = supplied\n[leaf]\nsubjectAltName = {names}\n"
            "basicConstraints = CA:FALSE\n"
        )
    open(path(f"{name}.db"), "w").close()
    dates = days or ["20200101000000Z", "20991231235959Z"]
    openssl(
        "ca",
        "-batch",
        "-config",
        f"{name}.ext",
        "-rand_serial",
        "-cert",
        f"{authority}.pem",
        "-keyfile",
        f"{authority}.key",
        "-in",
        f"{name}.csr",
        "-out",
        f"{name}.pem",
        "-notext",
        "-startdate",
        dates[0],
        "-enddate",
        dates[1],
    )


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, body, status=200, kind="application/json", headers=()):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        if self.path == "/echo":
            self.answer(body)
        elif self.path == "/headers":
            self.answer(json.dumps([self.command, *sorted(f"{k}: {v}" for k, v in self.headers.items())]).encode())
        elif self.path in ("/hang", "/garbage", "/ok", "/empty", "/redirect", "/cut", "/drip", "/one-more"):
            self.do_GET()
        else:
            self.answer(b"no such path", 404, "text/plain")

    def do_GET(self):
        handler = getattr(self, "get_" + self.path.strip("/").replace("-", "_"), None)
        if handler:
            handler()
        elif self.path == "/headers":
            self.do_POST()
        else:
            self.answer(b"no such path", 404, "text/plain")

    def get_ok(self):
        self.answer(b'{"ok":true}')

    def dated(self, *dates):
        self.send_response_only(200)
        for date in dates:
            self.send_header("Date", date)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def get_dated(self):
        self.dated("Fri, 15 Jan 2027 08:00:00 GMT")

    def get_undated(self):
        self.dated()

    def get_dated_twice(self):
        self.dated("Fri, 15 Jan 2027 08:00:00 GMT", "Fri, 15 Jan 2027 08:00:00 GMT")

    def get_dated_long_ago(self):
        self.dated("Fri, 15 Jan 1960 08:00:00 GMT")

    def get_dated_otherwise(self):
        self.dated("when it suits")

    def get_empty(self):
        self.answer(b"", 204)

    def get_connection(self):
        self.answer(str(self.client_address[1]).encode())

    def get_redirect(self):
        self.answer(b"elsewhere", 302, "text/plain", [("Location", "/ok")])

    def vouch(self, *words, name="FIDO-AppID-Redirect-Authorized", status=301, location="https://other.example:8443/f?x"):
        headers = [("Location", location)] if location else []
        self.answer(b"", status, "text/plain", headers + [(name, word) for word in words])

    def get_vouched(self):
        self.vouch("true")

    def get_vouched_lower(self):
        self.vouch("true", name="fido-appid-redirect-authorized")

    def get_unvouched(self):
        self.vouch()

    def get_vouched_twice(self):
        self.vouch("true", "true")

    def get_vouched_upper(self):
        self.vouch("TRUE")

    def get_vouched_more(self):
        self.vouch("true, false")

    def get_nowhere_to(self):
        self.vouch("true", location=None)

    def get_too_far(self):
        self.vouch("true", location="https://other.example/" + 4096 * "x")

    def get_created(self):
        self.vouch("true", status=201)

    def get_largest(self):
        self.answer(bytes(index % 251 for index in range(LIMIT)))

    def get_one_more(self):
        self.answer(bytes(LIMIT + 1))

    def get_announced(self):
        self.answer(bytes(300 * 1024))

    def unannounced(self):
        self.close_connection = True
        self.send_response(200)
        self.send_header("Connection", "close")
        self.end_headers()

    def get_unannounced(self):
        self.unannounced()
        self.wfile.write(bytes(300 * 1024))

    def get_endless(self):
        self.unannounced()
        while True:
            self.wfile.write(bytes(4096))

    def get_drip(self):
        self.unannounced()
        while True:
            self.wfile.write(b"x")
            time.sleep(0.05)

    def get_cut(self):
        self.close_connection = True
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        self.wfile.write(b"x" * 10)

    def get_hang(self):
        self.close_connection = True
        # Until the client goes away.
        self.connection.recv(1)

    def get_reset(self):
        self.close_connection = True
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def get_garbage(self):
        self.close_connection = True
        self.wfile.write(b"\x00\x01this is not HTTP\r\n\r\n")

    def get_many_headers(self):
        self.answer(b"", headers=[(f"X-{index}", "v") for index in range(300)])

    def get_long_headers(self):
        self.answer(b"", headers=[(f"X-{index}", "v" * 8000) for index in range(10)])

    def get_strange_type(self):
        self.answer(b"", kind="text/\x1b[2J\xe9" + "x" * 400)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass


class TLSServer(Server):
    """The handshake takes place in the connection's thread, so that a client that hangs holds up nobody."""

    def __init__(self, context):
        self.context = context
        super().__init__(("127.0.0.1", 0), Handler)

    def finish_request(self, request, client_address):
        with self.context.wrap_socket(request, server_side=True) as tls:
            super().finish_request(tls, client_address)


def context(name):
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(path(f"{name}.pem"), path(f"{name}.key"))
    return made


def run(server):
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


def accept(action):
    """A listener that does `action` with each connection in a thread of its own."""
    listener = socket.create_server(("127.0.0.1", 0))

    def loop():
        while True:
            connection = listener.accept()[0]
            threading.Thread(target=action, args=(connection,), daemon=True).start()

    threading.Thread(target=loop, daemon=True).start()
    return listener.getsockname()[1]


def mute(connection):
    while connection.recv(4096):
        pass


def reset(connection):
    # Not before the handshake has begun: an earlier reset looks like a refused connection.
    connection.recv(1)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


WAITING = []


def hole():
    """A port whose packets the kernel drops: a listener that takes nothing and has no room left."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=0)
    WAITING.append(listener)
    for _ in range(8):
        connection = socket.socket()
        connection.setblocking(False)
        connection.connect_ex(listener.getsockname())
        WAITING.append(connection)
    return listener.getsockname()[1]


def copy(source, target):
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def proxy(connection):
    head = b""
    while b"\r\n\r\n" not in head:
        head += connection.recv(4096)
    host, port = head.split()[1].decode().rsplit(":", 1)
    if host != "127.0.0.1":
        connection.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
        connection.close()
        return
    server = socket.create_connection((host, int(port)))
    connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    threading.Thread(target=copy, args=(server, connection), daemon=True).start()
    copy(connection, server)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def start():
    make_authority("authority")
    make_authority("stranger")
    make_certificate("good", "authority")
    make_certificate("wronghost", "authority", "DNS:other.example")
    make_certificate("expired", "authority", days=["20200101000000Z", "20200201000000Z"])
    make_certificate("unknown", "stranger")
    make_authority("selfsigned")

    old = context("good")
    old.minimum_version = ssl.TLSVersion.TLSv1
    old.maximum_version = ssl.TLSVersion.TLSv1_1
    old.set_ciphers("ALL:@SECLEVEL=0")
    twelve = context("good")
    twelve.maximum_version = ssl.TLSVersion.TLSv1_2

    # Whoever reads the environment must be able to act on it: the folder is open to every user.
    os.chmod(FOLDER, 0o777)
    with open(path("openssl.cnf"), "w") as file:
        file.write("openssl_conf = a\n[a]\nssl_conf = b\n[b]\nsystem_default = c\n[c]\nMinProtocol = TLSv1.3\n")
    with open(path("good.pem")) as file:
        leaf = ssl.PEM_cert_to_DER_cert(file.read())
    with open(path("authority.pem")) as file:
        authority = file.read()
    return {
        "folder": FOLDER,
        "authority": authority,
        "leaf": base64.b64encode(leaf).decode(),
        "ports": {
            "good": run(TLSServer(context("good"))),
            "wrongHost": run(TLSServer(context("wronghost"))),
            "expired": run(TLSServer(context("expired"))),
            "unknown": run(TLSServer(context("unknown"))),
            "selfSigned": run(TLSServer(context("selfsigned"))),
            "tls11": run(TLSServer(old)),
            "tls12": run(TLSServer(twelve)),
            "plain": run(Server(("127.0.0.1", 0), Handler)),
            "mute": accept(mute),
            "reset": accept(reset),
            "closing": accept(lambda connection: connection.close()),
            "hole": hole(),
            "proxy": accept(proxy),
            "closed": free_port(),
        },
    }


try:
    print(json.dumps(start()), flush=True)
    sys.stdin.read()
finally:
    shutil.rmtree(FOLDER, ignore_errors=True)
