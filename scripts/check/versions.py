"""One version: debian/changelog says which, and every program, CHANGELOG.md and the Ansible collection agree."""

import re
from collections.abc import Iterator

from configuration import Rules
from tree import Finding, Tree

CHANGELOG = "debian/changelog"
_DEBIAN = re.compile(r"\S+ \(([^)]+)\)")
_SWIFT = re.compile(r'\b(?:version|current|number)(?:: | = |: String = )"(\d+\.\d+\.\d+[^"]*)"')
_GALAXY = re.compile(r"^version: (\S+)$", re.MULTILINE)
_HEADING = re.compile(r"^## \[?(\d+\.\d+\.\d+[^\]\s]*)", re.MULTILINE)


def versions(tree: Tree, _rules: Rules) -> Iterator[Finding]:
    """The files whose version differs from debian/changelog."""
    first = _DEBIAN.match(tree.files[CHANGELOG].text) if CHANGELOG in tree.files else None
    if first is None:
        yield Finding("version", CHANGELOG, "tells no version")
        return
    version = first.group(1)
    kept = [(source, _SWIFT) for source in tree.below("Sources", "Server/Sources") if source.is_swift]
    kept += [(source, _HEADING) for source in tree.files.values() if source.path == "CHANGELOG.md"]
    kept += [(source, _GALAXY) for source in tree.files.values() if source.path.endswith("/galaxy.yml")]
    for source, pattern in kept:
        # In CHANGELOG.md the latest comes first, and the others are history.
        found = list(pattern.finditer(source.text))[: 1 if pattern is _HEADING else None]
        for match in found:
            if match.group(1) != version:
                line = source.text.count("\n", 0, match.start()) + 1
                text = f"has version {match.group(1)}, and {CHANGELOG} has {version}"
                yield Finding("version", source.path, text, line)
