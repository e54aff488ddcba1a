"""An authority, and a certificate of it for every name of the fleet."""

import datetime

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from fleet.programs import write

BEGIN, END = datetime.datetime(2020, 1, 1), datetime.datetime(2099, 1, 1)


def _certificate(subject, issuer, key, signer, extension, critical):
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(BEGIN)
        .not_valid_after(END)
    )
    return builder.add_extension(extension, critical).sign(signer, hashes.SHA256())


def make(folder, names):
    """Writes ca.pem, leaf.pem and leaf.key."""
    subjects = [x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)]) for text in ("fleet CA", "fleet")]
    keys = [ec.generate_private_key(ec.SECP256R1()) for _ in subjects]
    authority = _certificate(subjects[0], subjects[0], keys[0], keys[0], x509.BasicConstraints(True, 0), True)
    alternatives = x509.SubjectAlternativeName([x509.DNSName(name) for name in names])
    leaf = _certificate(subjects[1], subjects[0], keys[1], keys[0], alternatives, False)
    pem = serialization.Encoding.PEM
    private = keys[1].private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    for name, data, mode in (
        ("ca.pem", authority.public_bytes(pem), 0o644),
        ("leaf.pem", leaf.public_bytes(pem), 0o644),
        ("leaf.key", private, 0o600),
    ):
        write(folder / name, data.decode(), mode)
