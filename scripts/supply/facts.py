"""What components.toml says about each component."""

import fnmatch
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILE = Path(__file__).with_name("components.toml")

# The folders of the Swift packages: the client's and the server's. Each is resolved and built by itself.
SWIFT_PACKAGES = (".", "Server")

# Which programs a package has, by their names below the stage.
PACKAGES = {
    "libpam-uaf": ["pam_uaf.so", "uafctl", "uaf-helper", "uaf-fetch", "uaf-chip", "uaf-finger", "uaf-name"],
    "uaf-server": ["uaf-server"],
    # Python, of which nothing is linked and nothing is by others.
    "uafctl-gui": [],
}

# Which Swift package each is built of.
BUILT_OF = {"libpam-uaf": ".", "uaf-server": "Server", "uafctl-gui": "."}


def objects_of(package: str) -> Path:
    """SwiftPM's folder with the programs and objects of a package's release build."""
    return (ROOT / BUILT_OF[package] / ".build/release").resolve()


class SupplyError(Exception):
    """The linked, resolved and written components do not agree."""


@dataclass(frozen=True)
class Facts:
    """The sections of components.toml, each by the component's name."""

    swift: dict[str, dict[str, str]]
    vendored: dict[str, dict[str, str]]
    runtime: dict[str, dict[str, object]]
    library: dict[str, str]

    def runtime_of(self, file: str) -> str:
        """The component that an archive or a start file belongs to."""
        for name, entry in self.runtime.items():
            patterns = entry["files"]
            # The more exact name wins: libswiftDispatch.a is libdispatch's.
            if isinstance(patterns, list) and file in patterns:
                return name
        for name, entry in self.runtime.items():
            patterns = entry["files"]
            if isinstance(patterns, list) and any(fnmatch.fnmatch(file, pattern) for pattern in patterns):
                return name
        raise SupplyError(f"{file} is linked into a program, and no [runtime] of components.toml has it")

    def licence_of_library(self, soname: str) -> str:
        """The licence of a library that is linked dynamically, by its name in NEEDED."""
        name = soname.split(".so")[0]
        if name not in self.library:
            raise SupplyError(f"a program needs {soname}, and [library] of components.toml has no {name}")
        return self.library[name]


def read() -> Facts:
    """Reads components.toml."""
    with FILE.open("rb") as file:
        sections = tomllib.load(file)
    return Facts(sections["swift"], sections["vendored"], sections["runtime"], sections["library"])
