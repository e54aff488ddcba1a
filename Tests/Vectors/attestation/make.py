#!/usr/bin/env python3
"""Makes attestation.json: attestation chains, good and bad, with the leaf's private key to sign with.

Needs python3-cryptography and the openssl program. Each run makes new keys; the file is committed, the keys serve nothing
else. Everything is valid from 2026-01-01 to 2036-01-01 unless its name says otherwise.
"""

import base64
import datetime
import json
import pathlib
import subprocess
import tempfile

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import NameOID

AAID = x509.ObjectIdentifier("1.3.6.1.4.1.45724.1.1.1")
SHA256 = hashes.SHA256()
FROM, TO = datetime.datetime(2026, 1, 1), datetime.datetime(2036, 1, 1)
USAGE = {
    "content_commitment": False,
    "key_encipherment": False,
    "data_encipherment": False,
    "crl_sign": False,
    "encipher_only": False,
    "decipher_only": False,
}
SIGNING = x509.KeyUsage(digital_signature=True, key_agreement=False, key_cert_sign=False, **USAGE)
AGREEING = x509.KeyUsage(digital_signature=False, key_agreement=True, key_cert_sign=False, **USAGE)
ISSUING = x509.KeyUsage(digital_signature=False, key_agreement=False, key_cert_sign=True, **USAGE)


def name(text):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def key():
    return ec.generate_private_key(ec.SECP256R1())


