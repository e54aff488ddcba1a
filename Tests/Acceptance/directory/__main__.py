"""Runs the named rows, or all of them, and prints the table."""

import sys

from directory import rows
from directory.desk import Desk
from lab.run import main

sys.exit(main("directory", rows, sys.argv[1:], Desk, limit=1200))
