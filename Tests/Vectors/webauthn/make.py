#!/usr/bin/env python3
"""Makes webauthn.json: the test vectors of WebAuthn Level 3, section 16, of the formats and algorithms that tests need.

The section says how each number is derived (HKDF-SHA-256, RFC 6979), so each run makes the same file. Needs
python3-cryptography 44 or newer. The published attestation_ca_key and serial number are compared. `certificates` are our
own examples in the same form: attestation certificates that a relying party accepts or refuses.
"""

import base64
import datetime
import hashlib
import json
import pathlib

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.x509.oid import NameOID

RP_ID = "example.org"
ORIGIN = "https://example.org"
TOP_ORIGIN = "https://example.com"
FROM = datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC)
TO = datetime.datetime(3024, 1, 1, tzinfo=datetime.UTC)
AAGUID = x509.ObjectIdentifier("1.3.6.1.4.1.45724.1.1.4")
SIGNATURE = ec.ECDSA(hashes.SHA256(), deterministic_signing=True)
UP, UV, BE, BS, AT = 0x01, 0x04, 0x08, 0x10, 0x40


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def sha256(data):
    return hashlib.sha256(data).digest()


class Numbers:
    """The random numbers of one example, in order: the salt counts them."""

    def __init__(self, info):
        self.info = info
        self.drawn = 0

    def draw(self, length):
        salt = bytes([self.drawn])
        self.drawn += 1
        return HKDF(hashes.SHA256(), length, salt, self.info.encode()).derive(b"WebAuthn test vectors")


def head(major, number):
    """The first bytes of a CBOR item (RFC 8949, section 3)."""
    if number < 24:
        return bytes([major << 5 | number])
    size = 0 if number < 1 << 8 else 1 if number < 1 << 16 else 2
    return bytes([major << 5 | 24 + size]) + number.to_bytes(1 << size, "big")


def cbor(value):
    """A value in canonical CBOR; the members of a map stand in their order already."""
    if isinstance(value, int):
        return head(1, -1 - value) if value < 0 else head(0, value)
    if isinstance(value, bytes):
        return head(2, len(value)) + value
    if isinstance(value, str):
        return head(3, len(value.encode())) + value.encode()
    if isinstance(value, list):
        return head(4, len(value)) + b"".join(map(cbor, value))
    return head(5, len(value)) + b"".join(cbor(key) + cbor(member) for key, member in value.items())


def name(unit):
    return x509.Name(
        [
            x509.NameAttribute(NameOID.COMMON_NAME, "WebAuthn test vectors"),
            x509.NameAttribute(NameOID.ORGANIZATION_NAME, "W3C"),
            x509.NameAttribute(NameOID.ORGANIZATIONAL_UNIT_NAME, unit),
            x509.NameAttribute(NameOID.COUNTRY_NAME, "AA"),
        ]
    )


def usage(is_authority):
    others = ["content_commitment", "key_encipherment", "data_encipherment", "key_agreement", "encipher_only", "decipher_only"]
    return x509.KeyUsage(
        digital_signature=not is_authority, key_cert_sign=is_authority, crl_sign=is_authority, **dict.fromkeys(others, False)
    )


def certificate(unit, numbers, authority, is_authority=None, extension=None):
    """A key and its certificate: of the authority itself, or signed by it."""
    key = ec.derive_private_key(int.from_bytes(numbers.draw(32), "big"), ec.SECP256R1())
    serial = int.from_bytes(numbers.draw(16), "big")
    issuer, issuer_key = authority if authority else (None, key)
    identifier = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    builder = (
        x509.CertificateBuilder(name(unit) if issuer is None else issuer.subject, name(unit), key.public_key(), serial)
        .not_valid_before(FROM)
        .not_valid_after(TO)
        .add_extension(x509.BasicConstraints(issuer is None if is_authority is None else is_authority, None), critical=True)
        .add_extension(usage(issuer is None), critical=True)
        .add_extension(identifier, critical=False)
    )
    if issuer is not None:
        issuers = issuer.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value
        builder = builder.add_extension(x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(issuers), critical=False)
    if extension is not None:
        value, is_critical = extension
        builder = builder.add_extension(x509.UnrecognizedExtension(AAGUID, value), critical=is_critical)
    return builder.sign(issuer_key, hashes.SHA256(), ecdsa_deterministic=True), key


