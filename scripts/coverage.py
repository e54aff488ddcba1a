#!/usr/bin/env python3
"""Counts how many lines of each reader the seeds of its fuzzer reach: the table of docs/testing.md, "Coverage".

coverage.py [FUZZER ...]     builds the fuzzers with counters, runs them on their seeds, and prints a line for each
coverage.py --write          also writes the table into docs/testing.md; needs all fuzzers
coverage.py --missed FUZZER  prints the lines that the seeds of one fuzzer do not reach
coverage.py --corpus FOLDER  runs on FOLDER/FUZZER in place of the seeds, for example on build/fuzz/corpus after a long run

Ends with 1 if the seeds of a fuzzer reach less than 80 %.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FUZZ = ROOT / "Tests/Fuzz"
BUILD = Path("build/fuzz-coverage")
DOCUMENT = ROOT / "docs/testing.md"
HEAD = "| fuzzer | reader | lines | reached | |"
# What percentage of a reader's lines its seeds should reach.
BOUND = 80
# Where a declaration can begin, in Swift and in C.
_DECLARATION = re.compile(
    r" *(?:@\S+ +)*(?:\w+(?:\(set\))? +)*(?:struct|enum|class|extension|func|var|let|init\??|deinit|subscript|case)\b"
    r"|(?!typedef|return)\w.*\)$"
)
# A line of llvm-cov: its number, how often it was executed, and its text. Without a count it is no code.
_SHOWN = re.compile(r" *(\d+)\| *([\d.]+[kMG]?)\|(.*)$")
# Why the seeds of a fuzzer cannot reach as many: the sentence is in docs/testing.md, too.
REASONS: dict[str, str] = {}


@dataclass(frozen=True)
class Fuzzer:
    """A fuzzer, the program that serves it, and what it reads with: files, only some declarations of them, or all but some."""

    name: str
    program: Path
    reader: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    without: tuple[str, ...] = ()

    def files(self) -> list[str]:
        return sorted({str(path.relative_to(ROOT)) for pattern in self.reader for path in ROOT.glob(pattern)})

    def counted(self) -> set[tuple[str, int]]:
        """The lines that count, each a file and a number. Ends the program if a declaration is not there: it has been renamed."""
        texts = {file: (ROOT / file).read_text(encoding="utf-8").splitlines() for file in self.files()}
        for key in (*self.only, *self.without):
            if not any(declared(key, lines) for lines in texts.values()):
                raise SystemExit(f"coverage: Tests/Fuzz/readers.toml: {self.name}: nothing is declared as '{key}'")
        chosen = set()
        for file, lines in texts.items():
            numbers = {number for key in self.only for number in declared(key, lines)} or set(range(1, len(lines) + 1))
            if self.only and not any(declared(key, lines) for key in self.only):
                numbers = set()
            numbers -= {number for key in self.without for number in declared(key, lines)}
            chosen |= {(file, number) for number in numbers}
        return chosen


@dataclass(frozen=True)
class Line:
    """A line of a reader that a compiler makes code of, and whether that was executed."""

    file: str
    number: int
    text: str
    is_reached: bool


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())


def declared(key: str, lines: list[str]) -> set[int]:
    """The numbers of the lines of all declarations whose first line has this text as whole words.

    Our formatters indent evenly: a declaration of several lines ends at the next brace that is indented like its beginning.
    """
    found: set[int] = set()
    words = re.compile(r"(?<![\w.])" + re.escape(key) + r"(?!\w)")
    for first, line in enumerate(lines):
        if not _DECLARATION.match(line) or not words.search(line):
            continue
        last = first
        if line.rstrip().endswith(("{", "(", ")", ",")):
            ends = (at for at in range(first + 1, len(lines)) if lines[at].startswith(" " * _indentation(line) + "}"))
            last = next(ends, first)
        found |= set(range(first + 1, last + 2))
    return found


def _make(*goals: str) -> str:
    command = ["make", "-s", "-f", "Tests/Fuzz/Makefile", f"BUILD={BUILD}", "SANITIZER=coverage", *goals]
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def fuzzers() -> list[Fuzzer]:
    """All fuzzers, in the order of the Makefile's list."""
    readers = tomllib.loads((FUZZ / "readers.toml").read_text(encoding="utf-8"))
    found = []
    for line in _make("fuzzers").splitlines():
        name, program, _ = line.split()
        reader = readers.get(name, {})
        parts = (tuple(reader.get(key, ())) for key in ("files", "only", "without"))
        found.append(Fuzzer(name, ROOT / program, *parts))
    return found


def _tool(name: str) -> str:
    """A tool of the toolchain that has made the programs: the format of the counters belongs to its version."""
    compiler = shutil.which(os.environ.get("SWIFTC", "swiftc"))
    return str(Path(compiler).resolve().parent / name) if compiler else name


