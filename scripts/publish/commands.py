"""The programs that a release is made with, and the one error that ends it."""

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Refusal(Exception):
    """Why no release was made, in one line that says what to do."""


def run(*command: str | Path, given: bytes = b"", **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Runs a program in the checkout to its end, whatever its status, and keeps what it says."""
    try:
        return subprocess.run(
            command,
            cwd=ROOT,
            input=given,
            capture_output=True,
            check=False,
            env=os.environ | {"LC_ALL": "C.UTF-8"} | environment,
        )
    except FileNotFoundError as problem:
        raise Refusal(f"{command[0]} is not installed: `make deps` installs what a release needs") from problem


def said(result: subprocess.CompletedProcess[bytes]) -> str:
    """The last line of what a program that failed has said."""
    lines = [line.strip() for line in (result.stderr + result.stdout).decode(errors="replace").splitlines() if line.strip()]
    return lines[-1] if lines else f"status {result.returncode}"


def output(*command: str | Path, given: bytes = b"", **environment: str) -> bytes:
    """The standard output of a program that must succeed."""
    result = run(*command, given=given, **environment)
    if result.returncode != 0:
        raise Refusal(f"{Path(command[0]).name} has failed: {said(result)}")
    return result.stdout


def text(*command: str | Path) -> str:
    """That output, decoded and without the end of its last line."""
    return output(*command).decode().strip()
