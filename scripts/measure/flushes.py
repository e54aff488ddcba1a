"""A disk on which each flush takes longer: a library that is loaded before the C library of a program."""

from pathlib import Path

LIBRARY = "slow-flush.so"


def slowed(folder, microseconds):
    """The environment of a program whose flushes take so much longer. The library lies in the folder."""
    # LD_PRELOAD takes a path with a space for two. LD_LIBRARY_PATH does not.
    return {"LD_LIBRARY_PATH": str(folder), "LD_PRELOAD": LIBRARY, "SLOW_FLUSH_US": str(microseconds)}


def require_slowed(process):
    """Ends the bench if the library is not in a process: ld.so goes on without one that it cannot load."""
    if LIBRARY not in Path(f"/proc/{process}/maps").read_text():
        raise SystemExit(f"bench: {LIBRARY} was not loaded, so flushes take no longer")
