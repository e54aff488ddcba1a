"""A disk on which each flush takes longer: a library that is loaded before the C library of a program."""

from pathlib import Path

LIBRARY = "slow-flush.so"


def slowed(folder, microseconds):
    """The environment of a program whose flushes take this much longer. The library is in the folder."""
    # LD_PRELOAD reads a path with a space as two. LD_LIBRARY_PATH does not.
    return {"LD_LIBRARY_PATH": str(folder), "LD_PRELOAD": LIBRARY, "SLOW_FLUSH_US": str(microseconds)}


def require_slowed(process):
    """Ends the bench if the library is not in a process: ld.so continues without a library that it cannot load."""
    if LIBRARY not in Path(f"/proc/{process}/maps").read_text():
        raise SystemExit(f"bench: {LIBRARY} was not loaded, so flushes take no longer")
