"""A server over TLS with certificates made on the spot, on a port of 127.0.0.1 that the system chooses."""

import datetime
import http.server
import ipaddress
import json
import os
import ssl
import tempfile
import threading

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


def certificates(folder):
    """Makes an authority and a certificate for 127.0.0.1; returns the latter in DER."""
    now = datetime.datetime(2020, 1, 1)
    end = datetime.datetime(2099, 1, 1)

    def make(name, issuer, key, signer, *extensions):
        builder = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(issuer)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now)
            .not_valid_after(end)
        )
        for extension, critical in extensions:
            builder = builder.add_extension(extension, critical)
        return builder.sign(signer, hashes.SHA256())

    names = [x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)]) for text in ("interop CA", "interop")]
    keys = [ec.generate_private_key(ec.SECP256R1()) for _ in names]
    authority = make(names[0], names[0], keys[0], keys[0], (x509.BasicConstraints(True, 0), True))
    leaf = make(
        names[1],
        names[0],
        keys[1],
        keys[0],
        (x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), False),
    )
    pem = serialization.Encoding.PEM
    for name, data in (
        ("ca.pem", authority.public_bytes(pem)),
        ("leaf.pem", leaf.public_bytes(pem)),
        ("leaf.key", keys[1].private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())),
    ):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)
    return leaf.public_bytes(serialization.Encoding.DER)


def serve(handler, prepare, until):
    """Prints one line of JSON that says where it listens and whom to trust, and serves until `until` returns.

    `prepare` is called with the base URL and the certificate (DER) before anybody can connect.
    """
    with tempfile.TemporaryDirectory(prefix="uaf-interop-") as folder:
        certificate = certificates(folder)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        server.daemon_threads = True
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(os.path.join(folder, "leaf.pem"), os.path.join(folder, "leaf.key"))
        # The handshake belongs to the connection's own thread: a client that is slow must not stop the others.
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        base = f"https://127.0.0.1:{server.server_address[1]}"
        prepare(base, certificate)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        os.chmod(folder, 0o755)
        print(json.dumps({"url": base, "authority": os.path.join(folder, "ca.pem")}), flush=True)
        until()
