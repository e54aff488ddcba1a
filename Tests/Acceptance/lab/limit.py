"""Time limits: a row that hangs is broken, and the rows after it run; a run that hangs ends."""

import contextlib
import os
import signal
import sys
import threading

from lab.table import Broken

# Seconds between two interruptions: code that catches the first, like the end of a thread pool, gets the next.
AGAIN = 5
# After this many interruptions the row cannot be ended, so the run ends: its processes end with the namespaces.
MOST = 12


def ends_within(seconds, what):
    """Ends the program, and with it the namespaces, after some seconds: code outside a row may hang as well."""

    def end():
        print(f"{what}: not done within {seconds} s: the run ends here", file=sys.stderr)
        sys.stderr.flush()
        os._exit(70)

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()


class Overdue(Broken):
    """The row has reached its time limit."""


@contextlib.contextmanager
def within(seconds, what):
    """Interrupts the main thread with Overdue after some seconds, and ends the program if that does not help."""
    interruptions = 0

    def interrupt(*_):
        nonlocal interruptions
        interruptions += 1
        if interruptions > MOST:
            print(f"{what}: still running {AGAIN * MOST} s after its limit of {seconds} s: the run ends here", file=sys.stderr)
            sys.stderr.flush()
            os._exit(70)
        raise Overdue(f"not done within {seconds} s")

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
