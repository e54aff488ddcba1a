"""The two keys of a release: OpenSSH's, which signs everything, and OpenPGP's, which apt needs for a repository.

No form of a signature is our own. KEY= takes the path of an OpenSSH key, REPOSITORY_KEY= the fingerprint of an OpenPGP key in
gpg's keyring: a secret key of gpg's stays where it is, which may be a card.
"""

import base64
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

from publish.commands import ROOT, Refusal, output, run, said

# ssh-keygen(1): a signature holds for one namespace alone, so none that git or mail has asked for passes as ours.
NAMESPACE = "pam-uaf-release"
# The name in `allowed_signers` to which the keys belong.
PRINCIPAL = "pam-uaf"
# The keys that may sign a release of this project.
ALLOWED = ROOT / "docs/allowed_signers"
_PROBE = b"a release of pam-uaf is about to be signed\n"


@dataclass(frozen=True)
class SigningKey:
    """An OpenSSH key that has just signed something. `allowed` is the text of the file by which its signatures are verified."""

    path: Path
    fingerprint: str
    allowed: str

    def sign(self, file: Path) -> Path:
        """Writes FILE.sig and returns its path."""
        output("ssh-keygen", "-q", "-Y", "sign", "-f", self.path, "-n", NAMESPACE, file)
        return file.with_name(file.name + ".sig")


@dataclass(frozen=True)
class RepositoryKey:
    """An OpenPGP key of gpg's keyring that has just signed something."""

    fingerprint: str

    def public(self) -> bytes:
        """The public key as apt reads it (`Signed-By`)."""
        return output("gpg", "--batch", "--export", "--export-options", "export-minimal", self.fingerprint)


def verified(allowed: Path, signature: Path, content: bytes) -> bool:
    """Whether a signature of the content is one of a key in `allowed`, as docs/verify.md has people ask."""
    asked = ("-I", PRINCIPAL, "-n", NAMESPACE, "-s", signature)
    return run("ssh-keygen", "-Y", "verify", "-f", allowed, *asked, given=content).returncode == 0


def _public(signature: bytes) -> str:
    """The public key that a signature carries (OpenSSH's PROTOCOL.sshsig), as a line of `authorized_keys`."""
    blob = base64.b64decode(b"".join(line for line in signature.splitlines() if not line.startswith(b"-----")))
    length = int.from_bytes(blob[10:14], "big")
    key = blob[14 : 14 + length]
    kind = key[4 : 4 + int.from_bytes(key[:4], "big")]
    return f"{kind.decode()} {base64.b64encode(key).decode()}"


def signing_key(given: str) -> SigningKey:
    """The key of KEY=, once it has signed. Its file may be a public key, if an agent or a security key has the private one."""
    if not given:
        raise Refusal("no key: KEY=PATH names the OpenSSH key that signs the release; docs/verify.md says how to make one")
    path = Path(given).expanduser().resolve()
    if not path.is_file():
        raise Refusal(f"KEY: {given} is no file")
    if path.read_bytes()[:64].startswith(b"-----BEGIN PGP"):
        raise Refusal(f"KEY: {given} is an OpenPGP key: KEY= takes an OpenSSH key, and REPOSITORY_KEY= the other's fingerprint")
    told = run("ssh-keygen", "-l", "-f", path)
    fingerprints = told.stdout.decode(errors="replace").split()
    if told.returncode != 0 or len(told.stdout.splitlines()) != 1 or len(fingerprints) < 2:
        raise Refusal(f"KEY: {given} is no OpenSSH key: {said(told)}")
    if b"-SK)" in told.stdout:
        print("release: the security key wants to be touched for each of three signatures: now, and twice at the end", flush=True)
    probe = run("ssh-keygen", "-q", "-Y", "sign", "-f", path, "-n", NAMESPACE, given=_PROBE)
    if probe.returncode != 0:
        raise Refusal(f"KEY: {given} cannot sign: {said(probe)}")
    return SigningKey(path, fingerprints[1], _allowed(given, probe.stdout))


def _allowed(given: str, signature: bytes) -> str:
    """The project's list of keys, which must have this one; or a list of this key alone, as long as the project has none."""
    text = ALLOWED.read_text(encoding="utf-8")
    if all(line.startswith("#") or not line.strip() for line in text.splitlines()):
        return f'{PRINCIPAL} namespaces="{NAMESPACE}" {_public(signature)}\n'
    with tempfile.NamedTemporaryFile() as file:
        file.write(signature)
        file.flush()
        if not verified(ALLOWED, Path(file.name), _PROBE):
            raise Refusal(f"KEY: {given} is not among the keys of {ALLOWED.relative_to(ROOT)}, or no longer valid there")
    return text


def repository_key(given: str) -> RepositoryKey | None:
    """The key of REPOSITORY_KEY=, once it has signed; None if the release has none."""
    if not given:
        return None
    fingerprint = given.replace(" ", "").upper()
    if not re.fullmatch(r"[0-9A-F]{40}", fingerprint):
        raise Refusal(f"REPOSITORY_KEY: {given} is no fingerprint of an OpenPGP key (40 digits); KEY= takes an OpenSSH key")
    signed = run("gpg", "--batch", "--local-user", fingerprint, "--detach-sign", "--output", "-", given=_PROBE)
    if signed.returncode != 0:
        raise Refusal(f"REPOSITORY_KEY: gpg cannot sign with {fingerprint}: {said(signed)}")
    return RepositoryKey(fingerprint)
