"""Which types of a target call each other.

A type calls another one when its code runs code of the other: an initialiser, a function, a computed or a static property.
To name it in a signature, to hold it, or to make a case of an enum is no call. Who stands before the dot is known where a
declaration says so (`let log: CallLog`). Where that is not known, each type counts that the code names and that has the member.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from circles import Graph, components
from configuration import Rules
from declarations import TYPES, Declaration, Token
from tree import Finding, SourceFile, Target, Tree

_TYPE_NAME = re.compile(r"[A-Z]\w*$")
_NAME = re.compile(r"[A-Za-z_]\w*$")
_BEFORE_TYPES = frozenset({"any", "some", "borrowing", "consuming", "inout", "try", "["})


@dataclass
class Type:
    """One type with all its extensions: what it can be asked to run, and its code without that of types inside it."""

    callables: set[str] = field(default_factory=set)
    has_init: bool = False
    code: dict[SourceFile, list[int]] = field(default_factory=dict)
    named: set[str] = field(default_factory=set)


def _is_type(declared: Declaration) -> bool:
    return declared.kind in TYPES or declared.kind == "extension"


def _name(declared: Declaration | None) -> str:
    """The full name of a type, such as `Packet.Field`."""
    parts = []
    while declared is not None and _is_type(declared):
        parts.insert(0, declared.name)
        declared = declared.outer
    return ".".join(parts)


class Calls:
    """Finds who calls whom among the types of some files."""

    def __init__(self, sources: list[SourceFile]) -> None:
        self.types: dict[str, Type] = {}
        self.properties: dict[str, str] = {}
        for source in sources:
            for declared in source.declarations:
                if declared.kind in TYPES:
                    self.types.setdefault(_name(declared), Type())
        for source in sources:
            self._members(source)
            self._code(source)
            annotate(source.tokens, self.properties)
        for name, home in self.types.items():
            for source, indices in home.code.items():
                home.named |= {other for i in indices if (other := self._type_at(source.tokens, i, name)[0])} - {name}

    def _members(self, source: SourceFile) -> None:
        for declared in source.declarations:
            home = self.types.get(_name(declared.outer))
            if home is None or _is_type(declared):
                continue
            if declared.kind == "init":
                home.has_init = True
            elif declared.kind == "func" or declared.is_computed or "static" in declared.words:
                home.callables.add(declared.name)

    def _code(self, source: SourceFile) -> None:
        """Gives each word to the innermost type around it."""
        owners: dict[int, str] = {}
        for declared in source.declarations:
            if _is_type(declared) and _name(declared) in self.types:
                owners |= dict.fromkeys(range(declared.first, declared.last + 1), _name(declared))
        for index, token in enumerate(source.tokens):
            if token.line in owners:
                self.types[owners[token.line]].code.setdefault(source, []).append(index)

    def _type_at(self, words: list[Token], index: int, scope: str) -> tuple[str, int]:
        """The type that a word names, seen from inside another one, and its last word; "" if it names none."""
        text = words[index].text
        if not _TYPE_NAME.match(text) or (index and words[index - 1].text == "."):
            return "", index
        found = ""
        while not found:
            inside = f"{scope}.{text}" if scope else text
            found = inside if inside in self.types else ""
            if not scope:
                break
            scope = scope.rpartition(".")[0]
        while found and index + 2 < len(words) and words[index + 1].text == ".":
            if f"{found}.{words[index + 2].text}" not in self.types:
                break
            found = f"{found}.{words[index + 2].text}"
            index += 2
        return found, index

    def graph(self) -> Graph:
        """For each type the types that it calls, each with an example."""
        graph: Graph = {}
        for name, home in self.types.items():
            to = graph.setdefault(name, {})
            for source, indices in home.code.items():
                words, known = source.tokens, dict[str, str]()
                annotate(words, known)
                for index in indices:
                    for other in self._called(words, index, name, known) - {name}:
                        to.setdefault(other, f"{words[index].text} in {source.name}:{words[index].line}")
        return graph

    def _called(self, words: list[Token], index: int, own: str, known: dict[str, str]) -> set[str]:
        """The types whose code may be run by one word."""
        if index and words[index - 1].text == ".":
            return self._by_member(words, index, own, known)
        other, last = self._type_at(words, index, own)
        if not other or other == own:
            return set()
        after = [token.text for token in words[last + 1 : last + 3]] + ["", ""]
        if after[0] == "(":
            return {other} if self.types[other].has_init else set()
        return {other} if after[0] == "." and after[1] in self.types[other].callables else set()

    def _by_member(self, words: list[Token], index: int, own: str, known: dict[str, str]) -> set[str]:
        member, owner = words[index].text, words[index - 2].text if index > 1 else ""
        if owner in ("self", "Self") or _TYPE_NAME.match(owner):
            return set()
        said = known.get(owner) or self.properties.get(owner, "")
        asked = self.types.keys() if said else self.types[own].named
        return {other for other in asked if member in self.types[other].callables and said in ("", *other.split("."))}


def annotate(words: list[Token], found: dict[str, str]) -> None:
    """Adds the types of the names that some code declares, where it says them: `name: Type`, `name = Type(`.

    A name that is declared with two types has none.
    """
    for index in range(len(words) - 3):
        name, sign = words[index].text, words[index + 1].text
        if sign not in (":", "=") or not _NAME.match(name):
            continue
        rest = index + 2
        while rest < len(words) - 1 and words[rest].text in _BEFORE_TYPES:
            rest += 1
        said = words[rest].text
        if _TYPE_NAME.match(said) and (sign == ":" or words[rest + 1].text == "("):
            found[name] = said if found.get(name, said) == said else ""


def circles(tree: Tree, _rules: Rules) -> Iterator[Finding]:
    """The groups of types of one target that call each other in a circle. A type and those inside it count as one."""
    for target in tree.targets:
        if target.path.startswith("Sources/"):
            graph = Calls(tree.of(target)).graph()
            for group in components(graph):
                outermost = sorted({name.partition(".")[0] for name in group})
                if len(outermost) > 1:
                    yield _finding(target, group, outermost, graph)


def _finding(target: Target, group: list[str], outermost: list[str], graph: Graph) -> Finding:
    shown = [f"  {a} -> {b}: {graph[a][b]}" for a in group for b in sorted(graph[a]) if b in group]
    text = f"{len(outermost)} types call each other in a circle"
    return Finding("types", f"{target.name}: {' '.join(outermost)}", "\n".join([text, *shown]), target=target.name)
