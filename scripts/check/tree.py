"""The project as the check sees it: its files as they are on disk, and the targets of both Package.swift."""

import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path

from declarations import Declaration, Token, declarations, tokens
from lexer import Comment, Lexed, lex

ROOT = Path(__file__).resolve().parents[2]
# The folders of our packages, the client's first: the server's uses products of it that are named as their targets.
_PACKAGES = (".", "Server")
# Files without a suffix of _READ that a check reads.
_NAMED = {"galaxy.yml"}
_READ = {".swift", ".c", ".h", ".cc", ".py", ".sh", ".md", ".awk"}


@dataclass(frozen=True)
class Finding:
    """One broken rule. `place` has no line number, so that it stays the same when lines move."""

    rule: str
    place: str
    text: str
    line: int = 0
    target: str = ""

    @property
    def key(self) -> str:
        """The text by which an exception names the finding."""
        return f"{self.rule} {self.place}"


@dataclass(frozen=True)
class SourceFile:
    """One file, read once."""

    path: str
    text: str

    @property
    def is_swift(self) -> bool:
        return self.path.endswith(".swift")

    @property
    def is_c(self) -> bool:
        return self.path.endswith((".c", ".h", ".cc"))

    @property
    def name(self) -> str:
        return self.path.rsplit("/", 1)[-1]

    @cached_property
    def lines(self) -> list[str]:
        return self.text.splitlines()

    @cached_property
    def lexed(self) -> Lexed:
        return lex(self.text, self.is_c)

    @cached_property
    def comments(self) -> list[Comment]:
        return self.lexed.comments

    @cached_property
    def tokens(self) -> list[Token]:
        return tokens(self.lexed)

    @cached_property
    def declarations(self) -> list[Declaration]:
        return declarations(self.tokens) if self.is_swift else []


@cache
def _file(path: str, text: str) -> SourceFile:
    return SourceFile(path, text)


@dataclass(frozen=True)
class Target:
    """One target of a Package.swift. `products` are the dependencies on products of third-party packages."""

    name: str
    kind: str
    path: str
    dependencies: frozenset[str]
    products: frozenset[str] = frozenset()
    exclude: tuple[str, ...] = ()
    settings: frozenset[str] = frozenset()

    def has(self, path: str) -> bool:
        """Whether a file belongs to it."""
        inside = path.removeprefix(self.path + "/")
        return inside != path and not any(inside == left or inside.startswith(left + "/") for left in self.exclude)


@dataclass
class Tree:
    """All files that are part of the project, and its targets."""

    files: dict[str, SourceFile]
    targets: list[Target]
    _of: dict[str, list[SourceFile]] = field(default_factory=dict)

    def of(self, target: Target) -> list[SourceFile]:
        """The Swift files of a target."""
        if target.name not in self._of:
            self._of[target.name] = [f for f in self.files.values() if f.is_swift and target.has(f.path)]
        return self._of[target.name]

    def below(self, *folders: str) -> list[SourceFile]:
        """The files below some folders of the root."""
        return [f for f in self.files.values() if f.path.startswith(tuple(folder + "/" for folder in folders))]

    def planted(self, path: str, text: str) -> "Tree":
        """The same project with an additional file, or with a different text in an existing one."""
        return Tree(self.files | {path: _file(path, text)}, self.targets)

    def declaring(self, name: str, *dependencies: str, without: str = "") -> "Tree":
        """The same project, in which a target declares other dependencies."""
        return self.changing(name, lambda t: replace(t, dependencies=(t.dependencies | set(dependencies)) - {without}))

    def changing(self, name: str, change: Callable[[Target], Target]) -> "Tree":
        """The same project, in which one target is replaced."""
        return Tree(self.files, [change(target) if target.name == name else target for target in self.targets])


def _settings(described: dict[str, object]) -> frozenset[str]:
    """How the compiler is set for a target, such as `swiftLanguageMode 6`."""
    settings = described["settings"]
    assert isinstance(settings, list)
    kinds = [kind for setting in settings if setting["tool"] == "swift" for kind in setting["kind"].items()]
    return frozenset(" ".join([name, *map(str, values.values())]) for name, values in kinds)


def _target(package: str, described: dict[str, object], ours: set[str]) -> Target:
    kind, name = str(described["type"]), str(described["name"])
    inside, outside = set(), set()
    dependencies = described["dependencies"]
    assert isinstance(dependencies, list)
    for dependency in dependencies:
        if "product" in dependency and dependency["product"][3]:
            continue  # only for other systems: see Package.swift, `broughtAlong`
        if "product" in dependency:
            product = str(dependency["product"][0])
            (inside if product in ours else outside).add(product)
        else:
            inside.add(str((dependency.get("byName") or dependency["target"])[0]))
    path = described.get("path") or f"{'Tests' if kind == 'test' else 'Sources'}/{name}"
    exclude = described.get("exclude")
    assert isinstance(exclude, list)
    whole = str(path) if package == "." else f"{package}/{path}"
    return Target(name, kind, whole, frozenset(inside), frozenset(outside), tuple(exclude), _settings(described))


def _dumped(swift: str) -> list[Target]:
    found: list[Target] = []
    for package in _PACKAGES:
        command = [swift, "package", "--package-path", package, "dump-package"]
        described = json.loads(subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)
        ours = {target.name for target in found}
        found += [_target(package, target, ours) for target in described["targets"]]
    return found


def load(swift: str) -> Tree:
    """Reads the project, with files that git does not track yet, and without those that it ignores."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout.split("\0")
    files = {}
    for name in sorted(set(names)):
        path = ROOT / name
        if (path.suffix in _READ | {""} or path.name in _NAMED) and path.is_file() and not path.is_symlink():
            text = path.read_text(encoding="utf-8", errors="replace")
            if path.suffix or text.startswith("#!") or name == "debian/changelog":
                files[name] = _file(name, text)
    return Tree(files, _dumped(swift))
