"""Runs a program for as long as standard input is open: until-closed.py PROGRAM [ARGUMENT ...].

So the program ends with the tests, however they end. It also ends if this script is killed."""

import ctypes
import signal
import subprocess
import sys

PR_SET_PDEATHSIG = 1
libc = ctypes.CDLL(None)


def end_with_parent():
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


child = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, preexec_fn=end_with_parent)
sys.stdin.read()
child.terminate()
child.wait()
