"""Runs the named rows, those of `quick`, or all, and prints the table."""

import sys

from lab.run import main
from system import quick, rows

asked = sys.argv[1:]
sys.exit(main("system", rows, list(quick.ROWS) if asked == ["quick"] else asked))
