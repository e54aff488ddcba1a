"""Runs the rows that are named, or all, and prints the table."""

import sys

from lab.run import main
from system import rows

sys.exit(main("system", rows, sys.argv[1:]))
