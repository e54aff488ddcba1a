"""Runs the named rows, or all of them, and prints the table."""

import contextlib
import os
import sys

from face import rows
from face.desk import FaceDesk
from lab.machine import Lab
from lab.run import main


@contextlib.contextmanager
def machine():
    """The lab with a bus, a face service and a camera."""
    with Lab(thorough=bool(os.environ.get("THOROUGH"))) as lab:
        lab.desk = FaceDesk(lab)
        lab.desk.set_up()
        yield lab


sys.exit(main("face", rows, sys.argv[1:], machine, limit=1800))
