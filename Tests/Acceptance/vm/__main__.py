"""Runs the named rows, or all of them, and prints the table."""

import contextlib
import pathlib
import sys

from lab import loopback
from lab.run import main
from packages.scene import Scene
from vm import image, rows
from vm.guest import Guest

# Seconds for the whole run: code outside a row may hang as well.
LIMIT = 90 * 60


class Machines:
    """The rows' machines. lab.run requires `tidy` and `thorough`."""

    thorough = False

    def __init__(self, folder, pictures):
        self._folder, self.pictures = folder, pictures
        self._image = image.of(Scene(folder), folder / "root/image")
        self._number = 0

    def tidy(self):
        """Cleans nothing up: a row's machine ends with the row."""

    def started(self, **options):
        """A machine with both packages, a server, mina with a passcode, and otto with a password alone."""
        self._number += 1
        return Guest(self._image, self._folder / f"root/guest-{self._number}", **options)


@contextlib.contextmanager
def machines_in(folder):
    loopback.up()
    yield Machines(pathlib.Path(folder), pathlib.Path("build/vm/pictures"))


sys.exit(main("vm", rows, sys.argv[2:], lambda: machines_in(sys.argv[1]), LIMIT))
