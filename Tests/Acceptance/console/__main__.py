"""Runs the named rows, or all of them, and prints the table."""

import sys

from lab.machine import ROOT

# Selenium and axe, which scripts/console.sh has fetched.
sys.path.append(str(ROOT / "build/console/python"))

from console import rows
from console.desk import Desk
from lab.run import main

sys.exit(main("console", rows, sys.argv[1:], Desk, limit=1800))
