#!/usr/bin/env python3
"""Draws what a person sees of a login by sudo: docs/login.svg, from the recorded session in Tests/Transcripts.

scripts/picture.py            writes the picture
scripts/picture.py --check    ends with 1 if the picture is not what the recorded session shows today
"""

import html
import pathlib
import sys

CHECKOUT = pathlib.Path(__file__).resolve().parent.parent
SESSION = CHECKOUT / "Tests/Transcripts/sudo-wrong.en.txt"
PICTURE = CHECKOUT / "docs/login.svg"

PERSON, COMMAND, OUTPUT = "mina", "sudo id", "uid=0(root) gid=0(root) groups=0(root)"
CURSOR = "\N{FULL BLOCK}"
# Pixels: the advance of a character at 14 px in the usual monospaced fonts, the height of a line, and the edge.
ADVANCE, LINE, EDGE, BAR = 8.5, 22, 18, 30
COLUMNS = 62
DARK, LIGHT, DIM, GREEN, RED = "#1d2433", "#e6e9f0", "#98a2b8", "#8fd694", "#ff9d91"


def rows():
    """Each line of the screen: its pieces, each with a colour."""
    yield [(f"{PERSON}@ws1:~$ ", GREEN), (COMMAND, LIGHT)]
    for line in SESSION.read_text().splitlines():
        shown = line.replace("PERSON", PERSON)
        if shown == "let-in":
            yield [(OUTPUT, LIGHT)]
        elif shown.endswith("]") and "[" in shown:
            # What is typed is not shown.
            yield [(shown[: shown.rindex("[")], LIGHT)]
        else:
            yield [(shown, RED if shown.startswith("Wrong") else DIM)]
    yield [(f"{PERSON}@ws1:~$ ", GREEN), (CURSOR, LIGHT)]


def picture():
    lines = list(rows())
    longest = max(sum(len(text) for text, _ in line) for line in lines)
    if longest > COLUMNS:
        raise ValueError(f"{SESSION.name} has a line of {longest} characters, and the picture has room for {COLUMNS}")
    width, height = round(COLUMNS * ADVANCE + 2 * EDGE), BAR + len(lines) * LINE + EDGE
    yield f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img">'
    yield "<title>sudo asks for the passcode: a wrong one is counted, the right one lets in</title>"
    yield f'<rect width="{width}" height="{height}" rx="8" fill="{DARK}"/>'
    for number, colour in enumerate((RED, "#f2cd75", GREEN)):
        yield f'<circle cx="{EDGE + 4 + number * 18}" cy="17" r="5" fill="{colour}"/>'
    yield '<g font-family="ui-monospace, Menlo, Consolas, \'DejaVu Sans Mono\', monospace" font-size="14" xml:space="preserve">'
    for number, line in enumerate(lines):
        spans = "".join(f'<tspan fill="{colour}">{html.escape(text)}</tspan>' for text, colour in line)
        yield f'<text x="{EDGE}" y="{BAR + 16 + number * LINE}">{spans}</text>'
    yield "</g>"
    yield "</svg>"


def main():
    drawn = "\n".join(picture()) + "\n"
    if sys.argv[1:] != ["--check"]:
        PICTURE.write_text(drawn)
    elif not PICTURE.is_file() or PICTURE.read_text() != drawn:
        print(f"check: {PICTURE.relative_to(CHECKOUT)} does not show {SESSION.name}: run scripts/picture.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
