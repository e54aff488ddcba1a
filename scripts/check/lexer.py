"""Divides Swift and C into code and comments, with every character where it was.

In the code, comments and the contents of strings are blank, so that every name left is a name in code. The interpolations in a
Swift string
are code. Raw strings, strings over several lines and names in backticks are known; regex literals are not.
"""

import bisect
import re
from dataclasses import dataclass

_OUTSIDE = re.compile(r'//|/\*|#*"(?:"")?|`[^`\n]*`')
_INTERPOLATED = re.compile(r'//|/\*|#*"(?:"")?|`[^`\n]*`|[()]')
_C_OUTSIDE = re.compile(r"//|/\*|\"|'(?:\\.|[^'\\\n])+'")
_VISIBLE = re.compile(r"[^\n]")


@dataclass(frozen=True)
class Comment:
    """One comment: a line of `//`, or all of `/* */`."""

    line: int
    text: str


@dataclass(frozen=True)
class Lexed:
    """A file's code, with blanks for everything else, and its comments."""

    code: str
    comments: list[Comment]
    line_starts: list[int]

    def line_at(self, offset: int) -> int:
        """The line of an offset, counted from 1."""
        return bisect.bisect_right(self.line_starts, offset)


def _blank(text: str) -> str:
    return _VISIBLE.sub(" ", text)


class _Lexer:
    def __init__(self, text: str, is_c: bool) -> None:
        self.text = text
        self.is_c = is_c
        self.out: list[str] = []
        self.comments: list[Comment] = []
        self.line_starts = [0] + [match.end() for match in re.finditer("\n", text)]

    def keep(self, start: int, end: int) -> None:
        self.out.append(self.text[start:end])

    def drop(self, start: int, end: int) -> None:
        self.out.append(_blank(self.text[start:end]))

    def comment(self, start: int) -> int:
        """Reads the comment that begins here, and returns its end."""
        if self.text.startswith("//", start):
            end = self.text.find("\n", start)
            end = len(self.text) if end < 0 else end
        else:
            end, depth = start + 2, 1
            while depth and end < len(self.text):
                match = re.compile(r"\*/" if self.is_c else r"/\*|\*/").search(self.text, end)
                if match is None:
                    end = len(self.text)
                    break
                end = match.end()
                depth += 1 if match.group() == "/*" else -1
        line = bisect.bisect_right(self.line_starts, start)
        self.comments.append(Comment(line, self.text[start:end]))
        self.drop(start, end)
        return end

    def string(self, start: int, opening: str) -> int:
        """Reads the string that begins here, and returns its end."""
        hashes = opening.count("#")
        quotes = opening.strip("#")
        stop = re.compile(re.escape(quotes + "#" * hashes) + r"|\\" + "#" * hashes + r"(\()?" + r"|\n")
        self.keep(start, start + len(opening))
        here = start + len(opening)
        while True:
            match = stop.search(self.text, here)
            if match is None:
                self.drop(here, len(self.text))
                return len(self.text)
            if match.group() == "\n":
                self.drop(here, match.end())
                here = match.end()
                if len(quotes) == 1 and not self.is_c:
                    return here
            elif match.group().startswith("\\"):
                if match.group(1) and not self.is_c:
                    self.drop(here, match.end() - 1)
                    here = self.outside(match.end() - 1, _INTERPOLATED)
                else:
                    self.drop(here, match.end() + 1)
                    here = match.end() + 1
            else:
                self.drop(here, match.start())
                self.keep(match.start(), match.end())
                return match.end()

    def outside(self, start: int, marks: re.Pattern[str]) -> int:
        """Reads code, until the end or until the parenthesis that begins here is closed."""
        here, depth = start, 0
        while (match := marks.search(self.text, here)) is not None:
            self.keep(here, match.start())
            mark = match.group()
            here = match.end()
            if mark in ("//", "/*"):
                here = self.comment(match.start())
            elif mark.endswith('"'):
                if mark.strip("#") == '""':
                    self.keep(match.start(), here)
                else:
                    here = self.string(match.start(), mark)
            else:
                self.keep(match.start(), here) if mark[0] != "'" else self.drop(match.start(), here)
                depth += (mark == "(") - (mark == ")")
                if mark == ")" and depth == 0:
                    return here
        self.keep(here, len(self.text))
        return len(self.text)


def lex(text: str, is_c: bool = False) -> Lexed:
    """Divides a file's text. In C, comments do not nest and strings interpolate nothing."""
    lexer = _Lexer(text, is_c)
    lexer.outside(0, _C_OUTSIDE if is_c else _OUTSIDE)
    return Lexed("".join(lexer.out), lexer.comments, lexer.line_starts)
