"""A throw-away machine, its people, and the hosts they log in by.

Purpose: what the rows of `make attack` and of `make test-system` have in common: `machine` (a FIDO server, a
configuration, stacks, people, a log), `hosts` (how somebody logs in), `table` (what a row is) and `run` (which runs them).
May import the standard library alone, and nothing of the packages whose rows it runs. Runs only inside the namespaces of
throw-away.sh: it makes users, fills disks and kills programs.
"""
