"""FIDO UAF messages, written only from the specification: base64url, TLV, assertions, final challenge parameters.

Shares no code and no constant with the Swift sources, so that one misreading is not made on both ends.
"""

import base64
import hashlib
import json
import struct

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils

REG_ASSERTION, AUTH_ASSERTION, KRD, SIGNED_DATA = 0x3E01, 0x3E02, 0x3E03, 0x3E04
CERTIFICATE, SIGNATURE, FULL, SURROGATE = 0x2E05, 0x2E06, 0x3E07, 0x3E08
KEYID, FINAL_CHALLENGE_HASH, AAID, PUB_KEY = 0x2E09, 0x2E0A, 0x2E0B, 0x2E0C
COUNTERS, ASSERTION_INFO, NONCE, TRANSACTION_HASH = 0x2E0D, 0x2E0E, 0x2E0F, 0x2E10
EXTENSION_CRITICAL, EXTENSION, EXTENSION_ID, EXTENSION_DATA = 0x3E11, 0x3E12, 0x2E13, 0x2E14
ECDSA_RAW, ECDSA_DER, KEY_RAW, KEY_DER = 0x0001, 0x0002, 0x0100, 0x0101


class Refused(Exception):
    """The reason why a message is refused, with the status of the transport specification."""

    def __init__(self, status, why):
        super().__init__(f"{status} {why}")
        self.status = status


def check(condition, status, why):
    if not condition:
        raise Refused(status, why)


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode(text):
    check(isinstance(text, str) and "=" not in text, 1498, "base64url with padding")
    try:
        data = base64.b64decode(text.translate(str.maketrans("-_", "+/")) + "=" * (-len(text) % 4), validate=True)
    except ValueError as error:
        raise Refused(1498, "not base64url") from error
    check(encode(data) == text, 1498, "base64url that is not canonical")
    return data


# TLV: little-endian tag and length.


def tlv(tag, *parts):
    value = b"".join(parts)
    return struct.pack("<HH", tag, len(value)) + value


def elements(data):
    found = []
    while data:
        check(len(data) >= 4, 1498, "TLV that ends in a header")
        tag, length = struct.unpack("<HH", data[:4])
        check(len(data) >= 4 + length, 1498, "TLV that ends in a value")
        found.append((tag, data[4 : 4 + length], data[: 4 + length]))
        data = data[4 + length :]
    return found


def members(data, wanted):
    found = {}
    for tag, value, _ in elements(data):
        check(tag in wanted or not tag & 0x2000, 1498, f"critical tag {tag:#x} nobody knows")
        check(tag not in found, 1498, f"tag {tag:#x} twice")
        found[tag] = value
    for tag, length in wanted.items():
        check(tag in found, 1498, f"tag {tag:#x} is missing")
        check(length is None or len(found[tag]) == length, 1498, f"tag {tag:#x} has a wrong length")
    return found


# Keys and signatures.


def load_key(data, algorithm):
    try:
        if algorithm == KEY_RAW:
            return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), data)
        check(algorithm == KEY_DER, 1495, "key algorithm")
        return serialization.load_der_public_key(data)
    except ValueError as error:
        raise Refused(1494, "not a point of the curve") from error


def verify(key, signature, data, algorithm):
    if algorithm == ECDSA_RAW:
        check(len(signature) == 64, 1498, "raw signature of another length")
        r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
        signature = utils.encode_dss_signature(r, s)
    else:
        check(algorithm == ECDSA_DER, 1495, "signature algorithm")
    try:
        key.verify(signature, data, ec.ECDSA(hashes.SHA256()))
    except InvalidSignature as error:
        raise Refused(1498, "signature") from error


def sign(key, data):
    r, s = utils.decode_dss_signature(key.sign(data, ec.ECDSA(hashes.SHA256())))
    return r.to_bytes(32, "big") + s.to_bytes(32, "big")


def public_key(key):
    return key.public_key().public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)


# The final challenge: the hash is over the text that is sent, not over the JSON inside.


def final_challenge(app_id, challenge, facet_id, binding):
    text = json.dumps({"facetID": facet_id, "appID": app_id, "channelBinding": binding, "challenge": challenge}, indent=1)
    return encode(text.encode())


def final_challenge_hash(parameters):
    return hashlib.sha256(parameters.encode("ascii")).digest()


def end_point(certificate):
    """serverEndPoint of a certificate that is signed with SHA-256."""
    return encode(hashlib.sha256(certificate).digest())


def check_final_challenge(text, app_id, challenge, facet_ids, certificate):
    fields = json.loads(decode(text))
    check(set(fields) >= {"appID", "challenge", "facetID", "channelBinding"}, 1498, "fcParams without a member")
    check(fields["appID"] == app_id, 1498, "another AppID")
    check(fields["challenge"] == challenge, 1491, "another challenge")
    check(fields["facetID"] in facet_ids, 1498, "a facet nobody trusts")
    binding = fields["channelBinding"]
    check(binding.get("tlsServerCertificate") == encode(certificate), 1490, "another certificate")
    check(binding.get("serverEndPoint") == end_point(certificate), 1490, "another end point")


