#!/usr/bin/env python3
"""Makes passkeys.json: certificate chains for packed attestation, good and bad, with the leaf's private key to sign with.

Needs python3-cryptography. Each run makes new keys; the file is committed, the keys serve nothing else. Everything is valid from
2026-01-01 to 2036-01-01 unless its name says otherwise. The format is that of WebAuthn Level 3, section 8.2.1.
"""

import base64
import datetime
import json
import pathlib
import uuid

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

MODEL = bytes.fromhex("cb69481e8ff7403993ec0a2729a154a8")
OTHER_MODEL = bytes.fromhex("0102030405060708090a0b0c0d0e0f10")
AAGUID = x509.ObjectIdentifier("1.3.6.1.4.1.45724.1.1.4")
FROM, TO = datetime.datetime(2026, 1, 1), datetime.datetime(2036, 1, 1)
UNIT = "Authenticator Attestation"


def key():
    return ec.generate_private_key(ec.SECP256R1())


def certificate(subject, subject_key, issuer, issuer_key, model=None, ca=False, unit=None, end=TO):
    names = [x509.NameAttribute(NameOID.COMMON_NAME, subject)]
    if unit:
        names.append(x509.NameAttribute(NameOID.ORGANIZATIONAL_UNIT_NAME, unit))
    builder = (
        x509.CertificateBuilder()
        .subject_name(x509.Name(names))
        .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, issuer)]))
        .public_key(subject_key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(FROM)
        .not_valid_after(end)
        .add_extension(x509.BasicConstraints(ca, None), True)
    )
    if model is not None:
        builder = builder.add_extension(x509.UnrecognizedExtension(AAGUID, b"\x04\x10" + model), False)
    return builder.sign(issuer_key, hashes.SHA256()).public_bytes(serialization.Encoding.DER)


root_key, other_key, middle_key, leaf_key = key(), key(), key(), key()
root = certificate("Root", root_key, "Root", root_key, ca=True)
other = certificate("Root", other_key, "Root", other_key, ca=True)
middle = certificate("Middle", middle_key, "Root", root_key, ca=True)


def leaf(issuer="Root", issuer_key=root_key, model: bytes | None = MODEL, unit=UNIT, ca=False, end=TO):
    return certificate("Leaf", leaf_key, issuer, issuer_key, model=model, ca=ca, unit=unit, end=end)


# Name, chain, whether it vouches for the model if `root` is the root of its metadata statement.
cases = [
    ("leaf", [leaf()], True),
    ("leaf and root", [leaf(), root], True),
    ("leaf and issuer", [leaf("Middle", middle_key), middle], True),
    ("leaf that names no model", [leaf(model=None)], False),
    ("issuer missing", [leaf("Middle", middle_key)], False),
    ("other root of the same name", [leaf(issuer_key=other_key)], False),
    ("other root that was sent", [leaf(issuer_key=other_key), other], False),
    ("expired", [leaf(end=datetime.datetime(2026, 6, 1))], False),
    ("stranger at the end", [leaf(), middle], False),
    ("leaf of another model", [leaf(model=OTHER_MODEL)], False),
    ("leaf of another unit", [leaf(unit="Authenticators")], False),
    ("leaf that is an authority", [leaf(ca=True)], False),
]


def text(der):
    return base64.b64encode(der).decode()


number = leaf_key.private_numbers().private_value.to_bytes(32, "big")
document = {
    "aaguid": str(uuid.UUID(bytes=MODEL)),
    "leafPrivateKey": text(number),
    "root": text(root),
    "cases": [{"name": name, "certificates": [text(der) for der in chain], "vouches": good} for name, chain, good in cases],
}
pathlib.Path(__file__).with_name("passkeys.json").write_text(json.dumps(document, indent=1) + "\n")
