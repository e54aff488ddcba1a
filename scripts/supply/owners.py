"""The Debian package that a file of the system belongs to. If there is no dpkg, files have no owner and libraries no version."""

import functools
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote


@functools.cache
def _distribution() -> str:
    release = Path("/etc/os-release").read_text(encoding="utf-8")
    found = re.search(r'^ID="?([a-z0-9._-]+)', release, re.MULTILINE)
    return found.group(1) if found else "debian"


@dataclass(frozen=True)
class Owner:
    """A package of the system."""

    name: str
    version: str
    architecture: str
    source: str

    @property
    def purl(self) -> str:
        """The package's address as a package URL."""
        return f"pkg:deb/{_distribution()}/{quote(self.name)}@{quote(self.version)}?arch={self.architecture}"


def _said(*command: str) -> str:
    result = subprocess.run(command, check=False, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return result.stdout


def _names(path: str) -> list[str]:
    """A path with and without /usr: dpkg knows a file by the path in its package."""
    real = str(Path(path).resolve())
    other = [name.removeprefix("/usr") if name.startswith("/usr/") else f"/usr{name}" for name in (path, real)]
    return [path, real, *other]


@functools.cache
def owner_of(path: str) -> Owner | None:
    """The package that has a file."""
    if not shutil.which("dpkg-query"):
        return None
    for name in _names(path):
        if found := re.match(r"([^:,\s]+)(:\w+)?[:,]", _said("dpkg-query", "-S", name)):
            package = found.group(1) + (found.group(2) or "")
            form = "${Package}\t${Version}\t${Architecture}\t${source:Package}"
            fields = _said("dpkg-query", "-W", "-f", form, package).split("\t")
            return Owner(*fields) if len(fields) == 4 else None
    return None


@functools.cache
def _loader_cache() -> str:
    return _said(shutil.which("ldconfig") or "/sbin/ldconfig", "-p")


def library_owner(soname: str) -> Owner | None:
    """The package that has the library that the loader would use."""
    found = re.search(rf"^\s*{re.escape(soname)} .*=> (\S+)$", _loader_cache(), re.MULTILINE)
    return owner_of(found.group(1)) if found else None
