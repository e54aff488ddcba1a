"""Tokens as the server signs them (ES256), with the server's own key, with a different key, or unsigned."""

import json
import os
import pathlib
import subprocess

from attack.recorder import decode, encode

SERVER = "/srv/uaf"
# An EC private key of P-256 in DER (RFC 5915), around its number.
_BEFORE, _AFTER = bytes.fromhex("30310201010420"), bytes.fromhex("a00a06082a8648ce3d030107")


class Signer:
    """A signer with a private key; `server` is the lab's server, whose state folder the attacker has read."""

    def __init__(self, number, name):
        self._key = pathlib.Path(f"/tmp/signer-{name}.der")
        self._key.write_bytes(_BEFORE + number + _AFTER)

    @classmethod
    def server(cls):
        return cls(pathlib.Path(SERVER, "verdict.key").read_bytes(), "server")

    @classmethod
    def stranger(cls):
        # The first bit is zero, so that the number is below the order of the curve.
        return cls(bytes([os.urandom(1)[0] & 0x7F]) + os.urandom(31), "stranger")

    def sign(self, kind, claims, like=None):
        """A token of these claims; the header is copied from a different token, if one is given."""
        header = header_of(like) if like else {"alg": "ES256", "typ": kind}
        signed = f"{_json(header)}.{_json(claims)}"
        made = subprocess.run(
            ["openssl", "dgst", "-sha256", "-keyform", "DER", "-sign", self._key],
            input=signed.encode(),
            capture_output=True,
            check=True,
        )
        return f"{signed}.{encode(_raw(made.stdout))}"


def unsigned(kind, claims):
    """A token that declares itself unsigned."""
    return f"{_json({'alg': 'none', 'typ': kind})}.{_json(claims)}."


def header_of(token):
    return json.loads(decode(token.split(".")[0]))


def claims_of(token):
    return json.loads(decode(token.split(".")[1]))


def flipped(token, bits):
    """Copies of the token, each with a different one of `bits` bits changed, which are spread over header, claims and
    signature."""
    parts = [decode(part) for part in token.split(".")]
    for number in range(bits):
        part = number % 3
        length = 8 * len(parts[part])
        # This step shares no factor with most lengths, so the changed bits are spread over all bytes.
        place = number * 1009 % length
        changed = bytearray(parts[part])
        changed[place // 8] ^= 1 << place % 8
        yield ".".join(encode(bytes(changed) if index == part else other) for index, other in enumerate(parts))


def _json(document):
    return encode(json.dumps(document, separators=(",", ":")).encode())


def _raw(der):
    """The two numbers of a signature, 32 bytes each. In DER, the sequence and each number begin with a header of two bytes."""
    first = der[4 : 4 + der[3]]
    second = der[6 + der[3] :]
    return b"".join(int.from_bytes(number, "big").to_bytes(32, "big") for number in (first, second))
