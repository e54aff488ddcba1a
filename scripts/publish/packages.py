"""The packages of a release, for each release of Debian, and what they say about their own components."""

import json
import platform
import subprocess
from dataclasses import dataclass
from pathlib import Path

from publish.commands import ROOT, Refusal, output
from supply.facts import PACKAGES

DISTRIBUTIONS = ("bookworm", "trixie")


@dataclass(frozen=True)
class Package:
    """A Debian package that was built, and the release of Debian that it is for."""

    file: Path
    distribution: str
    name: str
    version: str
    architecture: str

    @property
    def components(self) -> bytes:
        """Its list of components (SPDX), as it installs it."""
        content = output("dpkg-deb", "--fsys-tarfile", self.file)
        return output("tar", "-x", "-O", f"./usr/share/doc/{self.name}/{self.name}.spdx.json", given=content)

    def dependencies(self) -> list[dict[str, object]]:
        """What was linked into it, and the libraries that it was linked with, as in-toto's ResourceDescriptor."""
        found: list[dict[str, object]] = []
        for component in json.loads(self.components)["packages"]:
            purls = [locator["referenceLocator"] for locator in component.get("externalRefs", ())]
            address, _, revision = component.get("downloadLocation", "").rpartition("@")
            if address.startswith("git+"):
                found.append({"name": component["name"], "uri": address, "digest": {"gitCommit": revision}})
            elif purls:
                found.append({"name": component["name"], "uri": purls[0]})
            elif component["name"].startswith("swift"):
                found.append({"name": component["name"], "uri": component["homepage"], "annotations": _version(component)})
        return found


def _version(component: dict[str, str]) -> dict[str, str]:
    return {"version": component.get("versionInfo", "")}


def _folder(distribution: str) -> Path:
    """Where `make deb DIST=` puts its packages."""
    own = platform.freedesktop_os_release().get("VERSION_CODENAME")
    return ROOT / "build/packages" if distribution == own else ROOT / "build/dist" / distribution / "build/packages"


def _built(file: Path, distribution: str, version: str) -> Package:
    fields = output("dpkg-deb", "--show", "--showformat", "${Package}\n${Version}\n${Architecture}", file).decode().split("\n")
    package = Package(file, distribution, *fields)
    # An older release's package has a suffix of its own: scripts/deb.sh.
    if package.version.partition("~")[0] != version:
        raise Refusal(f"{file.relative_to(ROOT)} has version {package.version}, and the release is {version}")
    return package


def build(distributions: list[str], version: str) -> list[Package]:
    """Builds what is not built yet, with its output on the terminal, and returns all packages."""
    packages = []
    for distribution in distributions:
        command = ["scripts/dist.sh", distribution, "scripts/deb.sh", "--if-older"]
        print(f"release: the packages for {distribution}", flush=True)
        status = subprocess.run(command, cwd=ROOT, check=False).returncode
        if status != 0:
            raise Refusal(f"the packages for {distribution} could not be built (status {status}): what is above says why")
        found = [_built(file, distribution, version) for file in sorted(_folder(distribution).glob("*.deb"))]
        if sorted(package.name for package in found) != sorted(PACKAGES):
            raise Refusal(f"{_folder(distribution).relative_to(ROOT)} has not one package each of {', '.join(PACKAGES)}")
        packages += found
    names = [package.file.name for package in packages]
    if len(set(names)) != len(names):
        raise Refusal(f"packages for different releases of Debian have the same name: {', '.join(sorted(names))}")
    return packages
