"""Who imports what: the declared dependencies against the imports, and everything that a program contains."""

from collections.abc import Iterator

from configuration import Rules
from tree import Finding, SourceFile, Target, Tree

_KINDS = frozenset({"struct", "class", "enum", "protocol", "func", "var", "let", "typealias", "actor"})


def imported(source: SourceFile) -> Iterator[tuple[str, int]]:
    """The modules that a file imports, with lines."""
    words = source.tokens
    for index, token in enumerate(words[:-1]):
        if token.text != "import" or (index and words[index - 1].text == "."):
            continue
        following = words[index + 1]
        if following.text in _KINDS and index + 2 < len(words) and words[index + 2].line == token.line:
            following = words[index + 2]
        if following.line == token.line:
            yield following.text, token.line


def undeclared(tree: Tree, rules: Rules) -> Iterator[Finding]:
    """An import that Package.swift does not declare, and a declared dependency that nobody imports."""
    for target in tree.targets:
        if target.kind == "system":
            continue
        declared = target.dependencies | target.products
        seen = set()
        for source in tree.of(target):
            for module, line in imported(source):
                seen.add(module)
                if module not in declared and module not in rules.toolchain and module != target.name:
                    text = f"imports {module}, which Package.swift does not declare for {target.name}"
                    yield Finding("import", f"{source.path}: {module}", text, line, target.name)
        for module in sorted(declared - seen):
            text = f"{target.name} declares {module} as a dependency, and no file imports it"
            yield Finding("dependency", f"{target.name}: {module}", text, target=target.name)


def zones(tree: Tree, rules: Rules) -> Iterator[Finding]:
    """A target outside the folders of rules.toml, or one that uses a target from a folder that its own folder may not use."""
    folders = {target.name: target.path.rpartition("/")[0] for target in tree.targets}
    for target in tree.targets:
        zone = folders[target.name]
        if target.path.startswith(("Tests/", "Server/Tests/")):
            continue
        if zone not in rules.zones:
            yield Finding("zone", target.name, f"{target.path} is in no folder that rules.toml names", target=target.name)
            continue
        for other in sorted(target.dependencies):
            if folders[other] not in rules.zones[zone]:
                text = f"{target.name} uses {other} of {folders[other]}, which {zone} may not use"
                yield Finding("zone", f"{target.name}: {other}", text, target=target.name)


def packages(tree: Tree, rules: Rules) -> Iterator[Finding]:
    """A target of the client's package that uses a third-party package which rules.toml does not allow the client."""
    for target in tree.targets:
        if target.path.startswith("Server/"):
            continue
        for product in sorted(target.products - rules.client):
            text = f"{target.name} uses {product}, which the client's package would have to resolve"
            yield Finding("package", f"{target.name}: {product}", text, target=target.name)


def settings(tree: Tree, rules: Rules) -> Iterator[Finding]:
    """A target with Swift files whose compiler settings are not those of the other targets."""
    for target in tree.targets:
        if not any(source.is_swift for source in tree.of(target)):
            continue
        for setting in sorted(rules.settings - target.settings):
            text = f"{target.name} is not compiled with {setting}"
            yield Finding("setting", f"{target.name}: {setting}", text, target=target.name)


def _contained(tree: Tree, start: str) -> dict[str, str]:
    """Everything a target depends on, directly or not, each with the target that brings it in."""
    by_name = {target.name: target for target in tree.targets}
    found: dict[str, str] = {}
    waiting = [start]
    while waiting:
        target = by_name.get(waiting.pop())
        if target is None:
            continue
        modules = set(target.dependencies | target.products)
        modules.update(module for source in tree.of(target) for module, _ in imported(source))
        for module in sorted(modules - found.keys() - {start}):
            found[module] = target.name
            waiting.append(module)
    return found


def forbidden(tree: Tree, rules: Rules) -> Iterator[Finding]:
    """The modules in programs that must not contain them."""
    for program, (why, never) in rules.closures.items():
        contained = _contained(tree, program)
        for module in sorted(never & contained.keys()):
            text = f"{program} contains {module} by way of {contained[module]}: {why}"
            yield Finding("closure", f"{program}: {module}", text, target=program)


def _is_own(source: SourceFile, name: str) -> bool:
    return any(declared.kind == "func" and declared.name == name for declared in source.declarations)


def sockets(tree: Tree, rules: Rules) -> Iterator[Finding]:
    """A call of socket or connect outside the files that may contain it."""
    for source in tree.below("Sources", "Server/Sources", "cshim"):
        if source.name in rules.sockets or not (source.is_swift or source.is_c):
            continue
        words = source.tokens
        for index, token in enumerate(words[:-1]):
            if token.text not in ("socket", "connect") or words[index + 1].text != "(":
                continue
            before = words[index - 1].text if index else ""
            is_member = before == "." and words[index - 2].text != "Glibc"
            if before == "func" or is_member or (before != "." and _is_own(source, token.text)):
                continue
            text = f"calls {token.text}(), and is not among the files named for it in rules.toml"
            yield Finding("socket", source.path, text, token.line)


def stale_sockets(tree: Tree, rules: Rules) -> Iterator[Finding]:
    """A file that rules.toml lists for sockets, but that uses none."""
    present = {
        source.name
        for source in tree.below("Sources", "Server/Sources", "cshim")
        if any(token.text in ("socket", "connect") for token in source.tokens)
    }
    for name in sorted(rules.sockets - present):
        yield Finding("socket", f"rules.toml: {name}", f"rules.toml names {name} for sockets, and it has none")


def target_of(tree: Tree, source: SourceFile) -> Target | None:
    """The target that a file belongs to."""
    return next((target for target in tree.targets if target.has(source.path)), None)
