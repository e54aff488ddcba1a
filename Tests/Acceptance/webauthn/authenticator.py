"""An authenticator for WebAuthn that makes correct answers, and on request answers that every server must refuse.

It shares no code with the client. The suite uses it to show that a relying party refuses at all.
"""

import base64
import dataclasses
import hashlib
import json
import os
import struct

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

# Bits of the flags in the authenticator data: user present, user verified, attested credential data follows.
PRESENT, VERIFIED, ATTESTED = 0x01, 0x04, 0x40
AAGUID = bytes(16)
ES256 = -7


def url(data):
    """Base64url without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def standard(data):
    """Standard base64, with padding."""
    return base64.b64encode(data).decode()


def decoded(text):
    """The bytes of either alphabet, with or without padding."""
    plain = text.replace("-", "+").replace("_", "/").rstrip("=")
    return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)


def cbor(value):
    """Canonical CBOR, as CTAP2 has it, of what an attestation contains."""
    match value:
        case int():
            return _head(0, value) if value >= 0 else _head(1, -1 - value)
        case bytes():
            return _head(2, len(value)) + value
        case str():
            return _head(3, len(value.encode())) + value.encode()
        case list():
            return _head(4, len(value)) + b"".join(map(cbor, value))
        case dict():
            pairs = sorted(((cbor(key), cbor(item)) for key, item in value.items()), key=lambda pair: (len(pair[0]), pair[0]))
            return _head(5, len(value)) + b"".join(key + item for key, item in pairs)
    raise TypeError(type(value))


def _head(major, number):
    if number < 24:
        return bytes([major << 5 | number])
    for code, form, limit in ((24, ">B", 1 << 8), (25, ">H", 1 << 16), (26, ">I", 1 << 32)):
        if number < limit:
            return bytes([major << 5 | code]) + struct.pack(form, number)
    raise ValueError(number)


@dataclasses.dataclass(frozen=True)
class Twist:
    """What is wrong with an answer; by default nothing."""

    origin: str | None = None
    rp_id: str | None = None
    verified: bool = True
    # The counter in the answer, instead of the next one.
    counter: int | None = None
    # A key that signs instead of the credential's.
    key: ec.EllipticCurvePrivateKey | None = None
    # The signature without its last byte.
    cut: bool = False
    # The challenge, as the text in the client data.
    challenge: str | None = None


HONEST = Twist()


@dataclasses.dataclass
class Credential:
    """A key of one account."""

    identifier: bytes
    key: ec.EllipticCurvePrivateKey
    account: str
    handle: bytes = b""
    counter: int = 0


@dataclasses.dataclass(frozen=True)
class Made:
    """The answer to a registration."""

    credential: Credential
    client_data: bytes
    attestation: bytes


@dataclasses.dataclass(frozen=True)
class Signed:
    """The answer to a login."""

    credential: Credential
    client_data: bytes
    authenticator_data: bytes
    signature: bytes


class Authenticator:
    """Makes answers for one origin and one relying party."""

    def __init__(self, origin, rp_id, attestation="none"):
        self.origin, self.rp_id, self.attestation = origin, rp_id, attestation

    def make(self, account, challenge, handle=b"", twist=HONEST):
        """A new key and the answer that registers it. `challenge` is its text in the client data."""
        key = ec.generate_private_key(ec.SECP256R1())
        credential = Credential(os.urandom(32), key, account, handle, 1)
        numbers = key.public_key().public_numbers()
        public = {1: 2, 3: ES256, -1: 1, -2: numbers.x.to_bytes(32, "big"), -3: numbers.y.to_bytes(32, "big")}
        attested = AAGUID + struct.pack(">H", len(credential.identifier)) + credential.identifier + cbor(public)
        data = self._data(twist, ATTESTED, credential.counter) + attested
        client_data = self._client_data("webauthn.create", challenge, twist)
        statement = {}
        if self.attestation == "packed":
            statement = {"alg": ES256, "sig": self._sign(credential, data, client_data, twist)}
        attestation = cbor({"fmt": self.attestation, "attStmt": statement, "authData": data})
        return Made(credential, client_data, attestation)

    def sign(self, credential, challenge, twist=HONEST):
        """The answer to a login with a credential."""
        credential.counter += 1
        data = self._data(twist, 0, credential.counter)
        client_data = self._client_data("webauthn.get", challenge, twist)
        return Signed(credential, client_data, data, self._sign(credential, data, client_data, twist))

    def _client_data(self, kind, challenge, twist):
        said = challenge if twist.challenge is None else twist.challenge
        members = {"type": kind, "challenge": said, "origin": twist.origin or self.origin, "crossOrigin": False}
        return json.dumps(members, separators=(",", ":")).encode()

    def _data(self, twist, flags, counter):
        flags |= PRESENT | (VERIFIED if twist.verified else 0)
        counter = counter if twist.counter is None else twist.counter
        return hashlib.sha256((twist.rp_id or self.rp_id).encode()).digest() + struct.pack(">BI", flags, counter)

    def _sign(self, credential, data, client_data, twist):
        key = twist.key or credential.key
        signature = key.sign(data + hashlib.sha256(client_data).digest(), ec.ECDSA(hashes.SHA256()))
        return signature[:-1] if twist.cut else signature
