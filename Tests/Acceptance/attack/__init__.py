"""Attacks on a login that asks pam_uaf, and on one that asks pam_faillock.

Purpose: to test from outside what SECURITY.md promises, with the shipped programs and with hosts that people
use. Each row of the table is one function in `rows`. May import the standard library and `lab`, and of the
other packages `fleet.client`, `fleet.workstation` and `console.visitor`: clients that share no code with ours.
"""
