"""Circles between the folders of a target.

A file refers to a folder when it mentions a type or a function that is declared there, or extends such a type, or when a
type's own code uses a member that an extension adds to it there. At each level of a target the rooms are its folders,
each with all that is below it, and the files beside them. A circle is a group of rooms that all reach each other and at
least one of which is a folder: files of one folder may refer to each other.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from declarations import TYPES
from tree import Finding, SourceFile, Target, Tree

Graph = dict[str, dict[str, str]]


@dataclass
class Names:
    """What a target declares, and in which files. A name of several files is good for none: it would be a guess."""

    types: dict[str, set[str]] = field(default_factory=dict)
    functions: dict[str, set[str]] = field(default_factory=dict)
    added: dict[str, tuple[str, str]] = field(default_factory=dict)
    members: dict[str, int] = field(default_factory=dict)


def _collect(sources: list[SourceFile]) -> Names:
    names = Names()
    for source in sources:
        for declared in source.declarations:
            if declared.outer is not None:
                names.members[declared.name] = names.members.get(declared.name, 0) + 1
            elif declared.is_private or declared.kind == "extension":
                continue
            elif declared.kind in TYPES or declared.kind == "typealias":
                names.types.setdefault(declared.name, set()).add(source.path)
            elif declared.kind in ("func", "var", "let"):
                names.functions.setdefault(declared.name, set()).add(source.path)
    for source in sources:
        for declared in source.declarations:
            outer = declared.outer
            if outer is None or outer.kind != "extension" or declared.is_private or outer.outer is not None:
                continue
            home = names.types.get(outer.base)
            if home is not None and source.path not in home and names.members[declared.name] == 1:
                names.added[declared.name] = outer.base, source.path
    return names


def _own(source: SourceFile) -> set[str]:
    return {declared.name for declared in source.declarations if declared.kind != "extension"}


def _is_outside(before: str, owner: str) -> bool:
    """Whether a name is another value's member, or declared here."""
    return (before == "." and owner != "self") or before in ("let", "var", "func", "case")


def mentions(source: SourceFile, names: Names) -> Iterator[tuple[str, str, int]]:
    """The files that a file refers to, with the name and the line."""
    words, own = source.tokens, _own(source)
    bases = {declared.base for declared in source.declarations if declared.outer is None}
    for index, token in enumerate(words):
        name = token.text
        before = words[index - 1].text if index else ""
        after = words[index + 1].text if index + 1 < len(words) else ""
        if name in own:
            continue
        if name in names.types and before != ".":
            found = names.types[name]
        elif name in names.functions and before not in (".", "func") and (after == "(" or after != ":"):
            found = names.functions[name]
        elif name in names.added and names.added[name][0] in bases and after != ":":
            if _is_outside(before, words[index - 2].text):
                continue
            found = {names.added[name][1]}
        else:
            continue
        for path in found:
            if path != source.path:
                yield path, name, token.line


def references(tree: Tree, target: Target) -> dict[str, dict[str, str]]:
    """For each file of a target the files it refers to, each with an example: name and line."""
    sources = tree.of(target)
    names = _collect(sources)
    found: Graph = {}
    for source in sources:
        to = found.setdefault(source.path, {})
        for path, name, line in mentions(source, names):
            to.setdefault(path, f"{name} in {source.path.removeprefix(target.path + '/')}:{line}")
    return found


def components(graph: Graph) -> list[list[str]]:
    """The groups of nodes that all reach each other, those of one node left out (Tarjan, without recursion)."""
    reach: dict[str, set[str]] = {}
    for start in graph:
        seen: set[str] = set()
        waiting = [start]
        while waiting:
            for following in graph.get(waiting.pop(), {}):
                if following not in seen:
                    seen.add(following)
                    waiting.append(following)
        reach[start] = seen
    groups, done = [], set()
    for start in sorted(graph):
        if start not in done and start in reach[start]:
            group = sorted(node for node in reach[start] if start in reach.get(node, ()))
            done.update(group)
            if len(group) > 1:
                groups.append(group)
    return groups


def _rooms(graph: Graph, folder: str) -> tuple[Graph, set[str]]:
    """The rooms of a folder with their references, and which of them are folders."""
    rooms: Graph = {}
    folders = set()

    def room(path: str) -> str:
        first, _, rest = path.removeprefix(folder + "/").partition("/")
        if rest:
            folders.add(first)
        return first

    for path, to in graph.items():
        if path.startswith(folder + "/"):
            here = rooms.setdefault(room(path), {})
            for other, example in to.items():
                if other.startswith(folder + "/") and room(other) != room(path):
                    here.setdefault(room(other), example)
    return rooms, folders


def folder_circles(tree: Tree, target: Target) -> Iterator[Finding]:
    """The circles between folders of one target, at every level."""
    graph = references(tree, target)
    parents = {path.rsplit("/", 1)[0] for path in graph}
    levels = {target.path} | {
        "/".join(parts[:count])
        for parts in (parent.split("/") for parent in parents)
        for count in range(target.path.count("/") + 1, len(parts) + 1)
    }
    for folder in sorted(levels):
        rooms, folders = _rooms(graph, folder)
        for group in components(rooms):
            if not folders.intersection(group):
                continue
            shown = [f"  {a} -> {b}: {rooms[a][b]}" for a in group for b in sorted(rooms[a]) if b in group]
            text = f"{len(group)} rooms refer to each other in a circle: {' '.join(group)}"
            yield Finding("circle", folder, "\n".join([text, *shown]), target=target.name)
