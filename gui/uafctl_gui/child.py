"""uafctl as a process: its two pipes and its end. What its lines mean is decided elsewhere (`conversation`, `status`)."""

import contextlib
import os
from collections.abc import Callable

from uafctl_gui import answers, tasks
from uafctl_gui.secret import Secret
from uafctl_gui.toolkit import Gio, GLib

_CHUNK = 64 * 1024
# uafctl ends as soon as its input does. What does not is ended after these seconds, and by force after as many more.
_PATIENCE = 3


class Child:
    """One run of uafctl. `received` gets what it writes, `ended` is called once when it is over and all was read."""

    def __init__(self, received: Callable[[bytes], None], ended: Callable[[], None]) -> None:
        self._received, self._ended = received, ended
        self._process: Gio.Subprocess | None = None
        self._input = self._output = -1
        self._watch = 0
        self._has_exited = False

    def start(self, arguments: list[str]) -> bool:
        """Starts it; returns false if it is not there or may not be run."""
        read_in, self._input = os.pipe()
        self._output, write_out = os.pipe()
        launcher = Gio.SubprocessLauncher.new(Gio.SubprocessFlags.STDERR_SILENCE)
        launcher.set_environ([f"{key}={value}" for key, value in tasks.environment(dict(os.environ)).items()])
        launcher.set_cwd("/")
        launcher.take_stdin_fd(read_in)
        launcher.take_stdout_fd(write_out)
        try:
            self._process = launcher.spawnv(arguments)
        except GLib.Error:
            self._close()
            return False
        finally:
            # The launcher's ends of the pipes must not stay open here: the end of the output would never come.
            launcher.close()
        os.set_blocking(self._input, False)
        os.set_blocking(self._output, False)
        self._watch = GLib.unix_fd_add_full(
            GLib.PRIORITY_DEFAULT_IDLE,
            self._output,
            GLib.IOCondition.IN | GLib.IOCondition.HUP | GLib.IOCondition.ERR,
            self._readable,
        )
        self._process.wait_async(None, self._exited)
        return True

    def write(self, line: Secret) -> bool:
        """Writes a line and wipes it; returns false if uafctl does not take it."""
        try:
            # An answer is smaller than the pipe, so it is written completely or not at all.
            return self._input >= 0 and os.write(self._input, line.octets) == len(line)
        except OSError:
            return False
        finally:
            line.wipe()

    def finish(self) -> None:
        """Writes that the person cancels, ends uafctl's input, and ends uafctl if it goes on."""
        if self._input >= 0:
            with contextlib.suppress(OSError):
                os.write(self._input, answers.CANCEL)
            os.close(self._input)
            self._input = -1
        if not self._has_exited:
            GLib.timeout_add_seconds(_PATIENCE, self._end_it, 15)

    def kill(self) -> None:
        """Ends uafctl at once, because the window is closed; the core sees the end of the connection, and cancels."""
        self._stop_reading()
        if self._input >= 0:
            os.close(self._input)
            self._input = -1
        self._end_it(15)

    def _end_it(self, signal: int) -> bool:
        if self._process and not self._has_exited:
            self._process.send_signal(signal)
            if signal != 9:
                GLib.timeout_add_seconds(_PATIENCE, self._end_it, 9)
        return GLib.SOURCE_REMOVE

    def _readable(self, *_: object) -> bool:
        self._read()
        if self._watch:
            return GLib.SOURCE_CONTINUE
        self._over()
        return GLib.SOURCE_REMOVE

    def _read(self) -> bool:
        """Reads what is there; returns false if there is nothing now, or nothing will come any more."""
        try:
            data = os.read(self._output, _CHUNK)
        except BlockingIOError:
            return False
        except OSError:
            data = b""
        if data:
            self._received(data)
            return self._watch != 0
        self._watch = 0
        self._close()
        return False

    def _read_rest(self) -> None:
        """Reads all that a program that has ended has left in the pipe."""
        watch = self._watch
        while self._watch and self._read():
            pass
        if watch and not self._watch:
            GLib.source_remove(watch)

    def _stop_reading(self) -> None:
        if self._watch:
            GLib.source_remove(self._watch)
            self._watch = 0
        if self._output >= 0:
            os.close(self._output)
            self._output = -1

    def _exited(self, process: Gio.Subprocess, result: Gio.AsyncResult) -> None:
        process.wait_finish(result)
        self._has_exited = True
        self._read_rest()
        # A program that uafctl has left behind could hold its output open for ever.
        if self._watch:
            GLib.timeout_add_seconds(_PATIENCE, self._give_up)
        self._over()

    def _give_up(self) -> bool:
        if self._watch:
            self._read_rest()
            self._stop_reading()
            self._over()
        return GLib.SOURCE_REMOVE

    def _over(self) -> None:
        if self._has_exited and not self._watch:
            self._close()
            self._ended()

    def _close(self) -> None:
        for descriptor in (self._input, self._output):
            if descriptor >= 0:
                os.close(descriptor)
        self._input = self._output = -1
