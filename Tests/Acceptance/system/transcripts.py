"""What hosts show, word for word: kept in Tests/Transcripts, and compared in each run.

A folder there with the name of a release contains that release's differing transcripts.
"""

import difflib
import os
import pathlib
import re
import socket

from lab import release
from lab.machine import ROOT
from lab.table import must

WORDS = ("PERSON", "PASSCODE", "PASSWORD"), ("OTHER", "OTHERS-PASSCODE", "OTHERS-PASSWORD")
FOLDER = ROOT / "Tests/Transcripts"

# The transcripts that were compared or written in this run.
compared = set()


def normalised(text, *people):
    """Replaces what differs between two runs, and nothing else.

    The first person's name, passcode and password become PERSON, PASSCODE and PASSWORD; those of a second person OTHER,
    OTHERS-PASSCODE and OTHERS-PASSWORD. This machine's name becomes HOST, and the duration of a lock TIME. After "Last login",
    the rest of the line is replaced. Spaces at the end of a line are left out.
    """
    for person, words in zip(people, WORDS):
        for value, word in zip((person.name, person.passcode, person.password), words):
            text = re.sub(rf"\b{re.escape(value)}\b", word, text)
    text = re.sub(rf"\b{re.escape(socket.gethostname())}\b", "HOST", text)
    text = re.sub(r"\b\d+ (seconds?|minutes?)", "TIME", text)
    text = re.sub(r"\d+(초|분)", "TIME", text)
    text = re.sub(r"(?m)^Last login: .*$", "Last login: TIME", text)
    return "".join(line.rstrip() + "\n" for line in text.splitlines())


def own_folder():
    """The folder of this release's differing transcripts; it may not exist."""
    return FOLDER / release.name() if release.name() != release.REFERENCE else FOLDER


def kept(name):
    """The file of a transcript for this release."""
    own = own_folder() / f"{name}.txt"
    return own if own.exists() else FOLDER / f"{name}.txt"


def needless():
    """The transcripts of releases that equal the shared ones."""
    return [path for path in FOLDER.glob("*/*.txt") if _reads(FOLDER / path.name) == _reads(path)]


def _reads(path):
    return path.read_text(encoding="utf-8") if path.exists() else None


def check(name, session, *people):
    """Compares a session's output with the stored transcript. With GOLDEN=write, stores the output instead."""
    compared.add(name)
    shown = normalised(session.transcript, *people)
    if os.environ.get("GOLDEN") == "write":
        folder = pathlib.Path(os.environ["LAB_RESULTS"], "transcripts")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.txt").write_text(shown, encoding="utf-8")
        return
    path = kept(name)
    must(path.exists(), f"Tests/Transcripts has no {name}.txt; GOLDEN=write scripts/system.sh keeps this:\n{shown}")
    before = path.read_text(encoding="utf-8")
    difference = difflib.unified_diff(
        before.splitlines(), shown.splitlines(), str(path.relative_to(ROOT)), "shown now", lineterm=""
    )
    must(before == shown, "the host shows something else:\n" + "\n".join(difference))