def certificate(subject, subject_key, issuer, issuer_key, extensions=(), begin=FROM, end=TO, digest=SHA256):
    builder = (
        x509.CertificateBuilder()
        .subject_name(name(subject))
        .issuer_name(name(issuer))
        .public_key(subject_key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(begin)
        .not_valid_after(end)
    )
    for extension, critical in extensions:
        builder = builder.add_extension(extension, critical)
    return builder.sign(issuer_key, digest).public_bytes(serialization.Encoding.DER)


def authority(depth=None):
    return ((x509.BasicConstraints(True, depth), True), (ISSUING, True))


def leaf_extensions(model=None, usage=SIGNING, tag=b"\x04\x09"):
    extensions = [(x509.BasicConstraints(False, None), True), (usage, True)]
    if model is not None:
        extensions.append((x509.UnrecognizedExtension(AAID, tag + model), False))
    return extensions


keys = {n: key() for n in ("root", "other", "middle", "lower", "leaf")}
rsa_key, weak_key = rsa.generate_private_key(65537, 2048), rsa.generate_private_key(65537, 1024)
root = certificate("Root", keys["root"], "Root", keys["root"], authority())
other = certificate("Root", keys["other"], "Root", keys["other"], authority())
middle = certificate("Middle", keys["middle"], "Root", keys["root"], authority())
lower = certificate("Lower", keys["lower"], "Middle", keys["middle"], authority())
plain = certificate("Middle", keys["middle"], "Root", keys["root"], [(x509.BasicConstraints(False, None), True)])
late = certificate("Middle", keys["middle"], "Root", keys["root"], authority(), FROM, datetime.datetime(2026, 6, 1))
shallow = certificate("Middle", keys["middle"], "Root", keys["root"], authority(0))


def leaf(issuer, issuer_key, subject_key=None, **options):
    extensions = options.pop("extensions", leaf_extensions())
    return certificate("Leaf", subject_key or keys["leaf"], issuer, keys[issuer_key], extensions, **options)


def case(name, chain, aaid=None, error=None, roots=(root,)):
    return {
        "name": name,
        "certificates": [base64.b64encode(c).decode() for c in chain],
        "roots": [base64.b64encode(c).decode() for c in roots],
        "aaid": aaid,
        "error": error,
    }


good = leaf("Root", "root")
below = leaf("Middle", "middle")
lowest = leaf("Lower", "lower")
model = b"FFFF#5555"
changed = bytearray(good)
changed[-1] ^= 1
cases = [
    case("leaf alone", [good]),
    case("leaf and root", [good, root]),
    case("leaf and issuer", [below, middle]),
    case("leaf, two issuers and root", [lowest, lower, middle, root]),
    case("issuer in the middle as root", [below], roots=[middle]),
    case("issuer in the middle and root as roots", [below, middle, root], roots=[middle, root]),
    case("leaf as root", [good], roots=[good]),
    case("second root", [good], roots=[other, root]),
    case("model as octets", [leaf("Root", "root", extensions=leaf_extensions(model))], aaid="FFFF#5555"),
    case("model as UTF-8", [leaf("Root", "root", extensions=leaf_extensions(model, tag=b"\x0c\x09"))], aaid="FFFF#5555"),
    case("model without a tag", [leaf("Root", "root", extensions=leaf_extensions(model, tag=b""))], aaid="FFFF#5555"),
    case("RSA leaf", [leaf("Root", "root", rsa_key)]),
    case("no root", [good], error="untrusted", roots=[]),
    case("other root of the same name", [good], error="untrusted", roots=[other]),
    case("root that was sent", [good, root], error="untrusted", roots=[other]),
    case("issuer missing", [below], error="untrusted"),
    case("issuer after root", [below, root, middle], error="outOfOrder"),
    case("root first", [root, good], error="outOfOrder"),
    case("stranger at the end", [good, other], error="untrusted"),
    case("root beyond the roots", [below, middle, root], error="untrusted", roots=[middle]),
    case("issuer that is not an authority", [below, plain], error="untrusted"),
    case("issuer too deep", [lowest, lower, shallow], error="untrusted"),
    case("issuer expired", [below, late], error="untrusted"),
    case("leaf expired", [leaf("Root", "root", end=datetime.datetime(2026, 6, 1))], error="untrusted"),
    case("leaf not yet valid", [leaf("Root", "root", begin=datetime.datetime(2030, 1, 1))], error="untrusted"),
    case("leaf changed", [bytes(changed)], error="untrusted"),
    case("leaf of 1024 bits", [leaf("Root", "root", weak_key)], error="untrusted"),
    case("leaf not for signing", [leaf("Root", "root", extensions=leaf_extensions(usage=AGREEING))], error="notForSigning"),
    case(
        "model of eight characters",
        [leaf("Root", "root", extensions=leaf_extensions(model[:8], tag=b"\x04\x08"))],
        error="malformedModel",
    ),
    case("model as integer", [leaf("Root", "root", extensions=leaf_extensions(model, tag=b"\x02\x09"))], error="malformedModel"),
    case("no certificate", [], error="malformed"),
    case("nine certificates", [good] + [root] * 8, error="malformed"),
    case("byte left over", [good + b"\0"], error="malformed"),
    case("not a certificate", [b"\x30\x00"], error="malformed"),
    case(
        "critical extension nobody knows",
        [
            leaf(
                "Root",
                "root",
                extensions=[(x509.UnrecognizedExtension(x509.ObjectIdentifier("1.3.6.1.4.1.99999.1"), b"\x05\x00"), True)],
            )
        ],
        error="untrusted",
    ),
]


def weakly_signed():
    """A leaf signed with SHA-1, which only the openssl program still does."""
    pem, private = serialization.Encoding.PEM, (serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    request = x509.CertificateSigningRequestBuilder().subject_name(name("Leaf")).sign(keys["leaf"], hashes.SHA256())
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        (place / "request").write_bytes(request.public_bytes(pem))
        (place / "root").write_bytes(x509.load_der_x509_certificate(root).public_bytes(pem))
        (place / "key").write_bytes(keys["root"].private_bytes(pem, *private))
        return subprocess.run(
            [
                "openssl",
                "x509",
                "-req",
                "-in",
                place / "request",
                "-CA",
                place / "root",
                "-CAkey",
                place / "key",
                "-sha1",
                "-days",
                "3000",
                "-set_serial",
                "1",
                "-outform",
                "DER",
            ],
            check=True,
            capture_output=True,
        ).stdout


cases.append(case("leaf signed with SHA-1", [weakly_signed()], error="untrusted"))


def scalar(private):
    return base64.b64encode(private.private_numbers().private_value.to_bytes(32, "big")).decode()


path = pathlib.Path(__file__).with_name("attestation.json")
path.write_text(json.dumps({"leafPrivateKey": scalar(keys["leaf"]), "cases": cases}, indent=1) + "\n")
