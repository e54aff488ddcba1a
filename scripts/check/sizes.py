"""How long functions, files, lines and types are."""

import ast
import math
import re
from collections.abc import Iterator

from configuration import Rules
from declarations import TYPES
from tree import Finding, SourceFile, Target, Tree

_C_FUNCTION = re.compile(r"^[A-Za-z_][^;={}]*?\b([A-Za-z_]\w*)\([^;{}]*\)\s*\{", re.MULTILINE)
_FREE = ("Tests/Vectors/", "Tests/Transcripts/")


def _limits(source: SourceFile, rules: Rules) -> tuple[float, float]:
    """How many lines a function and a file may have."""
    if not source.path.startswith("Tests/"):
        return rules.sizes["function"], rules.sizes["file"]
    if source.path.endswith((".py", ".sh")):
        return rules.sizes["row"], rules.sizes["rows"]
    return math.inf, math.inf


def _swift(source: SourceFile) -> Iterator[tuple[str, int, int]]:
    for declared in source.declarations:
        if declared.is_callable:
            names, outer = [declared.name], declared.outer
            while outer is not None:
                names.insert(0, outer.name)
                outer = outer.outer
            yield ".".join(names), declared.first, declared.lines


def _c(source: SourceFile) -> Iterator[tuple[str, int, int]]:
    code = source.lexed.code
    for match in _C_FUNCTION.finditer(code):
        end = code.find("\n}", match.end())
        first = source.lexed.line_at(match.start())
        if end >= 0:
            yield match.group(1), first, source.lexed.line_at(end + 1) - first + 1


def _python(source: SourceFile) -> Iterator[tuple[str, int, int]]:
    for node in ast.walk(ast.parse(source.text)):
        if isinstance(node, ast.FunctionDef):
            yield node.name, node.lineno, (node.end_lineno or node.lineno) - node.lineno + 1


def functions(source: SourceFile) -> Iterator[tuple[str, int, int]]:
    """A file's functions: name, first line, lines."""
    if source.is_swift:
        yield from _swift(source)
    elif source.is_c:
        yield from _c(source)
    elif source.path.endswith(".py"):
        yield from _python(source)


def long_functions(tree: Tree, rules: Rules) -> Iterator[Finding]:
    """Functions with more lines than there may be."""
    for source in tree.files.values():
        limit, _ = _limits(source, rules)
        for name, first, lines in functions(source):
            if lines > limit:
                text = f"{name} has {lines} lines: {limit} at most"
                yield Finding("function", f"{source.path}: {name}", text, first)


def long_files(tree: Tree, rules: Rules) -> Iterator[Finding]:
    """Files with more lines, or wider lines, than there may be."""
    for source in tree.files.values():
        if source.path.endswith(".md") or source.path.startswith(_FREE):
            continue
        _, limit = _limits(source, rules)
        if len(source.lines) > limit:
            yield Finding("file", source.path, f"has {len(source.lines)} lines: {limit} at most")
        wide = [number for number, line in enumerate(source.lines, 1) if len(line) > rules.sizes["columns"]]
        if wide:
            text = f"has {len(wide)} lines of more than {rules.sizes['columns']} columns"
            yield Finding("columns", source.path, text, wide[0])


def types(tree: Tree, target: Target) -> dict[str, tuple[int, int, set[str]]]:
    """The types that a target declares: lines over all its files, functions, files."""
    found: dict[str, tuple[int, int, set[str]]] = {}
    declared_here = {
        declared.name
        for source in tree.of(target)
        for declared in source.declarations
        if declared.outer is None and declared.kind in TYPES
    }
    for source in tree.of(target):
        for declared in source.declarations:
            if declared.outer is None and declared.base in declared_here and declared.kind in TYPES | {"extension"}:
                lines, count, files = found.get(declared.base, (0, 0, set()))
                count += sum(1 for d in source.declarations if d.outer is declared and d.is_callable)
                found[declared.base] = lines + declared.lines, count, files | {source.path}
    return found


def long_types(tree: Tree, rules: Rules) -> Iterator[Finding]:
    """Types with more lines, over all files of their target, than there may be."""
    for target in tree.targets:
        if target.kind in ("test", "system"):
            continue
        for name, (lines, count, files) in sorted(types(tree, target).items()):
            if lines > rules.sizes["type"]:
                text = f"{name} has {lines} lines and {count} functions in {len(files)} files: {rules.sizes['type']} at most"
                yield Finding("type", f"{target.name}: {name}", text, target=target.name)
