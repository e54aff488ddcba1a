"""Waiting for what another process does: for a condition, never for a time alone."""

import concurrent.futures
import socket
import time

from lab.table import must


def until(condition, what, seconds=30):
    """Returns the first true value of a condition; Broken where none comes in time."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        must(time.monotonic() < deadline, f"not seen within {seconds} s: {what}")
        time.sleep(0.002)
    return found


def listens(process, port):
    """Waits until a process that was started accepts connections at a port of this machine; Broken where it ends first."""

    def accepts():
        must(process.poll() is None, f"{process.args[0]} has ended with {process.returncode}")
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            return False
        return True

    until(accepts, f"{process.args[0]} at port {port}")


def at_once(*actions):
    """Does several things at the same time and returns their results: hosts wait after each failure."""
    with concurrent.futures.ThreadPoolExecutor(len(actions)) as pool:
        return [future.result() for future in [pool.submit(action) for action in actions]]