# Assertions.


def check_envelope(envelope, outer, first):
    check(envelope.get("assertionScheme") == "UAFV1TLV", 1498, "assertion scheme")
    whole = elements(decode(envelope["assertion"]))
    check(len(whole) == 1 and whole[0][0] == outer, 1498, "outer tag")
    inner = elements(whole[0][1])
    check(len(inner) >= 2 and inner[0][0] == first, 1498, "first element")
    return inner


def verification_method(method, key_protection, matcher_protection, tag=EXTENSION):
    """The extension fido.uaf.uvm as it stands in signed data."""
    entry = struct.pack("<IHH", method, key_protection, matcher_protection)
    return tlv(tag, tlv(EXTENSION_ID, b"fido.uaf.uvm"), tlv(EXTENSION_DATA, entry))


def check_verification_method(data, expected):
    """Removes the extension from signed data. It must name exactly these methods; with None, it must be absent."""
    found = [value for tag, value, _ in elements(data) if tag in (EXTENSION, EXTENSION_CRITICAL)]
    check(len(found) == (expected is not None), 1498, "how the person was verified")
    for value in found:
        extension = members(value, {EXTENSION_ID: None, EXTENSION_DATA: 8})
        check(extension[EXTENSION_ID] == b"fido.uaf.uvm", 1498, "an extension nobody asked for")
        check(struct.unpack("<IHH", extension[EXTENSION_DATA]) == expected, 1498, "another verification method")
    return b"".join(whole for tag, _, whole in elements(data) if tag not in (EXTENSION, EXTENSION_CRITICAL))


def check_registration(envelope, challenge_hash, verified=None):
    """A registration assertion with surrogate attestation; returns what a server stores."""
    inner = check_envelope(envelope, REG_ASSERTION, KRD)
    krd = members(
        check_verification_method(inner[0][1], verified),
        {AAID: 9, ASSERTION_INFO: 7, FINAL_CHALLENGE_HASH: 32, KEYID: None, COUNTERS: 8, PUB_KEY: None},
    )
    version, mode, signature_algorithm, key_algorithm = struct.unpack("<HBHH", krd[ASSERTION_INFO])
    check(mode == 1, 1498, "mode")
    check(krd[FINAL_CHALLENGE_HASH] == challenge_hash, 1498, "final challenge hash")
    check(len(krd[KEYID]) >= 32, 1498, "KeyID")
    sign_counter, registration_counter = struct.unpack("<II", krd[COUNTERS])
    check(registration_counter < 10000, 1496, "registration counter")
    check(len(inner) == 2 and inner[1][0] == SURROGATE, 1496, "attestation")
    signature = members(inner[1][1], {SIGNATURE: None})[SIGNATURE]
    key = load_key(krd[PUB_KEY], key_algorithm)
    verify(key, signature, inner[0][2], signature_algorithm)
    return {
        "aaid": krd[AAID].decode(),
        "keyID": encode(krd[KEYID]),
        "key": key,
        "counter": sign_counter,
        "version": version,
        "registrations": registration_counter,
    }


def check_authentication(envelope, challenge_hash, keys, transaction=None, verified=None):
    """Checks a sign assertion by one of the keys; returns the key with the counter of the assertion."""
    inner = check_envelope(envelope, AUTH_ASSERTION, SIGNED_DATA)
    data = members(
        check_verification_method(inner[0][1], verified),
        {AAID: 9, ASSERTION_INFO: 5, NONCE: None, FINAL_CHALLENGE_HASH: 32, TRANSACTION_HASH: None, KEYID: None, COUNTERS: 4},
    )
    version, mode, algorithm = struct.unpack("<HBH", data[ASSERTION_INFO])
    check(len(data[NONCE]) >= 8, 1498, "nonce")
    check(data[FINAL_CHALLENGE_HASH] == challenge_hash, 1498, "final challenge hash")
    expected = (1, b"") if transaction is None else (2, hashlib.sha256(transaction).digest())
    check((mode, data[TRANSACTION_HASH]) == expected, 1498, "mode and transaction")
    owner = [key for key in keys if key["keyID"] == encode(data[KEYID]) and key["aaid"] == data[AAID].decode()]
    check(owner, 1481, "KeyID")
    check(version >= owner[0]["version"], 1492, "version")
    check(inner[1][0] == SIGNATURE, 1498, "signature tag")
    verify(owner[0]["key"], inner[1][1], inner[0][2], algorithm)
    counter = struct.unpack("<I", data[COUNTERS])[0]
    check(counter > owner[0]["counter"], 1491, "counter")
    owner[0]["counter"] = counter
    return owner[0]
