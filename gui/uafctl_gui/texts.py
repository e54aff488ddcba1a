"""Every text of the window itself, in two tables with the same identifiers and arguments; uafctl's own texts come from uafctl.

`Tests/GUI/test_texts.py` compares the tables.
"""

from collections.abc import Callable

from uafctl_gui import countdown, english, korean

LANGUAGES = {"en": english.TEXTS, "ko": korean.TEXTS}
# Finds a text by its identifier, and puts the arguments into it.
Say = Callable[..., str]


def language(variables: dict[str, str]) -> str:
    """Korean if the locale is Korean, and English otherwise, as uafctl chooses."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := variables.get(name, ""):
            return "ko" if value.split("_")[0].split(".")[0] == "ko" else "en"
    return "en"


def speaker(language: str) -> Say:
    """The texts of a language."""
    table = LANGUAGES[language]

    def say(identifier: str, **arguments: object) -> str:
        return table[identifier].format(**arguments)

    return say


def duration(seconds: int, say: Say) -> str:
    """A time that counts down, in words: the two largest units."""
    hours, minutes, rest = countdown.parts(seconds)
    if hours:
        return say("hours", hours=hours, minutes=minutes)
    if minutes:
        return say("minutes", minutes=minutes, seconds=rest)
    return say("seconds", seconds=rest)
