"""The contents of a program: what the linker included, and what it left to be loaded."""

import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from supply.facts import SupplyError

_MODULE = re.compile(r"/([^/\n]+)\.build/[^\n()]*?\.o\b")
# A section that the linker included: its name, address, size and object. A section that it left out has the address 0.
_SECTION = re.compile(r"^ (\S+)\s+0x([0-9a-f]+)\s+0x([0-9a-f]+) (\S[^\n]*\.o)\b", re.MULTILINE)
# The sections that a Swift object has even if nothing in it is used.
_EMPTY = (".swift_modhash", ".rodata.__swift_reflection_version")
_ARCHIVE = re.compile(r"(/[^\s()]+\.a)\(")
_START = re.compile(r"(/[^\s()]*/(?:[A-Za-z]?crt[a-z0-9A-Z]*|swiftrt)\.o)\b")
_CHECKOUT = re.compile(r"/checkouts/([^/]+)/")
_MANGLED = re.compile(r" \$s(\d+)(\w+)")


@dataclass
class Contents:
    """What one program is linked with."""

    program: Path
    packages: set[str] = field(default_factory=set)
    modules: set[str] = field(default_factory=set)
    runtime: set[str] = field(default_factory=set)
    needed: list[str] = field(default_factory=list)


def package_of(module: Path) -> str | None:
    """The checkout whose files were compiled into a module's folder of objects; nothing for our own modules."""
    sources = module / "sources"
    lists = [sources] if sources.is_file() else sorted(module.rglob("*.d"))[:1]
    for file in lists:
        if found := _CHECKOUT.search(file.read_text(encoding="utf-8").replace("\\ ", " ")):
            return found.group(1)
    return None


def needed(program: Path) -> list[str]:
    """The libraries that are loaded with a program."""
    listed = subprocess.run(["objdump", "-p", program], check=True, stdout=subprocess.PIPE, text=True).stdout
    return sorted(re.findall(r"^\s*NEEDED\s+(\S+)", listed, re.MULTILINE))


def _taken(text: str) -> set[str]:
    """The objects from which something was included."""
    return {
        place
        for section, address, size, place in _SECTION.findall(text)
        if int(address, 16) and int(size, 16) and section not in _EMPTY
    }


def linked(program: Path, map_file: Path, objects: Path) -> Contents:
    """Reads the linker's map of a program. `objects` has a folder NAME.build for each module."""
    if not map_file.is_file():
        raise SupplyError(f"{map_file} is not there: build {program.name} again with scripts/stage.sh")
    text = map_file.read_text(encoding="utf-8", errors="replace")
    contents = Contents(program, needed=needed(program))
    contents.modules = {module for place in _taken(text) for module in _MODULE.findall(place)}
    contents.runtime = set(_ARCHIVE.findall(text)) | set(_START.findall(text))
    for module in contents.modules:
        if package := package_of(objects / f"{module}.build"):
            contents.packages.add(package)
    return contents


def packages_by_symbols(program: Path, objects: Path) -> set[str]:
    """The Swift packages whose code has a symbol in a program that is not stripped, found without the linker's map."""
    of_module = {folder.name.removesuffix(".build"): package_of(folder) for folder in objects.glob("*.build")}
    listed = subprocess.run(["nm", "--defined-only", program], check=True, stdout=subprocess.PIPE, text=True).stdout
    found = {name[: int(length)] for length, name in _MANGLED.findall(listed)}
    return {package for name in found if (package := of_module.get(name))}


def build_id(program: Path) -> str:
    """The build ID, which stripping keeps."""
    notes = subprocess.run(["readelf", "-n", program], check=True, stdout=subprocess.PIPE, text=True).stdout
    found = re.search(r"Build ID: (\w+)", notes)
    return found.group(1) if found else ""
