"""Reads a code with the camera, by zbar's own program if it is installed; that program shows what it sees in its own window."""

import os
from collections.abc import Callable

from uafctl_gui.secret import wipe
from uafctl_gui.toolkit import Gio, GLib, Gtk

ZBARCAM = "/usr/bin/zbarcam"
_LONGEST = 4096


def is_there() -> bool:
    """Whether zbarcam is installed."""
    return os.access(ZBARCAM, os.X_OK)


class Scanner:
    """One scan; `finished` gets whether a code was put into the buffer."""

    def __init__(self, buffer: Gtk.EntryBuffer, finished: Callable[[bool], None]) -> None:
        self._buffer, self._finished = buffer, finished
        self._process: Gio.Subprocess | None = None
        self._stream: Gio.InputStream | None = None
        self._is_over = False

    def start(self) -> None:
        """Starts the program."""
        flags = Gio.SubprocessFlags.STDOUT_PIPE | Gio.SubprocessFlags.STDERR_SILENCE
        try:
            self._process = Gio.Subprocess.new([ZBARCAM, "--raw", "--quiet", "--oneshot", "-Sdisable", "-Sqrcode.enable"], flags)
        except GLib.Error:
            self._end(False)
            return
        self._stream = self._process.get_stdout_pipe()
        self._stream.read_bytes_async(_LONGEST, GLib.PRIORITY_DEFAULT, None, self._read)

    def stop(self) -> None:
        """Ends the program; its code is not used any more."""
        self._is_over = True
        if self._process:
            self._process.force_exit()

    def _read(self, stream: Gio.InputStream, result: Gio.AsyncResult) -> None:
        try:
            data = bytearray(stream.read_bytes_finish(result).get_data() or b"")
        except GLib.Error:
            data = bytearray()
        try:
            text = data.decode("utf-8").strip() if not self._is_over else ""
        except UnicodeDecodeError:
            text = ""
        wipe(data)
        if text:
            self._buffer.set_text(" ".join(text.split()), -1)
        self._end(bool(text))

    def _end(self, has_code: bool) -> None:
        if self._process:
            self._process.force_exit()
        if not self._is_over:
            self._is_over = True
            self._finished(has_code)
