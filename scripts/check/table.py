"""The table of targets in ARCHITECTURE.md (or a page of docs/): the purpose of each is written by hand, what each imports is
written by `structure.py --write-table`."""

import re
from collections.abc import Iterator
from pathlib import Path

from configuration import Rules
from tree import Finding, SourceFile, Target, Tree

_HEAD = re.compile(r"^\| target \|.*\| imports \|$", re.MULTILINE)
_ROW = re.compile(r"^\| `(\w+)` \| (.*) \| ([^|]*) \|$")


def _imports(target: Target) -> str:
    return ", ".join(f"`{name}`" for name in sorted(target.dependencies | target.products)) or "–"


def _document(tree: Tree) -> SourceFile | None:
    markdown = (source for source in tree.files.values() if source.path.endswith(".md"))
    return next((source for source in markdown if _HEAD.search(source.text)), None)


def _rows(text: str) -> tuple[int, int, dict[str, tuple[str, str]]]:
    """The first and the last line of the table's rows, and the rows by target."""
    lines = text.splitlines()
    first = next(number for number, line in enumerate(lines) if _HEAD.match(line)) + 2
    last, rows = first, {}
    while last < len(lines) and lines[last].startswith("|"):
        if match := _ROW.match(lines[last]):
            rows[match.group(1)] = match.group(2), match.group(3)
        last += 1
    return first, last, rows


def _described(tree: Tree) -> dict[str, Target]:
    products = (target for target in tree.targets if target.kind not in ("test", "system"))
    return {target.name: target for target in products if not target.path.startswith(("Tests/", "Server/Tests/"))}


def differences(tree: Tree, _rules: Rules) -> Iterator[Finding]:
    """Where the table differs from Package.swift."""
    document = _document(tree)
    if document is None:
        yield Finding("table", "targets", "no document has a table '| target | ... | imports |'")
        return
    _, _, rows = _rows(document.text)
    targets = _described(tree)
    for name in sorted(rows.keys() - targets.keys()):
        yield Finding("table", name, f"{document.path} has a row for {name}, which is not a target")
    for name, target in targets.items():
        purpose, imports = rows.get(name, ("", ""))
        if not purpose.strip():
            yield Finding("table", name, f"{document.path} does not say what {name} is for", target=name)
        elif imports != _imports(target):
            text = f"{document.path} has other imports than Package.swift: structure.py --write-table corrects it"
            yield Finding("table", name, text, target=name)


def write(tree: Tree, root: Path) -> None:
    """Writes the imports of every target into the table, and a row without a purpose for a new one."""
    document = _document(tree)
    if document is None:
        return
    first, last, rows = _rows(document.text)
    targets = _described(tree)
    names = [name for name in rows if name in targets] + [name for name in targets if name not in rows]
    table = [f"| `{name}` | {rows.get(name, ('',))[0]} | {_imports(targets[name])} |" for name in names]
    lines = document.text.splitlines()
    (root / document.path).write_text("\n".join(lines[:first] + table + lines[last:]) + "\n", encoding="utf-8")
