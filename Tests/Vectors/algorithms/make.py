#!/usr/bin/env python3
"""Makes algorithms.json: a registration and an authentication for each algorithm and key encoding of the registry.

Written from the protocol's text alone, needs python3-cryptography. Each entry has the form of the files in ../uaf. Each
run makes new keys; the file is committed, the keys serve nothing else.
"""

import base64
import hashlib
import json
import os
import pathlib
import struct

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

APPID, FACET = "https://a.test/uaf/facets", "https://example.test"
SHA256 = hashes.SHA256()
DER = serialization.Encoding.DER


def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def tlv(tag, *values):
    value = b"".join(values)
    return struct.pack("<HH", tag, len(value)) + value


def sign(key, algorithm, data):
    if isinstance(key, ec.EllipticCurvePrivateKey):
        signature = key.sign(data, ec.ECDSA(SHA256))
        if algorithm in (2, 6):
            return signature
        return b"".join(n.to_bytes(32, "big") for n in decode_dss_signature(signature))
    how = padding.PKCS1v15() if algorithm in (8, 9) else padding.PSS(padding.MGF1(SHA256), 32)
    signature = key.sign(data, how, SHA256)
    return signature if algorithm in (3, 8) else b"\x04\x82" + len(signature).to_bytes(2, "big") + signature


def encode(key, encoding, pkcs1):
    public = key.public_key()
    if encoding == 0x100:
        return public.public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
    if encoding == 0x102:
        numbers = public.public_numbers()
        return numbers.n.to_bytes(256, "big") + numbers.e.to_bytes(3, "big")
    form = serialization.PublicFormat.PKCS1 if pkcs1 else serialization.PublicFormat.SubjectPublicKeyInfo
    return public.public_bytes(DER, form)


def exchange(operation, upv, policy, assertion_of):
    header = {"upv": {"major": 1, "minor": upv}, "op": operation, "appID": APPID, "serverData": b64(os.urandom(24))}
    challenge = b64(os.urandom(32))
    request = {"header": header, "challenge": challenge, "policy": policy}
    if operation == "Reg":
        request["username"] = "user"
    parameters = {"facetID": FACET, "channelBinding": {}, "challenge": challenge, "appID": APPID}
    params = b64(json.dumps(parameters).encode())
    assertion = assertion_of(hashlib.sha256(params.encode()).digest())
    response = {
        "header": header,
        "fcParams": params,
        "assertions": [{"assertionScheme": "UAFV1TLV", "assertion": b64(assertion)}],
    }
    return [request], [response]


vectors = []
for number, (algorithm, encoding, pkcs1) in enumerate(
    (
        (1, 0x100, False),
        (1, 0x101, False),
        (2, 0x100, False),
        (2, 0x101, False),
        (3, 0x102, False),
        (3, 0x103, True),
        (4, 0x103, False),
        (4, 0x102, False),
        (5, 0x100, False),
        (5, 0x101, False),
        (6, 0x100, False),
        (6, 0x101, False),
        (8, 0x102, False),
        (8, 0x103, True),
        (9, 0x102, False),
        (9, 0x103, False),
    )
):
    if algorithm in (1, 2):
        key = ec.generate_private_key(ec.SECP256R1())
    elif algorithm in (5, 6):
        key = ec.generate_private_key(ec.SECP256K1())
    else:
        key = rsa.generate_private_key(65537, 2048)
    aaid, key_id, public = f"EBA1#{number:04X}", os.urandom(32), encode(key, encoding, pkcs1)
    head = tlv(0x2E0B, aaid.encode())
    common = {
        "aaid": aaid,
        "keyID": b64(key_id),
        "sigAlg": algorithm,
        "keyAlg": encoding,
        "uauthPublicKeyB64u": b64(public),
        "valid": True,
    }

    def registration(fchash):
        krd = tlv(
            0x3E03,
            head,
            tlv(0x2E0E, struct.pack("<HBHH", 1, 1, algorithm, encoding)),
            tlv(0x2E0A, fchash),
            tlv(0x2E09, key_id),
            tlv(0x2E0D, struct.pack("<II", 0, 1)),
            tlv(0x2E0C, public),
        )
        return tlv(0x3E01, krd, tlv(0x3E08, tlv(0x2E06, sign(key, algorithm, krd))))

    def authentication(fchash):
        data = tlv(
            0x3E04,
            head,
            tlv(0x2E0E, struct.pack("<HBH", 1, 1, algorithm)),
            tlv(0x2E0F, os.urandom(8)),
            tlv(0x2E0A, fchash),
            tlv(0x2E10),
            tlv(0x2E09, key_id),
            tlv(0x2E0D, struct.pack("<I", 8)),
        )
        return tlv(0x3E02, data, tlv(0x2E06, sign(key, algorithm, data)))

    form = " PKCS#1" if pkcs1 else ""
    upv = number % 2
    request, response = exchange("Reg", upv, {"accepted": [[{"aaid": [aaid]}]]}, registration)
    vectors.append({"name": f"reg-alg{algorithm}-key{encoding:03x}{form}", "request": request, "response": response, **common})
    policy = {"accepted": [[{"aaid": [aaid], "keyIDs": [b64(key_id)]}]]}
    request, response = exchange("Auth", upv, policy, authentication)
    vectors.append(
        {
            "name": f"auth-alg{algorithm}-key{encoding:03x}{form}",
            "request": request,
            "response": response,
            "storedSignCounter": 7,
            **common,
        }
    )

path = pathlib.Path(__file__).with_name("algorithms.json")
path.write_text(json.dumps(vectors, indent=1) + "\n")
