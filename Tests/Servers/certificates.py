"""Certificates for servers of a test: authorities, and what they sign, in a folder of their own."""

import os
import subprocess
import tempfile

FOLDER = tempfile.mkdtemp(prefix="uaf-fetch-test-")


def path(name):
    return os.path.join(FOLDER, name)


def openssl(*arguments):
    subprocess.run(["openssl", *arguments], check=True, cwd=FOLDER, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def make_authority(name):
    openssl(
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:P-256",
        "-nodes",
        "-days",
        "30",
        "-subj",
        f"/CN={name}",
        "-keyout",
        f"{name}.key",
        "-out",
        f"{name}.pem",
        "-addext",
        "basicConstraints=critical,CA:TRUE",
        "-addext",
        "keyUsage=critical,keyCertSign",
    )


def make_certificate(name, authority, names="IP:127.0.0.1,DNS:localhost", days=None):
    openssl(
        "req",
        "-new",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:P-256",
        "-nodes",
        "-subj",
        f"/CN={name}",
        "-keyout",
        f"{name}.key",
        "-out",
        f"{name}.csr",
    )
    with open(path(f"{name}.ext"), "w") as file:
        file.write(
            f"[ca]\ndefault_ca = here\n[here]\ndatabase = {path(name)}.db\nserial = {path(name)}.srl\n"
            f"new_certs_dir = {FOLDER}\ndefault_md = sha256\npolicy = any\nx509_extensions = leaf\n"
            f"unique_subject = no\n[any]\ncommonName = supplied\n[leaf]\nsubjectAltName = {names}\n"
            "basicConstraints = CA:FALSE\n"
        )
    open(path(f"{name}.db"), "w").close()
    dates = days or ["20200101000000Z", "20991231235959Z"]
    openssl(
        "ca",
        "-batch",
        "-config",
        f"{name}.ext",
        "-rand_serial",
        "-cert",
        f"{authority}.pem",
        "-keyfile",
        f"{authority}.key",
        "-in",
        f"{name}.csr",
        "-out",
        f"{name}.pem",
        "-notext",
        "-startdate",
        dates[0],
        "-enddate",
        dates[1],
    )
