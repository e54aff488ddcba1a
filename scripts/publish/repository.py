"""The repository for apt, made by reprepro.

reprepro and not aptly: both are Debian's and write the same files, but aptly keeps a store of its own from which repositories are
published and changed, and a release is made once. reprepro needs a dozen lines and 1 MB instead of 24, and nothing of its
database has to be kept.
"""

from pathlib import Path

from publish.commands import output
from publish.keys import RepositoryKey
from publish.packages import Package

# The file that apt is given as `Signed-By`.
KEYRING = "pam-uaf-archive-keyring.gpg"


def _distribution(codename: str, architectures: list[str], key: RepositoryKey | None) -> str:
    fields = {
        "Origin": "pam-uaf",
        "Label": "pam-uaf",
        "Codename": codename,
        "Architectures": " ".join(architectures),
        "Components": "main",
        "Description": f"pam-uaf for Debian {codename}",
    }
    if key:
        fields["SignWith"] = key.fingerprint
    return "".join(f"{name}: {value}\n" for name, value in fields.items())


def write(folder: Path, packages: list[Package], key: RepositoryKey | None, scratch: Path) -> None:
    """Writes dists, pool and the key into a folder. `scratch` is for what reprepro needs only now."""
    (scratch / "conf").mkdir(parents=True)
    # A package for all architectures is listed under each of them.
    architectures = sorted({package.architecture for package in packages} - {"all"})
    distributions = sorted({package.distribution for package in packages})
    text = "\n".join(_distribution(codename, architectures, key) for codename in distributions)
    (scratch / "conf/distributions").write_text(text, encoding="utf-8")
    places = ["--basedir", str(scratch), "--dbdir", str(scratch / "db"), "--outdir", str(folder)]
    for codename in distributions:
        files = [package.file for package in packages if package.distribution == codename]
        output("reprepro", "--silent", *places, "includedeb", codename, *files)
    if key:
        (folder / KEYRING).write_bytes(key.public())
