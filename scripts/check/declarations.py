"""Finds what a Swift file declares: types, extensions, functions and members, with the lines they take.

No compiler: a scan of names, braces and parentheses, which is enough for this project's way of writing and takes
no time.
"""

import re
from dataclasses import dataclass, field

from lexer import Lexed

_TOKEN = re.compile(r"`[^`\n]*`|[A-Za-z_]\w*|\d[\w.]*|[^\s\w]")
_NAME = re.compile(r"`|[A-Za-z_]")
TYPES = frozenset({"class", "struct", "enum", "actor", "protocol"})
# Declarations without a name, and what follows the keyword in a declaration.
_BARE = {"init": "(<?!", "subscript": "(<", "deinit": "{"}
_FUNCTIONS = frozenset({"func", "init", "deinit", "subscript"})


@dataclass(frozen=True)
class Token:
    """A name, a number or one sign."""

    text: str
    line: int


@dataclass
class Declaration:
    """One declaration. `last` is the line of its closing brace, or its first line if it has none."""

    kind: str
    name: str
    first: int
    outer: "Declaration | None"
    is_private: bool
    last: int = 0

    @property
    def base(self) -> str:
        """The first name of `extension Outer.Inner`."""
        return self.name.split(".")[0]

    @property
    def is_callable(self) -> bool:
        """Whether it is a function or a computed property."""
        return self.kind in _FUNCTIONS or self.kind == "var"


@dataclass
class _Scan:
    tokens: list[Token]
    found: list[Declaration] = field(default_factory=list)
    scopes: list[Declaration | None] = field(default_factory=list)
    pending: Declaration | None = None
    parentheses: int = 0
    depths: list[int] = field(default_factory=list)
    assigned: bool = False

    def text(self, index: int) -> str:
        return self.tokens[index].text if 0 <= index < len(self.tokens) else ""

    def outer(self) -> Declaration | None:
        return next((scope for scope in reversed(self.scopes) if scope is not None), None)

    def is_local(self) -> bool:
        return any(scope is None or scope.is_callable for scope in self.scopes)

    def declare(self, index: int, kind: str, name: str) -> None:
        line = self.tokens[index].line
        before = index - 1
        words = []
        while before >= 0 and self.tokens[before].line == line:
            words.append(self.text(before))
            before -= 1
        is_private = "private" in words or "fileprivate" in words
        declaration = Declaration(kind, name, line, self.outer(), is_private, line)
        self.found.append(declaration)
        self.pending = declaration
        self.assigned = False

    def dotted(self, index: int) -> str:
        name = self.text(index)
        while self.text(index + 1) == "." and _NAME.match(self.text(index + 2)):
            index += 2
            name += "." + self.text(index)
        return name

    def word(self, index: int) -> None:
        """Checks whether a declaration begins at this name."""
        text, following = self.text(index), self.text(index + 1)
        if self.text(index - 1) == "." or following == ":" or self.parentheses:
            return
        if text in TYPES and _NAME.match(following) and following not in ("func", "var", "let", "subscript"):
            if text != "actor" or following[0].isupper():
                self.declare(index, text, following)
        elif text in ("extension", "typealias") and _NAME.match(following):
            self.declare(index, text, self.dotted(index + 1))
        elif text == "func":
            self.declare(index, text, following)
        elif text in _BARE and following in _BARE[text] and not self.is_local():
            self.declare(index, text, text)
        elif text in ("var", "let") and _NAME.match(following) and not self.is_local():
            self.declare(index, text, following)
            if text == "let":
                self.pending = None

    def sign(self, index: int) -> None:
        """Opens and closes scopes."""
        token = self.tokens[index]
        if token.text in "([":
            self.parentheses += 1
        elif token.text in ")]":
            self.parentheses -= 1
        elif token.text == "=" and self.parentheses == 0:
            self.assigned = True
        elif token.text == "{":
            opened = self.pending if self.parentheses == 0 else None
            if opened is not None and opened.kind in ("var", "typealias") and self.assigned:
                opened = None
            self.scopes.append(opened)
            self.depths.append(self.parentheses)
            self.parentheses = 0
            if opened is not None:
                self.pending = None
        elif token.text == "}" and self.scopes:
            closed = self.scopes.pop()
            self.parentheses = self.depths.pop()
            if closed is not None:
                closed.last = token.line
            if self.parentheses == 0:
                self.pending = None


def tokens(lexed: Lexed) -> list[Token]:
    """The names and signs of a file's code."""
    found = []
    line, end = 1, 0
    for match in _TOKEN.finditer(lexed.code):
        line += lexed.code.count("\n", end, match.start())
        end = match.start()
        found.append(Token(match.group(), line))
    return found


def declarations(words: list[Token]) -> list[Declaration]:
    """Every declaration of a file, in the order of their first lines. Local variables are left out."""
    scan = _Scan(words)
    for index, token in enumerate(words):
        if _NAME.match(token.text):
            scan.word(index)
        elif not token.text[0].isdigit():
            scan.sign(index)
    return scan.found
