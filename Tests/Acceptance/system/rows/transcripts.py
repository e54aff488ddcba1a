"""Finds stored transcripts that no row has compared in this run."""

import os
import pathlib
import sys

from lab.table import Skip, must, row
from system import transcripts

HOSTS = ("/usr/bin/sudo", "/usr/sbin/sshd", "/usr/bin/login", "/usr/bin/su")


@row(
    "transcripts",
    "each transcript in Tests/Transcripts",
    "a host has shown each in this run; no transcript of a release equals the shared one of the same name",
)
def none_is_left(lab):
    if os.environ.get("GOLDEN") == "write":
        return f"{len(transcripts.compared)} kept, in place of all there were"
    needless = ", ".join(f"{path.parent.name}/{path.stem}" for path in transcripts.needless())
    must(not needless, f"the same as the shared one: {needless}")
    if len(sys.argv) > 1 or not all(map(pathlib.Path.exists, map(pathlib.Path, HOSTS))):
        raise Skip("only after all the other rows, with every host there")
    there = [*transcripts.FOLDER.glob("*.txt"), *transcripts.own_folder().glob("*.txt")]
    left = sorted({path.stem for path in there} - transcripts.compared)
    must(not left, f"shown by no host: {', '.join(left)}")
    return f"{len(transcripts.compared)} compared"