class Curve:
    def __init__(self, algorithm, curve, number, length, digest):
        self.algorithm, self.curve, self.number, self.length = algorithm, curve, number, length
        self.scheme = ec.ECDSA(digest, deterministic_signing=True)

    def make(self, numbers):
        self.key = ec.derive_private_key(int.from_bytes(numbers.draw(self.length), "big"), self.curve)

    def cose(self):
        point, size = self.key.public_key().public_numbers(), (self.curve.key_size + 7) // 8
        x, y = point.x.to_bytes(size, "big"), point.y.to_bytes(size, "big")
        return cbor({1: 2, 3: self.algorithm, -1: self.number, -2: x, -3: y})

    def sign(self, data):
        return self.key.sign(data, self.scheme)


class RS256:
    algorithm = -257

    def make(self, numbers):
        p, q, e = 2**1279 - 1, 2**2203 - 1, 65537
        d = rsa.rsa_recover_private_exponent(e, p, q)
        parts = (rsa.rsa_crt_dmp1(d, p), rsa.rsa_crt_dmq1(d, q), rsa.rsa_crt_iqmp(p, q))
        self.key = rsa.RSAPrivateNumbers(p, q, d, *parts, rsa.RSAPublicNumbers(e, p * q)).private_key()

    def cose(self):
        modulus = self.key.public_key().public_numbers().n
        return cbor({1: 3, 3: -257, -1: modulus.to_bytes((modulus.bit_length() + 7) // 8, "big"), -2: b"\x01\x00\x01"})

    def sign(self, data):
        return self.key.sign(data, padding.PKCS1v15(), hashes.SHA256())


class EdDSA:
    algorithm = -8

    def make(self, numbers):
        self.key = ed25519.Ed25519PrivateKey.from_private_bytes(numbers.draw(32))

    def cose(self):
        raw = self.key.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
        return cbor({1: 1, 3: -8, -1: 6, -2: raw})

    def sign(self, data):
        return self.key.sign(data)


def es256():
    return Curve(-7, ec.SECP256R1(), 1, 32, hashes.SHA256())


def client_data(numbers, ceremony, challenge, frame):
    members = {"type": ceremony, "challenge": base64url(challenge), "origin": ORIGIN, "crossOrigin": frame is not None}
    if frame:
        members["topOrigin"] = frame
    if numbers.draw(1)[0] & 1:
        extra = base64url(numbers.draw(16))
        members["extraData"] = f"clientDataJSON may be extended with additional fields in the future, such as this: {extra}"
    return json.dumps(members, separators=(",", ":")).encode()


def authenticator_data(flags, credential=b""):
    return sha256(RP_ID.encode()) + bytes([flags]) + bytes(4) + credential


def statement(form, signed, key, numbers, authority, unit, of_leaf):
    if form == "none":
        return {}
    if form == "self":
        return {"alg": key.algorithm, "sig": key.sign(signed)}
    leaf, leaf_key = certificate(unit, numbers, authority, **of_leaf)
    der = leaf.public_bytes(serialization.Encoding.DER)
    return {"alg": -7, "sig": leaf_key.sign(signed, SIGNATURE), "x5c": [der]}


UNIT = "Authenticator Attestation"


def example(info, form, key, authority, frame=None, id_length=32, challenge_length=32, unit=UNIT, **of_leaf):
    """One registration and one authentication by its key; `frame` is empty for a frame whose page is not named."""
    numbers = Numbers(info)
    challenge = numbers.draw(challenge_length)
    key.make(numbers)
    client = client_data(numbers, "webauthn.create", challenge, frame)
    aaguid, identifier = numbers.draw(16), numbers.draw(id_length)
    flags = numbers.draw(1)[0] & (UV | BE | BS)
    if not flags & BE:
        flags &= ~BS
    credential = aaguid + len(identifier).to_bytes(2, "big") + identifier + key.cose()
    data = authenticator_data(UP | AT | flags, credential)
    if "named" in of_leaf:
        named, is_critical = of_leaf.pop("named")
        of_leaf["extension"] = (named(aaguid), is_critical)
    attested = statement(form, data + sha256(client), key, numbers, authority, unit, of_leaf)
    attestation = cbor({"fmt": "none" if form == "none" else "packed", "attStmt": attested, "authData": data})
    registration = {
        "challenge": challenge.hex(),
        "clientDataJSON": client.hex(),
        "attestationObject": attestation.hex(),
        "credentialID": identifier.hex(),
        "aaguid": aaguid.hex(),
    }
    challenge = numbers.draw(challenge_length)
    client = client_data(numbers, "webauthn.get", challenge, frame)
    drawn = numbers.draw(1)[0] & (UV | BS)
    if not flags & BE:
        drawn &= ~BS
    data = authenticator_data(UP | flags & BE | drawn)
    authentication = {
        "challenge": challenge.hex(),
        "clientDataJSON": client.hex(),
        "authenticatorData": data.hex(),
        "signature": key.sign(data + sha256(client)).hex(),
    }
    return {"name": info, "form": form, "registration": registration, "authentication": authentication}


def main():
    numbers = Numbers("Attestation CA")
    assert numbers.draw(32).hex() == "7809337f05740a96a78eedf9e9280499dcc8f2aa129616049ec1dccfe103eb2a"
    assert numbers.draw(16).hex() == "ed7f905d8bd0b414d1784913170a90b6"
    authority = certificate("Authenticator Attestation CA", Numbers("Attestation CA"), None)
    es384 = Curve(-35, ec.SECP384R1(), 2, 48, hashes.SHA384())
    es512 = Curve(-36, ec.SECP521R1(), 3, 65, hashes.SHA512())

    def own(info, **of_leaf):
        return example("own." + info, "certificate", es256(), authority, **of_leaf)

    vectors = {
        "attestationCACertificate": authority[0].public_bytes(serialization.Encoding.DER).hex(),
        "examples": [
            example("none.ES256", "none", es256(), authority),
            example("packed-self.ES256", "self", es256(), authority),
            example("none.ES256.crossOrigin", "none", es256(), authority, frame=""),
            example("none.ES256.topOrigin", "none", es256(), authority, frame=TOP_ORIGIN),
            example("none.ES256.long-credential-id", "none", es256(), authority, id_length=1023),
            example("packed.ES256", "certificate", es256(), authority),
            example("packed.ES384", "certificate", es384, authority),
            example("packed.ES512", "certificate", es512, authority, challenge_length=128),
            example("packed.RS256", "certificate", RS256(), authority),
            example("packed.EdDSA", "certificate", EdDSA(), authority),
        ],
        "certificates": {
            "accepted": [own("same model", named=(lambda aaguid: b"\x04\x10" + aaguid, False))],
            "refused": [
                own("other model", named=(lambda aaguid: b"\x04\x10" + bytes(16), False)),
                own("bare model", named=(lambda aaguid: aaguid, False)),
                own("critical model", named=(lambda aaguid: b"\x04\x10" + aaguid, True)),
                own("authority", is_authority=True),
                own("other unit", unit="Authenticator"),
                own("longer unit", unit="Authenticator Attestations"),
            ],
        },
    }
    path = pathlib.Path(__file__).with_name("webauthn.json")
    path.write_text(json.dumps(vectors, indent=2) + "\n")


if __name__ == "__main__":
    main()
