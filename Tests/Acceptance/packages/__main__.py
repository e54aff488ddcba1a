"""Runs the named rows, or all of them, and prints the table."""

import contextlib
import pathlib
import sys

from lab import loopback
from lab.run import main
from packages import rows
from packages.scene import Scene


@contextlib.contextmanager
def packages_in(folder):
    """The packages that the rows install, and their folder; reports their size."""
    loopback.up()
    scene = Scene(pathlib.Path(folder))
    for name, archive in scene.archives.items():
        print(f"packages: {name} {scene.version}: {archive.stat().st_size // 1024} KiB")
    yield scene


sys.exit(main("packages", rows, sys.argv[2:], lambda: packages_in(sys.argv[1])))
