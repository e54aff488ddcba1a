"""Runs the named rows, those of `quick` or of `trouble`, or all but the longer ones of `trouble`, and prints the table."""

import sys

from lab.run import main
from system import quick, rows, trouble

asked = sys.argv[1:]
lists = {"quick": quick.ROWS, "trouble": trouble.SHORT + trouble.LONG}
chosen = list(lists[asked[0]]) if len(asked) == 1 and asked[0] in lists else asked
sys.exit(main("system", rows, chosen, left_out=trouble.LONG))
