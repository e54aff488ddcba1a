"""Runs the named rows, or all of them, and prints the table; `quick` selects the rows of the parties that start quickly."""

import sys

from lab.run import main
from webauthn import rows
from webauthn.desk import Desk
from webauthn.rows.parties import quick

arguments = sys.argv[1:]
sys.exit(main("webauthn", rows, quick() if arguments == ["quick"] else arguments, Desk, limit=1800))
