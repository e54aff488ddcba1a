"""Attacks on a login that asks pam_uaf, and on one that asks pam_faillock.

Purpose: to show from outside what SECURITY.md promises, on the programs that are shipped and through hosts that people
use. Each row of the table is one function in `rows`; what they have in common is in `lab` (the machine and its people)
and `hosts` (how somebody logs in). May import the standard library alone. Runs only inside the namespaces of
attack.sh: it makes users, fills disks and kills programs.
"""
