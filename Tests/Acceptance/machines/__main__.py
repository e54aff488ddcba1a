"""Runs the named rows, or all of them, and prints the table."""

import contextlib
import pathlib
import sys

from lab import loopback
from lab.run import main
from machines import rows
from machines.office import Office


@contextlib.contextmanager
def office_in(folder):
    """An office with a virtual network, whose machines are made of these layers."""
    loopback.up()
    with Office(pathlib.Path(folder)) as office:
        yield office


sys.exit(main("machines", rows, sys.argv[2:], lambda: office_in(sys.argv[1])))
