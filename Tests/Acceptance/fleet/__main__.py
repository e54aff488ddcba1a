"""Runs the named rows, `quick` (those that fit into four minutes), or all, and prints the table."""

import sys

from fleet import quick, rows
from fleet.machine import Fleet
from lab.run import main

asked = sys.argv[1:]
sys.exit(main("fleet", rows, list(quick.ROWS) if asked == ["quick"] else asked, Fleet))
