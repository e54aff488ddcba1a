"""Runs the named rows, or all of them, and prints the table."""

import sys

from devices import rows
from lab.run import main

sys.exit(main("devices", rows, sys.argv[1:], limit=1800))