def _profile(fuzzer: Fuzzer, corpus: Path, folder: Path) -> Path:
    """Runs a fuzzer on the inputs of a folder; returns what its counters say."""
    raw, profile = folder / f"{fuzzer.name}.raw", folder / f"{fuzzer.name}.profile"
    state = folder / f"{fuzzer.name}.state"
    state.mkdir()
    told = {"FUZZ_TARGET": fuzzer.name, "FUZZ_FOLDER": str(state), "LLVM_PROFILE_FILE": str(raw), "SWIFT_BACKTRACE": "enable=no"}
    inputs = corpus / fuzzer.name
    inputs.mkdir(parents=True, exist_ok=True)
    command = [str(fuzzer.program), "-runs=0", "-max_len=8192", f"-artifact_prefix={folder}/", str(inputs)]
    done = subprocess.run(
        command, check=False, env=os.environ | told, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    )
    if done.returncode != 0 or not raw.exists():
        raise SystemExit(f"coverage: {fuzzer.name} fails on an input of {inputs}:\n{done.stdout[-2000:]}")
    subprocess.run([_tool("llvm-profdata"), "merge", "-sparse", str(raw), "-o", str(profile)], check=True)
    return profile


def reached(fuzzer: Fuzzer, corpus: Path, folder: Path) -> list[Line]:
    """The lines of a reader, after its fuzzer has run on the inputs of a folder."""
    files, counted = fuzzer.files(), fuzzer.counted()
    if not files:
        raise SystemExit(f"coverage: Tests/Fuzz/readers.toml does not say what {fuzzer.name} reads with")
    command = [_tool("llvm-cov"), "show", "-show-instantiations=false", f"-instr-profile={_profile(fuzzer, corpus, folder)}"]
    command += [str(fuzzer.program), *files]
    said = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    file, lines = files[0], []
    for line in said.splitlines():
        if line.startswith(f"{ROOT}/") and line.endswith(":"):
            file = line[len(f"{ROOT}/") : -1]
        elif match := _SHOWN.match(line):
            number, times, text = match.groups()
            if (file, int(number)) in counted:
                lines.append(Line(file, int(number), text, times != "0"))
    return lines


def _percent(lines: list[Line]) -> int:
    """Rounded down, so that 80 means 80."""
    return 100 * sum(line.is_reached for line in lines) // len(lines) if lines else 0


def _row(fuzzer: Fuzzer, lines: list[Line]) -> str:
    names = ", ".join(f"`{Path(pattern).parent.name}/{Path(pattern).name}`" for pattern in fuzzer.reader)
    return f"| `{fuzzer.name}` | {names} | {len(lines)} | {sum(line.is_reached for line in lines)} | {_percent(lines)} % |"


def write(rows: list[str]) -> None:
    """Puts the rows in the place of those of the table."""
    lines = DOCUMENT.read_text(encoding="utf-8").splitlines()
    first = lines.index(HEAD) + 2
    last = next((number for number in range(first, len(lines)) if not lines[number].startswith("|")), len(lines))
    DOCUMENT.write_text("\n".join(lines[:first] + rows + lines[last:]) + "\n", encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="FUZZER")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--missed", metavar="FUZZER")
    parser.add_argument("--corpus", type=Path, default=FUZZ / "seeds")
    told = parser.parse_args()
    known = fuzzers()
    wanted = [told.missed] if told.missed else told.names
    for name in wanted:
        if name not in {fuzzer.name for fuzzer in known}:
            parser.error(f"there is no fuzzer {name}")
    if told.write and wanted:
        parser.error("--write needs all fuzzers")
    _make("-j", "2")
    chosen = [fuzzer for fuzzer in known if not wanted or fuzzer.name in wanted]
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as temporary:
        folder = Path(temporary)
        if told.missed:
            for line in reached(chosen[0], told.corpus, folder):
                if not line.is_reached:
                    print(f"{line.file}:{line.number}: {line.text}")
            return 0
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            all_lines = list(pool.map(lambda fuzzer: reached(fuzzer, told.corpus, folder), chosen))
    low = []
    for fuzzer, lines in zip(chosen, all_lines):
        print(f"coverage: {fuzzer.name}: {sum(line.is_reached for line in lines)} of {len(lines)} lines, {_percent(lines)} %")
        if _percent(lines) < BOUND:
            low.append(fuzzer.name)
    if told.write:
        write([_row(fuzzer, lines) for fuzzer, lines in zip(chosen, all_lines)])
    if low:
        print(f"coverage: below {BOUND} %: {' '.join(low)}", file=sys.stderr)
    return 1 if low else 0


if __name__ == "__main__":
    sys.exit(main())
