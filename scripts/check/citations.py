"""Comments that cite something that a reader cannot find: documents that are not here, sections of no named specification."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator

from configuration import Rules
from lexer import Comment
from tree import Finding, SourceFile, Tree

_DOCUMENT = re.compile(r"\b[\w-]+\.md\b")
_FEATURES = re.compile(r"\bfeatures? (\d+(?:\.\d+)*)\b")
_SECTION = re.compile(r"\b[Ss]ections? (\d+(?:\.\d+)*)\b")
_ROW = re.compile(r"(?<![\w+-])A\d{1,3}(?![\w+-])")
_SHELL = re.compile(r"^\s*#(?!!)(.*)$")


def _python(source: SourceFile) -> Iterator[Comment]:
    for token in tokenize.generate_tokens(io.StringIO(source.text).readline):
        if token.type == tokenize.COMMENT:
            yield Comment(token.start[0], token.string)
    for node in ast.walk(ast.parse(source.text)):
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef) and (text := ast.get_docstring(node)):
            yield Comment(node.body[0].lineno, text)


def comments(source: SourceFile) -> Iterator[Comment]:
    """The comments of a file; comments on consecutive lines count as one."""
    if source.is_swift or source.is_c:
        single = source.comments
    elif source.path.endswith(".py"):
        single = sorted(_python(source), key=lambda comment: comment.line)
    else:
        found = ((number, _SHELL.match(line)) for number, line in enumerate(source.lines, 1))
        single = [Comment(number, match.group(1)) for number, match in found if match]
    block: list[Comment] = []
    for comment in single:
        if block and comment.line > block[-1].line + block[-1].text.count("\n") + 1:
            yield Comment(block[0].line, "\n".join(part.text for part in block))
            block = []
        block.append(comment)
    if block:
        yield Comment(block[0].line, "\n".join(part.text for part in block))


def _cited(text: str, rules: Rules, documents: set[str], rows: set[str]) -> Iterator[tuple[int, str, str]]:
    for match in _DOCUMENT.finditer(text):
        if match.group() not in documents:
            yield match.start(), match.group(), "is not a document of this repository"
    for match in _FEATURES.finditer(text):
        yield match.start(), match.group(), "is not a document of this repository"
    for match in _ROW.finditer(text):
        if match.group() not in rows:
            yield match.start(), match.group(), "is not a row of SECURITY.md"
    for match in _SECTION.finditer(text):
        if not rules.specification.search(text):
            yield match.start(), match.group(), "names no specification"


def citations(tree: Tree, rules: Rules) -> Iterator[Finding]:
    """The citations in comments that nobody can look up."""
    documents = {source.name for source in tree.files.values() if source.path.endswith(".md")}
    security = tree.files.get("SECURITY.md")
    rows = set(_ROW.findall(security.text)) if security else set()
    for source in tree.files.values():
        if source.path.endswith(".md") or source.path.startswith("scripts/check/"):
            continue
        for comment in comments(source):
            for offset, cited, why in _cited(comment.text, rules, documents, rows):
                line = comment.line + comment.text.count("\n", 0, offset)
                yield Finding("citation", f"{source.path}: {cited}", f"cites '{cited}', which {why}", line)
