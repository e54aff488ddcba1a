"""Text of others, made safe to show.

uafctl has cleaned its texts already, and no widget here reads markup. This is for a program that is not what it should be.
"""

import unicodedata

# An ending with its next step has far less. More would push the buttons out of the window, and cost the toolkit seconds.
LIMIT = 2000
LINE_LIMIT = 24
# Accents that may follow one character: more of them are drawn over the lines above and below.
_MARKS = 4
_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
# Fillers of Hangul and others that have a letter's category and no ink.
_BLANK = {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0, *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)}


def _is_hidden(character: str) -> bool:
    return unicodedata.category(character) in _HIDDEN or ord(character) in _BLANK


def shown(text: str, limit: int = LIMIT, lines: int = LINE_LIMIT) -> str:
    """The text with `[U+202E]` in place of each character that is invisible or moves others.

    At most `limit` characters and `lines` lines; an ellipsis says that there was more.
    """
    kept: list[str] = []
    count, breaks, marks = 0, 0, 0
    for character in text.strip():
        if character == "\n":
            breaks += 1
            piece = "\n"
        elif _is_hidden(character):
            piece = f"[U+{ord(character):04X}]"
        else:
            piece = character
        marks = marks + 1 if unicodedata.combining(character) else 0
        if marks > _MARKS:
            continue
        count += len(piece)
        if count > limit or breaks >= lines:
            return "".join(kept).rstrip() + "…"
        kept.append(piece)
    return "".join(kept)


def line(text: str, limit: int = 200) -> str:
    """The same as one line."""
    return shown(" ".join(text.split()), limit)
