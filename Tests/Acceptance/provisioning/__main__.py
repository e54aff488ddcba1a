"""Runs the named rows, or all of them, and prints the table. The rows are the modules of the folder `rows`."""

import sys

from lab.machine import ROOT

# scim2-tester and scim2-client, which scripts/provisioning.sh has fetched.
sys.path.append(str(ROOT / "build/provisioning/python"))

from lab.run import main
from provisioning import rows
from provisioning.desk import Desk

sys.exit(main("provisioning", rows, sys.argv[1:], Desk, limit=1200))
