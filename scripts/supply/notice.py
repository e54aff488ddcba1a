"""The notices that a package must contain: NOTICE files of the Swift packages in its programs, and texts of code inside them."""

from supply.contents import Contents
from supply.facts import PACKAGES, Facts
from supply.resolved import Checkout

_RULE = "=" * 78


def notices(contents: list[Contents], checkouts: dict[str, Checkout], facts: Facts) -> dict[str, str]:
    """Each notice by its heading."""
    found = {}
    for name in sorted(set().union(*(one.packages for one in contents))):
        checkout = checkouts[name]
        if text := checkout.notice().strip("\n"):
            found[f"{name} {checkout.version}"] = text
        for inner, entry in facts.vendored.items():
            file = checkout.folder / "Sources" / entry["module"] / entry.get("notice", "")
            if "notice" in entry and file.is_file() and any(entry["module"] in one.modules for one in contents):
                found[f"{inner}, inside {name} {checkout.version}"] = file.read_text(encoding="utf-8").strip("\n")
    return found


def text(package: str, found: dict[str, str]) -> str:
    """The notices as one file."""
    if not PACKAGES[package]:
        return f"The programs of {package} contain no code of others.\n"
    lines = [f"The programs of {package} contain code of others. These are their notices."]
    if not found:
        lines.append("None of it has one.")
    for heading, notice in found.items():
        lines += ["", _RULE, heading, _RULE, "", notice]
    return "\n".join(lines) + "\n"
