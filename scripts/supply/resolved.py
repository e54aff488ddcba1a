"""The Swift packages as SwiftPM resolved them, and the licences and notices in their checkouts."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

from supply.facts import ROOT


@dataclass(frozen=True)
class Checkout:
    """One Swift package in .build/checkouts."""

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


def checkouts() -> dict[str, Checkout]:
    """The resolved packages by the names of their folders. A package of another kind (a path, an edit) has no version."""
    state = json.loads((ROOT / ".build/workspace-state.json").read_text(encoding="utf-8"))
    found = {}
    for entry in state["object"]["dependencies"]:
        at = entry["state"].get("checkoutState") or {}
        name = entry["subpath"]
        folder = ROOT / ".build/checkouts" / name
        url = entry["packageRef"]["location"]
        found[name] = Checkout(name, url, at.get("version") or "", at.get("revision") or "", folder)
    return found


def pinned() -> dict[str, str]:
    """The versions in Package.swift, by the last part of each address."""
    manifest = (ROOT / "Package.swift").read_text(encoding="utf-8")
    listed = re.findall(r'\.package\(url: "([^"]*)", exact: "([^"]*)"', manifest)
    return {url.removesuffix(".git").rsplit("/", 1)[-1]: version for url, version in listed}
