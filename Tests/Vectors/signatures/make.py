#!/usr/bin/env python3
"""Makes signatures.json: keys and signatures of the UAF registry's algorithms, by other software than ours.

Needs python3-cryptography. Each run makes new keys; the file is committed, the keys serve nothing else.
"""

import json
import os
import pathlib

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

SHA256 = hashes.SHA256()
MESSAGE = b"the key registration data, tag and length included"
DER = serialization.Encoding.DER
PEM_SPKI = serialization.PublicFormat.SubjectPublicKeyInfo
PKCS1 = serialization.PublicFormat.PKCS1
X962 = serialization.Encoding.X962
POINT = serialization.PublicFormat.UncompressedPoint


def octet_string(content):
    return b"\x04\x82" + len(content).to_bytes(2, "big") + content


def pss(salt=32, mgf=SHA256):
    return padding.PSS(mgf=padding.MGF1(mgf), salt_length=salt)


def entry(name, scheme, encoding, key, signature):
    return {
        "name": name,
        "scheme": scheme,
        "encoding": encoding,
        "publicKey": key.hex(),
        "message": MESSAGE.hex(),
        "signature": signature.hex(),
    }


def raw_rsa(numbers):
    return numbers.n.to_bytes(256, "big") + numbers.e.to_bytes(3, "big")


good, bad, weak = [], [], []
for curve, raw, der in ((ec.SECP256R1(), 1, 2), (ec.SECP256K1(), 5, 6)):
    key = ec.generate_private_key(curve)
    public = key.public_key()
    encodings = ((0x100, public.public_bytes(X962, POINT)), (0x101, public.public_bytes(DER, PEM_SPKI)))
    signature = key.sign(MESSAGE, ec.ECDSA(SHA256))
    r, s = decode_dss_signature(signature)
    numbers = r.to_bytes(32, "big") + s.to_bytes(32, "big")
    for encoding, encoded in encodings:
        good.append(entry(f"{curve.name} raw", raw, encoding, encoded, numbers))
        good.append(entry(f"{curve.name} DER", der, encoding, encoded, signature))
    for which in (0, 1):
        while True:
            signature = key.sign(MESSAGE, ec.ECDSA(SHA256))
            if decode_dss_signature(signature)[which] < 1 << 247:
                break
        name = f"{curve.name} short {'rs'[which]}"
        good.append(entry(name, der, 0x100, encodings[0][1], signature))
        numbers = b"".join(n.to_bytes(32, "big") for n in decode_dss_signature(signature))
        good.append(entry(name, raw, 0x100, encodings[0][1], numbers))

for bits, exponent in ((2048, 65537), (2048, 3), (3072, 65537)):
    key = rsa.generate_private_key(exponent, bits)
    public = key.public_key()
    encodings = [(0x103, public.public_bytes(DER, PKCS1)), (0x103, public.public_bytes(DER, PEM_SPKI))]
    if bits == 2048:
        encodings.append((0x102, raw_rsa(public.public_numbers())))
        encodings.append((0x102, encodings[2][1][:256] + b"\0" + encodings[2][1][256:]))
    for number, how in ((3, pss()), (8, padding.PKCS1v15())):
        signature = key.sign(MESSAGE, how, SHA256)
        for encoding, encoded in encodings:
            name = f"RSA {bits}, exponent {exponent}"
            good.append(entry(name, number, encoding, encoded, signature))
            good.append(entry(name, number + 1, encoding, encoded, octet_string(signature)))
    for name, number, signature in (
        ("PSS without salt", 3, key.sign(MESSAGE, pss(0), SHA256)),
        ("PSS with 20 bytes of salt", 3, key.sign(MESSAGE, pss(20), SHA256)),
        ("PSS with MGF1 of SHA-1", 3, key.sign(MESSAGE, pss(32, hashes.SHA1()), SHA256)),
        ("PSS of SHA-512", 3, key.sign(MESSAGE, pss(64, hashes.SHA512()), hashes.SHA512())),
        ("PKCS#1 of SHA-1", 8, key.sign(MESSAGE, padding.PKCS1v15(), hashes.SHA1())),
        ("PSS taken for PKCS#1", 8, key.sign(MESSAGE, pss(), SHA256)),
        ("PKCS#1 taken for PSS", 3, key.sign(MESSAGE, padding.PKCS1v15(), SHA256)),
    ):
        bad.append(entry(name, number, 0x103, encodings[0][1], signature))

small = rsa.generate_private_key(65537, 1024).public_key()
numbers = rsa.generate_private_key(65537, 2048).public_key().public_numbers()


def pkcs1(n, e):
    def integer(number):
        content = number.to_bytes(number.bit_length() // 8 + 1, "big")
        length = bytes([len(content)]) if len(content) < 128 else b"\x82" + len(content).to_bytes(2, "big")
        return b"\x02" + length + content

    body = integer(n) + integer(e)
    return b"\x30\x82" + len(body).to_bytes(2, "big") + body


def weak_key(name, encoding, encoded):
    weak.append({"name": name, "scheme": 3, "encoding": encoding, "publicKey": encoded.hex()})


weak_key("1024 bits, PKCS#1", 0x103, small.public_bytes(DER, PKCS1))
weak_key("1024 bits, SubjectPublicKeyInfo", 0x103, small.public_bytes(DER, PEM_SPKI))
weak_key("2047 bits", 0x103, pkcs1(numbers.n >> 1 | 1, 65537))
weak_key("exponent 1", 0x103, pkcs1(numbers.n, 1))
weak_key("exponent 2", 0x103, pkcs1(numbers.n, 2))
weak_key("exponent 65536", 0x103, pkcs1(numbers.n, 65536))
weak_key("exponent 0", 0x103, pkcs1(numbers.n, 0))
weak_key("exponent of 65 bits", 0x103, pkcs1(numbers.n, 1 << 64 | 1))
weak_key("even modulus", 0x103, pkcs1(numbers.n & ~1, 65537))
weak_key("modulus with a small factor", 0x103, pkcs1(3 * (numbers.n >> 1 | 1), 65537))
weak_key("bytes left over", 0x103, pkcs1(numbers.n, 65537) + b"\0")
weak_key("padded modulus", 0x103, pkcs1(numbers.n, 65537).replace(b"\x02\x82\x01\x01\x00", b"\x02\x82\x01\x02\x00\x00", 1))
weak_key("raw, exponent 1", 0x102, numbers.n.to_bytes(256, "big") + b"\x01")
weak_key("raw, no exponent", 0x102, numbers.n.to_bytes(256, "big"))
weak_key("raw, exponent 0", 0x102, numbers.n.to_bytes(256, "big") + b"\0")
weak_key("raw, 2047 bits", 0x102, (numbers.n >> 1 | 1).to_bytes(256, "big") + b"\x01\x00\x01")
weak_key("raw, short modulus", 0x102, os.urandom(255))

path = pathlib.Path(__file__).with_name("signatures.json")
path.write_text(json.dumps({"good": good, "bad": bad, "weakKeys": weak}, indent=1) + "\n")
