"""rules.toml, read once."""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Rules:
    """What the structure check knows in addition to the sources."""

    toolchain: frozenset[str]
    settings: frozenset[str]
    client: frozenset[str]
    zones: dict[str, frozenset[str]]
    closures: dict[str, tuple[str, frozenset[str]]]
    sockets: frozenset[str]
    specification: re.Pattern[str]


def read() -> Rules:
    """Reads rules.toml."""
    with (FOLDER / "rules.toml").open("rb") as file:
        said = tomllib.load(file)
    closures = {name: (rule["why"], frozenset(rule["never"])) for name, rule in said["closure"].items()}
    login = said["login"]
    for name in login["targets"]:
        why, never = closures[name]
        closures[name] = why, never | frozenset(login["never"])
    return Rules(
        frozenset(said["toolchain"]),
        frozenset(said["settings"]),
        frozenset(said["client"]),
        {zone: frozenset(others) | {zone} for zone, others in said["zones"].items()},
        closures,
        frozenset(said["sockets"]),
        re.compile("|".join(f"(?:{name})" for name in said["specifications"]["names"])),
    )
