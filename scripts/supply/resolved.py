"""The Swift packages as SwiftPM resolved them, and the licences and notices in their checkouts."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

from supply.facts import ROOT, SWIFT_PACKAGES


@dataclass(frozen=True)
class Checkout:
    """One Swift package in `.build/checkouts` of ours."""

    name: str
    url: str
    version: str
    revision: str
    folder: Path

    @property
    def purl(self) -> str:
        """The package's address as a package URL."""
        return f"pkg:swift/{self.url.removeprefix('https://').removesuffix('.git')}@{self.version}"

    def licence(self) -> str:
        """The licence in the text of its LICENSE, as an SPDX expression; empty if it is not known here."""
        text = " ".join(_text(self.folder, "LICENSE").split())
        if "Apache License Version 2.0" in text:
            return "Apache-2.0 WITH Swift-exception" if "Runtime Library Exception" in text else "Apache-2.0"
        if "Permission is hereby granted, free of charge" in text and "without restriction" in text:
            return "MIT"
        return ""

    def notice(self) -> str:
        """Its NOTICE, or nothing."""
        return _text(self.folder, "NOTICE")


def _text(folder: Path, name: str) -> str:
    found = sorted(folder.glob(f"{name}*"))
    return found[0].read_text(encoding="utf-8") if found else ""


def checkouts_of(package: str) -> dict[str, Checkout]:
    """The checkouts that one of our packages resolved to, by folder. A package that is being edited has no version."""
    build = ROOT / package / ".build"
    state = json.loads((build / "workspace-state.json").read_text(encoding="utf-8"))
    pins = json.loads((ROOT / package / "Package.resolved").read_text(encoding="utf-8"))["pins"]
    used = {pin["identity"] for pin in pins}
    found = {}
    for entry in state["object"]["dependencies"]:
        name, reference = entry["subpath"], entry["packageRef"]
        if reference["identity"] not in used:
            continue  # the client's own package, or one that only an earlier Package.swift required
        at, folder = entry["state"].get("checkoutState") or {}, build / "checkouts" / name
        found[name] = Checkout(name, reference["location"], at.get("version") or "", at.get("revision") or "", folder)
    return found


def checkouts() -> dict[str, Checkout]:
    """The checkouts of all our packages. `checks.versions` makes sure that those of a shared package have the same version."""
    return {name: checkout for package in SWIFT_PACKAGES for name, checkout in checkouts_of(package).items()}


def pinned(package: str) -> dict[str, str]:
    """The versions in the Package.swift of one of our packages, by the last part of each address."""
    manifest = (ROOT / package / "Package.swift").read_text(encoding="utf-8")
    listed = re.findall(r'\.package\(url: "([^"]*)", exact: "([^"]*)"', manifest)
    return {url.removesuffix(".git").rsplit("/", 1)[-1]: version for url, version in listed}
