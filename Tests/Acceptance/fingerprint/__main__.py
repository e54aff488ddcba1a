"""Runs the named rows, or all of them, and prints the table."""

import contextlib
import os
import sys

from fingerprint import rows
from fingerprint.desk import Desk
from lab.machine import Lab
from lab.run import main


@contextlib.contextmanager
def machine():
    """The lab with a bus, a fingerprint service and a sensor."""
    with Lab(thorough=bool(os.environ.get("THOROUGH"))) as lab:
        lab.desk = Desk(lab)
        lab.desk.set_up()
        yield lab


sys.exit(main("fingerprint", rows, sys.argv[1:], machine, limit=1800))
