"""An authority, and a certificate of it for every name of the fleet."""

import datetime

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from fleet.programs import write

PEM = serialization.Encoding.PEM
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


def make(folder, names, **more):
    """Writes ca.pem, leaf.pem and leaf.key; for each keyword, two more files from the same authority, for other names."""
    authority = ec.generate_private_key(ec.SECP256R1())
    issuer = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "fleet CA")])
    own = _certificate(issuer, issuer, authority, authority, x509.BasicConstraints(True, 0), True)
    write(folder / "ca.pem", own.public_bytes(PEM).decode(), 0o644)
    for file, alternatives in {"leaf": names, **more}.items():
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "fleet")])
        extension = x509.SubjectAlternativeName([x509.DNSName(name) for name in alternatives])
        certificate = _certificate(subject, issuer, key, authority, extension, False)
        private = key.private_bytes(PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        write(folder / f"{file}.pem", certificate.public_bytes(PEM).decode(), 0o644)
        write(folder / f"{file}.key", private.decode(), 0o600)
