#!/usr/bin/env python3
"""Has the linters and formatters of each language look at every file of the project.

  lint.py         prints what they find, and fails if there is anything; then shows that each of them still refuses
  lint.py --fix   formats everything

Python: ruff and mypy. C: clang-format. Shell: shellcheck and shfmt. Swift has `swift format`, which check.sh calls.
scripts/deps.sh and linters.sh install them.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
TOOLS = ROOT / "build/python/bin"
_RUFF = ["--config", str(HERE / "ruff.toml"), "--quiet"]
_SHFMT = ["shfmt", "-i", "2", "-ci"]
_MYPY = [str(TOOLS / "mypy"), "--cache-dir", str(ROOT / "build/python/mypy"), "--no-error-summary", "--config-file"]

# Folders whose Python modules import each other by their bare names: mypy must check each separately.
PROGRAMS = [
    "scripts",
    "scripts/check",
    "proofs",
    "Tests/Acceptance",
    "Tests/Fuzz",
    "Server/Tests/EndToEndTests/Programs",
    "Server/Tests/EndToEndTests/Programs/interop",
    "Tests/Servers",
    "gui",
    "Tests/GUI",
]

PLANTED = {
    "ruff check": ("planted.py", "import os\n"),
    "ruff format": ("planted.py", "a = [1,2]\n"),
    "mypy": ("planted.py", 'a: int = "text"\n'),
    "clang-format": ("planted.c", "int  f (void) {return 1;}\n"),
    "shellcheck": ("planted.sh", "#!/bin/bash\nrm $1\n"),
    "shfmt": ("planted.sh", "#!/bin/bash\nif true; then\n      ls\nfi\n"),
}


def _names() -> list[str]:
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    return sorted({name for name in listed.split("\0") if name and (ROOT / name).is_file()})


def _is_shell(name: str) -> bool:
    if name.endswith(".sh"):
        return True
    if "." in Path(name).name and not name.startswith("debian/"):
        return False
    with (ROOT / name).open("rb") as file:
        return file.readline(40).rstrip().endswith((b"/bin/sh", b"/bin/bash"))


def _typed(python: list[str]) -> Iterator[list[str]]:
    """One call of mypy for each folder of programs, with the files right in it or in its packages."""
    for folder in PROGRAMS:
        inside = [name for name in python if name.startswith(folder + "/")]
        packages = {name.rsplit("/", 1)[0] for name in inside if name.endswith("/__init__.py")}
        chosen = [name for name in inside if (parent := name.rsplit("/", 1)[0]) == folder or parent in packages]
        if chosen:
            strict = ["--strict"] if folder == "scripts/check" else []
            yield [*_MYPY, str(HERE / "mypy.ini"), "--scripts-are-modules", *strict, *chosen]


def commands(names: list[str]) -> Iterator[tuple[str, list[str]]]:
    """The tools that check the given files, with their commands."""
    python = [name for name in names if name.endswith(".py")]
    in_c = [name for name in names if name.endswith((".c", ".h", ".cc"))]
    shell = [name for name in names if _is_shell(name)]
    if python:
        yield "ruff check", [str(TOOLS / "ruff"), "check", *_RUFF, "--output-format", "concise", *python]
        yield "ruff format", [str(TOOLS / "ruff"), "format", *_RUFF, "--diff", *python]
    if in_c:
        style = f"--style=file:{ROOT / '.clang-format'}"
        yield "clang-format", [str(TOOLS / "clang-format"), style, "--dry-run", "-Werror", *in_c]
    if shell:
        yield "shellcheck", ["shellcheck", "--external-sources", "--source-path=SCRIPTDIR", "--format=gcc", *shell]
        yield "shfmt", [*_SHFMT, "-d", *shell]


def _mypy_path(command: list[str]) -> dict[str, str]:
    folder = next((folder for folder in reversed(PROGRAMS) if command[-1].startswith(folder + "/")), "")
    return os.environ | {"MYPYPATH": f"{ROOT / folder}:{ROOT / 'Tests/Acceptance'}:{ROOT / 'gui'}"}


def _finds(command: list[str]) -> str:
    """The output of a command if it fails."""
    result = subprocess.run(
        command, cwd=ROOT, check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=_mypy_path(command)
    )
    return result.stdout.strip() or f"{command[0]} ended with {result.returncode}" if result.returncode else ""


def _not_refused() -> Iterator[str]:
    """The tools that let a planted violation pass."""
    with tempfile.TemporaryDirectory() as folder:
        for tool, (name, text) in PLANTED.items():
            path = Path(folder) / name
            path.write_text(text, encoding="utf-8")
            if tool == "mypy":
                found = _finds([*_MYPY, str(HERE / "mypy.ini"), str(path)])
            else:
                found = _finds(dict(commands([str(path)]))[tool])
            if "planted" not in found:
                yield tool


def fix() -> None:
    """Formats everything."""
    names = _names()
    python = [name for name in names if name.endswith(".py")]
    in_c = [name for name in names if name.endswith((".c", ".h", ".cc"))]
    subprocess.run([TOOLS / "ruff", "check", *_RUFF, "--fix", *python], cwd=ROOT, check=False)
    subprocess.run([TOOLS / "ruff", "format", *_RUFF, *python], cwd=ROOT, check=True)
    subprocess.run([TOOLS / "clang-format", "-i", *in_c], cwd=ROOT, check=True)
    subprocess.run([*_SHFMT, "-w", *filter(_is_shell, names)], cwd=ROOT, check=True)


def main() -> int:
    """Checks everything, or formats it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fix", action="store_true")
    if parser.parse_args().fix:
        fix()
        return 0
    names = _names()
    calls = [*commands(names), *(("mypy", call) for call in _typed([name for name in names if name.endswith(".py")]))]
    wrong = [f"{tool}:\n{found}" for tool, command in calls if (found := _finds(command))]
    wrong += [f"{tool} lets pass what it has to refuse" for tool in _not_refused()]
    for text in wrong:
        print(f"check: {text}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
