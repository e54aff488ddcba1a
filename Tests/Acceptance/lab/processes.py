"""The running core and network program, as /proc shows them."""

import contextlib
import os
import pathlib
import threading
import time

NAMES = ("uaf-helper", "uaf-fetch", "uaf-finger", "uaf-chip", "uaf-name")


def running(*names):
    """The IDs of the processes that run programs of these names; an ended process runs none, though it may be listed."""
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if os.path.basename(os.readlink(process / "exe")) in names:
                found.append(int(process.name))
    return sorted(found)


def listens(process):
    """Whether a process is the one that accepts the connections to the core's socket."""
    return "--listen" in _arguments(process)


def waits(process):
    """Whether a process is a core that is kept ready for the next call, or its network program. Without a call, it has not
    installed its own filter yet."""
    core = process if "--ready" in _arguments(process) else int(status(process, "PPid") or 0)
    listener = int(status(core, "PPid") or 0)
    return "--ready" in _arguments(core) and status(process, "Seccomp_filters") == status(listener, "Seccomp_filters")


def _arguments(process):
    return _read(pathlib.Path(f"/proc/{process}/cmdline")).split("\0")


def members(group):
    """The ids of the processes of a process group."""
    # The name before the state is in brackets and may contain any character.
    return [
        int(process.name)
        for process in pathlib.Path("/proc").glob("[0-9]*")
        if (parts := _read(process / "stat").rpartition(")")[2].split()) and parts[2] == str(group)
    ]


def reads_terminal(process):
    """Whether a process sleeps in read(2) from a terminal."""
    number = {"x86_64": "0", "aarch64": "63"}.get(os.uname().machine)
    call = _read(pathlib.Path(f"/proc/{process}/syscall")).split()
    if len(call) < 2 or call[0] != number:
        return False
    with contextlib.suppress(OSError):
        return os.readlink(f"/proc/{process}/fd/{int(call[1], 16)}").startswith(("/dev/pts/", "/dev/tty"))
    return False


def asks_alone(core):
    """Whether a core waits only for an answer: it sleeps in poll(2) without a time limit."""
    # By architecture: the number of the system call, and its third argument if there is no time limit. On aarch64, glibc uses
    # ppoll(2).
    number, forever = {"x86_64": ("7", 0xFFFFFFFF), "aarch64": ("73", 0)}.get(os.uname().machine, ("", 0))
    call = _read(pathlib.Path(f"/proc/{core}/syscall")).split()
    return len(call) > 3 and call[0] == number and int(call[3], 16) & 0xFFFFFFFF == forever


def _read(path):
    try:
        return path.read_text(errors="backslashreplace")
    except OSError:
        return ""


def environment(process):
    """A process's environment; empty if it has been cleared."""
    try:
        return sorted(part for part in pathlib.Path(f"/proc/{process}/environ").read_bytes().split(b"\0") if part)
    except OSError:
        return []


def status(process, field):
    """A field of /proc/PID/status; empty when the process is gone."""
    for line in _read(pathlib.Path(f"/proc/{process}/status")).splitlines():
        if line.startswith(field + ":"):
            return line.partition(":")[2].strip()
    return ""


class Watch:
    """Watches the programs until it ends: the most memory that one of them used, and their environments. Use as a context."""

    def __init__(self):
        self.peak = dict.fromkeys(NAMES, 0)
        self.environments = {name: set() for name in NAMES}
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._ends.set()
        self._thread.join()

    def _look(self):
        while not self._ends.wait(0.003):
            for process in os.listdir("/proc"):
                if process.isdigit():
                    # Read each time: a process shows its parent's program until exec.
                    program = _read(pathlib.Path("/proc", process, "comm")).strip()
                    if program in NAMES:
                        self._note(process, program)

    def _note(self, process, program):
        text = status(process, "VmHWM")
        if text.endswith("kB"):
            self.peak[program] = max(self.peak[program], int(text.split()[0]) // 1024)
            self.environments[program].add(tuple(environment(process)))


def gone(seconds=30):
    """Waits until no core and no network program runs any more; returns what the remaining ones are doing."""
    deadline = time.monotonic() + seconds
    while (left := [each for each in running(*NAMES) if not (listens(each) or waits(each))]) and time.monotonic() < deadline:
        time.sleep(0.02)
    return [_described(process) for process in left]


def _described(process):
    """A process and its parents, and what each waits for."""
    described = []
    while process > 1 and len(described) < 6:
        waits = _read(pathlib.Path(f"/proc/{process}/wchan"))
        call = _read(pathlib.Path(f"/proc/{process}/syscall")).partition(" ")[0]
        described.append(f"{status(process, 'Name')} {process} ({status(process, 'State')}, {waits}, call {call})")
        process = int(status(process, "PPid") or 0)
    return " of ".join(described)
