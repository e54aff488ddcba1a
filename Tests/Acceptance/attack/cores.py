"""The running cores: how many, how much memory they use, which of them derive a key."""

import os
import pathlib
import threading
import time

from lab.processes import running


def cores():
    """The process IDs of all cores."""
    return running("uaf-helper")


def memory_mib():
    """The memory that all cores use together, each page counted once."""
    total = 0
    for core in cores():
        try:
            lines = pathlib.Path(f"/proc/{core}/smaps_rollup").read_text().splitlines()
            total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
        except OSError:
            pass
    return total / 1024


class Peak:
    """A context that records the most memory the cores used together, and how many cores there were."""

    def __enter__(self):
        self.mib, self.cores, self._over = 0.0, 0, threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        self._thread.join()

    def _watch(self):
        while not self._over.wait(0.05):
            self.mib, self.cores = max(self.mib, memory_mib()), max(self.cores, len(cores()))


def timed(action):
    started = time.monotonic()
    return action(), time.monotonic() - started


def slots():
    """How many key derivations the cores allow at the same time on this machine."""
    gibibytes = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 30
    return max(3, min(gibibytes, 2 * os.sysconf("SC_NPROCESSORS_ONLN")))


def slot_holders():
    """The process IDs that hold a derivation slot."""
    inodes = {str(path.stat().st_ino) for path in pathlib.Path("/var/lib/pam-uaf/slots").glob("*.lock")}
    lines = [line.split() for line in pathlib.Path("/proc/locks").read_text().splitlines()]
    return {int(line[4]) for line in lines if line[1] == "FLOCK" and line[5].split(":")[2] in inodes}
