"""Looks for a text where it must not be: in memory, arguments, environments, files, and on the network."""

import os
import pathlib
import socket
import stat
import threading

from lab.files import below
from lab.table import must

CHUNK = 1 << 22


class Canary:
    """A text that occurs nowhere else, in the encodings that programs use for texts."""

    def __init__(self, text):
        self.text = text
        self._forms = [text.encode(form) for form in ("utf-8", "utf-16-le", "utf-16-be", "utf-32-le")]

    def count(self, data):
        return sum(data.count(form) for form in self._forms)

    def in_memory(self, process):
        """How often the text is in a process's memory; reads every readable page."""
        found = 0
        with open(f"/proc/{process}/maps", encoding="ascii", errors="replace") as maps:
            areas = [line.split() for line in maps]
        must(areas, f"process {process} has no memory to look at")
        with open(f"/proc/{process}/mem", "rb", buffering=0) as memory:
            for area in areas:
                if area[1].startswith("r") and area[-1] not in ("[vvar]", "[vvar_vclock]", "[vsyscall]"):
                    found += self._in_area(memory, *(int(place, 16) for place in area[0].split("-")))
        return found

    def _in_area(self, memory, start, end):
        found, overlap = 0, 4 * len(self.text)
        for place in range(start, end, CHUNK):
            try:
                memory.seek(place)
                found += self.count(memory.read(min(CHUNK + overlap, end - place)))
            except OSError:
                # The page is gone, or the kernel lets nobody read it.
                continue
        return found

    def in_every_process(self, but=()):
        """The names of the processes that have the text in memory, arguments or environment."""
        names = []
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            if int(process.name) in {os.getpid(), *but}:
                continue
            try:
                told = (process / "cmdline").read_bytes() + (process / "environ").read_bytes()
                name = (process / "comm").read_text().strip()
                if not (process / "maps").read_text():
                    continue  # has ended and was not reaped yet
            except OSError:
                continue
            if self.count(told) or self.in_memory(process.name):
                names.append(name)
        return names

    def in_files(self, since, *folders):
        """The files changed since a moment that have the text in name or content."""
        paths = (pathlib.Path(path) for folder in folders for path in below(folder))
        return [str(path) for path in paths if self._is_in(path, since)]

    def _is_in(self, path, since):
        try:
            about = path.lstat()
            if not stat.S_ISREG(about.st_mode) or about.st_ctime < since:
                return False
            content = path.read_bytes()
        except FileNotFoundError:
            return False  # Removed since it was listed, by apt for instance.
        return self.count(str(path).encode() + content) > 0


class Capture:
    """Records the traffic on the loopback interface while it is open."""

    def __init__(self):
        self._socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))  # ETH_P_ALL
        self._socket.bind(("lo", 0))
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 24)
        self._socket.settimeout(0.2)
        self._ends = threading.Event()
        self._packets = []
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self):
        while not self._ends.is_set():
            try:
                self._packets.append(self._socket.recv(1 << 17))
            except TimeoutError:
                continue

    def end(self):
        """All recorded traffic."""
        self._ends.set()
        self._thread.join()
        self._socket.close()
        return b"\n".join(self._packets)
