"""The servers uaf-fetch is tested against: one good, the others each wrong in one thing.

Listens on ports of 127.0.0.1 that the system chooses, with certificates made on the spot, and prints one line of JSON
that says where. Ends, and leaves nothing behind, when its standard input does.
"""

import base64
import json
import os
import shutil
import socket
import ssl
import struct
import sys
import threading

from answers import Handler, Server
from certificates import FOLDER, make_authority, make_certificate, path


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


def closed():
    """A port that nobody listens on, and that nobody else gets meanwhile."""
    holder = socket.socket()
    holder.bind(("127.0.0.1", 0))
    WAITING.append(holder)
    return holder.getsockname()[1]


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
            "closed": closed(),
        },
    }


try:
    print(json.dumps(start()), flush=True)
    sys.stdin.read()
finally:
    shutil.rmtree(FOLDER, ignore_errors=True)
