"""Runs a program for as long as standard input is open: until-closed.py PROGRAM [ARGUMENT ...]. So it cannot outlive the
tests, however they end."""

import subprocess
import sys

child = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL)
sys.stdin.read()
child.terminate()
child.wait()
