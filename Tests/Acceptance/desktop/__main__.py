"""Runs the named rows, or all of them, and prints the table."""

import contextlib
import os
import sys

from desktop import rows
from desktop.desk import Desk
from lab.machine import Lab
from lab.run import main


@contextlib.contextmanager
def machine():
    """The lab with a greeter, and people who have a keyring."""
    with Lab(thorough=bool(os.environ.get("THOROUGH"))) as lab:
        lab.desk = Desk(lab)
        yield lab


sys.exit(main("desktop", rows, sys.argv[1:], machine, limit=1800))
