"""What the process gives up before it shows anything: core dumps, and being read by other programs of the same person."""

import ctypes
import resource

_PR_SET_DUMPABLE = 4


def harden() -> None:
    """Forbids core dumps, and that a debugger of the same person attaches or reads the memory.

    A failure of either is no reason to refuse: the passcode is then as safe as in any other program of the session.
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
