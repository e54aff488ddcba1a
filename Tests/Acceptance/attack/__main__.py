"""Runs the named attacks, or all of them, and prints the table."""

import sys

from attack import rows
from lab.run import main

sys.exit(main("attack", rows, sys.argv[1:]))
