"""A throw-away machine, its people, and the hosts they log in by.

Purpose: the common parts of the rows of `make attack` and `make test-system`: `machine` (a FIDO server, a
configuration, stacks, people, a log), `hosts` (how people log in), `table` (what a row is) and `run` (which runs them).
May import only the standard library, and nothing from the packages whose rows it runs. Runs only inside the namespaces of
throw-away.sh: it creates users, fills disks and kills programs.
"""
