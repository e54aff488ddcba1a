#!/usr/bin/env python3
"""Checks the manuals of programs against their own help: both must name the same subcommands with their operands, and the same
options. `scripts/check.sh` calls it with the programs of build/stage; a test compares the keys of the configuration and the
arguments of the module with the readers' own lists."""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def help_of(program, words):
    return subprocess.run([program, *words, "--help"], capture_output=True, text=True, check=True).stdout


def spoken(program, words=()):
    """The subcommands, as phrases, and the options that the program's help names, from `words` downwards."""
    text = help_of(program, words)
    listed = text.partition("\nSUBCOMMANDS:\n")[2].partition("\n\n")[0]
    phrases, options = set(), set(re.findall(r"^  (?:-h, )?--([a-z-]+)", text, re.M))
    for name in re.findall(r"^  ([a-z-]+)", listed, re.M):
        below, more = spoken(program, (*words, name))
        phrases |= below
        options |= more
    if not listed:
        usage = text.partition("USAGE: ")[2].partition("\n\n")[0]
        phrases.add(phrase(words, re.findall(r"<([a-z]+)>", re.sub(r"--[a-z-]+ <[a-z]+>|<options>", "", usage))))
    # A program without subcommands has a phrase without words.
    return phrases - {""}, options


def phrase(words, operands):
    """A subcommand with its operands; optional ones look like the others."""
    return " ".join((*words, *(f"<{operand}>" for operand in operands)))


def written(page):
    """The subcommands and options that a manual names: phrases are the `Ic` and `Ar` of its items, options every `Fl -`."""
    text = (ROOT / "man" / page).read_text(encoding="utf-8")
    phrases = set()
    for line in re.findall(r"^\.It (Ic .*)$", text, re.M):
        operands = re.findall(r"\bAr ([a-z]+)", re.sub(r"Fl -[a-z-]+ Ar [a-z]+|Ar options?\b", "", line))
        phrases.add(phrase(re.findall(r"\bIc ([a-z-]+)", line), operands))
    return phrases, set(re.findall(r"\bFl -([a-z][a-z-]+)", text)) | set(re.findall(r"Fl h , Fl -(help)", text))


def main(folder):
    broken = 0
    for page in ("uafctl.1", "uafctl-gui.1", "uaf-server.8"):
        program = pathlib.Path(folder, page.rpartition(".")[0])
        if not program.is_file():
            print(f"check: {program} is not there: run 'make build' first")
            broken += 1
            continue
        for kind, (has, says) in zip(("subcommand", "option"), zip(spoken(str(program)), written(page))):
            for name in sorted(has - says):
                print(f"check: man/{page} does not have the {kind} {name}")
            for name in sorted(says - has):
                print(f"check: man/{page} has a {kind} {name} that the program does not have")
            broken += len(has ^ says)
    return 1 if broken else 0


sys.exit(main(sys.argv[1]))
