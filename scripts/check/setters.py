"""Properties that are set outside the files of their type.

A struct may also be filled by who holds it in a variable of their own: a function that has made it (`var prompt = Prompt(...)`,
then `prompt.reason = ...`), or a type that has it as a property. Nobody else sees that. What others see too, an object or what
was lent by `inout`, is changed by functions of its type, which know in which order and together with what.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from calls import annotate
from configuration import Rules
from declarations import TYPES, Declaration, Token
from tree import Finding, SourceFile, Target, Tree

_NAME = re.compile(r"[A-Za-z_]\w*$")
# What changes a collection or a number in its place.
_MUTATING = frozenset(
    {
        "append", "insert", "remove", "removeAll", "removeFirst", "removeLast", "removeSubrange", "sort", "toggle",
        "formUnion", "formIntersection", "subtract", "merge", "popLast", "popFirst", "swapAt", "reverse", "negate", "take",
    }
)  # fmt: skip
_OPERATORS = frozenset("+-*/%&|^<>?")


@dataclass(frozen=True)
class Property:
    """A stored property that others could set."""

    type: str
    name: str
    files: frozenset[str]
    in_class: bool
    target: str


def _properties(tree: Tree) -> dict[str, list[Property]]:
    found: dict[str, list[Property]] = {}
    for target in _ours(tree):
        files: dict[str, set[str]] = {}
        for source in tree.of(target):
            for declared in source.declarations:
                if declared.kind in TYPES or declared.kind == "extension":
                    files.setdefault(declared.name.rpartition(".")[2], set()).add(source.path)
        for source in tree.of(target):
            for declared in source.declarations:
                outer = declared.outer
                if outer is None or outer.kind not in ("struct", "class", "actor") or declared.kind != "var":
                    continue
                if not declared.is_private and (not declared.is_computed or _has_setter(source, declared)):
                    one = Property(outer.name, declared.name, frozenset(files[outer.name]), outer.kind != "struct", target.name)
                    found.setdefault(declared.name, []).append(one)
    return found


def _has_setter(source: SourceFile, declared: Declaration) -> bool:
    words = [token.text for token in source.tokens if declared.first <= token.line <= declared.last]
    return any(word == "set" and following in "{(" for word, following in pairwise(words))


def _ours(tree: Tree) -> list[Target]:
    return [target for target in tree.targets if target.path.startswith("Sources/")]


def _is_assigned(words: list[Token], index: int) -> bool:
    """Whether what ends before this word is set by it: `=`, `+=`, but no comparison."""
    texts = [token.text for token in words[index : index + 4]] + [""] * 4
    if texts[0] == "=":
        return texts[1] != "="
    count = 0
    while texts[count] in _OPERATORS and count < 3:
        count += 1
    if not count or texts[count] != "=":
        return False
    return texts[count + 1] != "=" and not (count == 1 and texts[0] in "<>?")


def _after_brackets(words: list[Token], index: int) -> int:
    """The first word behind `[...]`, `?` and `!`."""
    while index + 1 < len(words) and words[index].text in "[?!":
        if words[index].text != "[" and words[index + 1].text in "?=":
            break
        if words[index].text == "[":
            depth = 1
            while depth and index + 1 < len(words):
                index += 1
                depth += {"[": 1, "]": -1}.get(words[index].text, 0)
        index += 1
    return index


def _chains(words: list[Token]) -> Iterator[tuple[int, list[int]]]:
    """Each `owner.one.two` that is changed: the word of its owner, and those of the properties."""
    for index, token in enumerate(words):
        if not _NAME.match(token.text) and not (token.text.isdigit() and index and words[index - 1].text == "$"):
            continue
        if token.text == "case" or (index and words[index - 1].text == "."):
            continue
        parts: list[int] = []
        end = _after_brackets(words, index + 1)
        while end + 1 < len(words) and words[end].text == "." and _NAME.match(words[end + 1].text):
            parts.append(end + 1)
            end = _after_brackets(words, end + 2)
        if end >= len(words):
            continue
        before = words[index - 1].text if index else ""
        if parts and words[parts[-1]].text in _MUTATING and words[end].text == "(":
            yield index, parts[:-1]
        elif before not in ("let", "var", "case") and (
            _is_assigned(words, end) or _is_lent(words, index) or _is_in_tuple(words, index, end)
        ):
            yield index, parts


def _is_lent(words: list[Token], index: int) -> bool:
    """Whether a call may change it: `f(&a.b)`."""
    return index > 1 and words[index - 1].text == "&" and words[index - 2].text in "(,:"


def _is_in_tuple(words: list[Token], first: int, end: int) -> bool:
    """Whether `(a.b, c.d) = ...` sets this one."""
    while first and (words[first - 1].text in ",." or _NAME.match(words[first - 1].text)):
        first -= 1
    opened = first and words[first - 1].text == "(" and (first < 2 or not _NAME.match(words[first - 2].text))
    while end < len(words) and (words[end].text in ",." or _NAME.match(words[end].text)):
        end += 1
    return bool(opened) and end + 1 < len(words) and words[end].text == ")" and _is_assigned(words, end + 1)


def _function(source: SourceFile, line: int) -> Declaration | None:
    inner = None
    for declared in source.declarations:
        if declared.is_callable and declared.first <= line <= declared.last:
            inner = declared
    return inner


def _is_own_variable(source: SourceFile, owner: int) -> bool:
    """Whether it is a variable of the function around, or of a type of this file."""
    words, name = source.tokens, source.tokens[owner].text
    if any(d.kind == "var" and d.name == name and not d.is_computed for d in source.declarations):
        return True
    around = _function(source, words[owner].line)
    first = around.first if around else 1
    for index in range(owner - 1, 0, -1):
        if words[index].line < first:
            break
        if words[index].text == name:
            before = index - 1
            while before > 0 and (words[before].text in "(," or words[before - 1].text in "(,"):
                before -= 1
            if words[before].text == "var":
                return True
    return False


def set_elsewhere(tree: Tree, _rules: Rules) -> Iterator[Finding]:
    """The stored properties that another file sets than that of their type."""
    properties = _properties(tree)
    known: dict[str, str] = {}
    for target in _ours(tree):
        for source in tree.of(target):
            annotate(source.tokens, known)
    seen = set()
    for target in _ours(tree):
        for source in tree.of(target):
            local: dict[str, str] = {}
            annotate(source.tokens, local)
            for place in _sets(source, target, properties, local, known):
                if place not in seen:
                    seen.add(place)
                    one, line = place
                    key = f"{one.target}: {one.type}.{one.name}"
                    text = f"{one.type}.{one.name} is set in {source.path}:{line}, which is not its type's file"
                    yield Finding("property", key, text, target=one.target)


def _sets(
    source: SourceFile, target: Target, properties: dict[str, list[Property]], local: dict[str, str], known: dict[str, str]
) -> Iterator[tuple[Property, int]]:
    words = source.tokens
    extended = [declared for declared in source.declarations if declared.kind == "extension"]
    bound = {word.text for before, word in pairwise(words) if before.text in ("let", "var")}
    for owner, parts in _chains(words):
        name, line = words[owner].text, words[owner].line
        type, held = "", False
        for part in [owner, *parts]:
            found = _visible(properties, words[part].text, target)
            if part == owner or (part == parts[0] and name == "self"):
                # A property of an extended type, by its bare name or behind `self`.
                own = {declared.base for declared in extended if declared.first <= line <= declared.last}
                found = [one for one in found if one.type in own and name not in local]
                held = _is_own_variable(source, part)
            elif type:
                found = [one for one in found if one.type == type]
            else:
                found = [one for one in found if one.target == target.name] or found
                found = found if len({one.type for one in found}) == 1 else []
            for one in found:
                held = held and (part == owner or not one.in_class)
                if source.path not in one.files and not held:
                    yield one, line
            type = known.get(words[part].text, "")
            if part == owner:
                type = local.get(name, "" if name == "self" or name in bound else type)
            held = held or (part != owner and _is_own_variable(source, part))


def _visible(properties: dict[str, list[Property]], name: str, target: Target) -> list[Property]:
    """The properties of a name that a target sees: its own, and those of the targets it imports."""
    return [one for one in properties.get(name, []) if one.target in {target.name, *target.dependencies}]
