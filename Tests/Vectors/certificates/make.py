#!/usr/bin/env python3
"""Makes certificates.json: self-signed certificates by hash function, with the serverEndPoint value each one has.

Needs the openssl program, which still signs with MD5 and SHA-1. Each run makes new keys, which are thrown away.
"""

import base64
import hashlib
import json
import pathlib
import subprocess
import tempfile

# The hash of the certificate's signature, and the one RFC 5929 has clients use for it.
HASHES = (
    ("md5", "sha256"),
    ("sha1", "sha256"),
    ("sha224", "sha224"),
    ("sha256", "sha256"),
    ("sha384", "sha384"),
    ("sha512", "sha512"),
)


def certificate(*options):
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run(
            [
                "openssl",
                "req",
                "-x509",
                "-nodes",
                "-subj",
                "/CN=a.test",
                "-days",
                "3650",
                "-outform",
                "DER",
                "-keyout",
                f"{folder}/key",
                *options,
            ],
            check=True,
            capture_output=True,
        ).stdout


entries = []
for signed, used in HASHES:
    for kind in (("-newkey", "rsa:2048"), ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256")):
        if (kind[1], signed) == ("ec", "md5"):
            continue  # has no identifier
        der = certificate(*kind, f"-{signed}")
        entries.append(
            {
                "name": f"{kind[1][:3]} {signed}",
                "certificate": base64.b64encode(der).decode(),
                "serverEndPoint": hashlib.new(used, der).hexdigest(),
            }
        )
der = certificate("-newkey", "rsa:2048", "-sha384", "-sigopt", "rsa_padding_mode:pss")
entries.append(
    {"name": "RSA-PSS sha384", "certificate": base64.b64encode(der).decode(), "serverEndPoint": hashlib.sha384(der).hexdigest()}
)
der = certificate("-newkey", "ed25519")
entries.append({"name": "Ed25519", "certificate": base64.b64encode(der).decode(), "serverEndPoint": None})
path = pathlib.Path(__file__).with_name("certificates.json")
path.write_text(json.dumps(entries, indent=1) + "\n")
