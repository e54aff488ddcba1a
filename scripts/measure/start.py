#!/usr/bin/env python3
"""What the mandatory parts of a login cost on this machine, without our code: a table, as root.

Tests/Bench/start/start.c is built with more and more steps, and each program is started alternately with the others. It prints
the
least wall time from start to end, the least processor time, and the page faults. The last lines are our own programs, started and
ended by `--version`, and a wait for the disk.
"""

import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
STAGE = ROOT / "build/stage/usr/libexec/pam-uaf"
CORE = ["-lsqlite3", "-lcrypto"]
OTHERS = ["-lpcre2-8", "-lunistring", "-lseccomp", "-lpsl", "-lm"]
# name, step, what is linked, and how.
STEPS = (
    ("a process, linked statically", 1, ["-static"]),
    ("the C library", 1, []),
    ("libcrypto, SQLite", 2, CORE),
    ("the core's other libraries", 3, CORE + OTHERS),
    ("OpenSSL's settings and first objects", 4, CORE + OTHERS),
    ("empty network", 5, CORE + OTHERS),
    ("Landlock, filter of system calls", 6, CORE + OTHERS),
    ("start of a process of the C library", 7, CORE + OTHERS),
    ("alone: libcurl with its libraries", 1, ["-lcurl"]),
)
NOWHERE = [(os.POSIX_SPAWN_OPEN, number, "/dev/null", os.O_RDWR, 0) for number in (0, 1, 2)]


def build(folder):
    """name and command of each program."""
    source = ROOT / "Tests/Bench/start/start.c"
    commands = {}
    for number, (name, step, linked) in enumerate(STEPS):
        program = folder / str(number)
        options = ["-D_GNU_SOURCE", "-O2", "-Wall", "-Wextra", "-Werror", f"-DSTEP={step}"]
        subprocess.run(["cc", *options, source, "-Wl,--no-as-needed", *linked, "-o", program], check=True)
        commands[name] = [str(program)] + ([str(folder / "1")] if step == 7 else [])
    for program in ("uaf-helper", "uaf-fetch"):
        commands[f"ours: {program} --version"] = [str(STAGE / program), "--version"]
    return commands


def start(command):
    """Milliseconds from start to end, milliseconds of processor, and page faults of one run."""
    begun = time.perf_counter()
    process = os.posix_spawn(command[0], command, {"PATH": "/usr/bin"}, file_actions=NOWHERE)
    _, status, used = os.wait4(process, 0)
    whole = time.perf_counter() - begun
    if status != 0:
        sys.exit(f"start: {command} ended with {status}")
    return whole * 1000, (used.ru_utime + used.ru_stime) * 1000, used.ru_minflt


def wait_for_disk(folder):
    """Milliseconds of one fdatasync(2) of a page that was written."""
    file = os.open(folder / "page", os.O_CREAT | os.O_WRONLY, 0o600)
    os.pwrite(file, os.urandom(4096), 0)
    begun = time.perf_counter()
    os.fdatasync(file)
    os.close(file)
    return (time.perf_counter() - begun) * 1000


def main():
    rounds = int(os.environ.get("ROUNDS", "200"))
    with tempfile.TemporaryDirectory(prefix="pam-uaf-start.") as name:
        commands = build(pathlib.Path(name))
        samples = {name: [] for name in commands}
        for _ in range(rounds):
            for name in random.sample(list(commands), len(commands)):
                samples[name].append(start(commands[name]))
        disk = min(wait_for_disk(ROOT / "build") for _ in range(rounds))
    print("| with each line one step more | wall | processor | page faults |\n|---|---|---|---|")
    for name, rows in samples.items():
        wall, processor, faults = (min(column) for column in zip(*rows))
        print(f"| {name} | {wall:.2f} | {processor:.2f} | {faults} |")
    print(f"| alone: one wait for the disk | {disk:.2f} | | |")


main()
