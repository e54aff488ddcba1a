"""Waits for other processes: always for a condition, never just for a time."""

import concurrent.futures
import socket
import time

from lab.table import must


def until(condition, what, seconds=30):
    """Returns the first true value of a condition; Broken if none becomes true in time."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        must(time.monotonic() < deadline, f"not seen within {seconds} s: {what}")
        time.sleep(0.002)
    return found


def listens(process, port):
    """Waits until a process that was started accepts connections at a port of this machine; Broken if the process ends first."""

    def accepts():
        must(process.poll() is None, f"{process.args[0]} has ended with {process.returncode}")
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            return False
        return True

    until(accepts, f"{process.args[0]} at port {port}")


def at_once(*actions):
    """Runs several functions in parallel and returns their results: hosts wait after each failure."""
    with concurrent.futures.ThreadPoolExecutor(len(actions)) as pool:
        return [future.result() for future in [pool.submit(action) for action in actions]]
