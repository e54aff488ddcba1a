"""Reads docs/webauthn-servers.md: the configurations that the rigs use, and the table of what each server checks."""

import functools

from lab.machine import ROOT

PATH = ROOT / "docs/webauthn-servers.md"


@functools.cache
def _sections():
    sections, title, fenced = {}, "", False
    for line in PATH.read_text().splitlines():
        fenced ^= line.startswith("```")
        if line.startswith("#") and not fenced:
            title = line.lstrip("#").strip()
        sections.setdefault(title, []).append(line)
    return sections


def block(section, language):
    """The first block of code of a language in a section."""
    return blocks(section, language)[0]


def blocks(section, language):
    """All of them."""
    found, inside = [], None
    for line in _sections()[section]:
        if inside is None and line.startswith("```"):
            inside = line.removeprefix("```")
            if inside == language:
                found.append("")
        elif line == "```":
            inside = None
        elif inside == language:
            found[-1] += line + "\n"
    if not found:
        raise ValueError(f"{PATH.name}: the section {section} has no block of {language}")
    return found


def table(section):
    """The rows of the table in a section, as dictionaries by the heads of its columns."""
    lines = [line for line in _sections()[section] if line.startswith("|")]
    heads, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    return [dict(zip(heads, row)) for row in rows]
