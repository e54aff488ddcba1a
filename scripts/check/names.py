"""Names that stand in two targets for two things: whoever reads one file has to know which of them is meant."""

from collections.abc import Iterator

from configuration import Rules
from declarations import TYPES
from tree import Finding, Tree


def names(tree: Tree, _rules: Rules) -> Iterator[Finding]:
    """The types of one name that several targets of the programs declare."""
    found: dict[str, set[str]] = {}
    for target in tree.targets:
        if target.path.startswith("Sources/"):
            for source in tree.of(target):
                for declared in source.declarations:
                    if declared.outer is None and declared.kind in TYPES and not declared.is_private:
                        found.setdefault(declared.name, set()).add(target.name)
    for name, targets in sorted(found.items()):
        if len(targets) > 1:
            text = f"{' and '.join(sorted(targets))} have a type of this name: tell them apart, or move one down to both"
            yield Finding("name", name, text)
