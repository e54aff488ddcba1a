"""The socket by which programs without root reach the core, served as systemd's units do it, or without their limits."""

import os
import pathlib
import shutil

from lab.machine import HELPER
from lab.waiting import until

SOCKET = "/run/pam-uaf/helper.sock"
# The flag in /proc/net/unix of a socket on which a process listens (__SO_ACCEPTCON). The socket's file exists a moment earlier.
ACCEPTS = 0x10000


def is_listened_on():
    """Whether the socket accepts connections; a trial connection would start a core."""
    with open("/proc/net/unix") as sockets:
        entries = [line.split() for line in sockets][1:]
    return any(entry[7:] == [SOCKET] and int(entry[3], 16) & ACCEPTS for entry in entries)


def serve(lab, limited=False):
    """Starts a core for each connection until the row ends; returns the listener.

    As installed (`limited`), a person has few connections a second, too few for some rows.
    """
    how = [f"--listen={SOCKET}", HELPER, "--listen"] if limited else ["--accept", f"--listen={SOCKET}", HELPER]
    pathlib.Path(SOCKET).parent.mkdir(mode=0o755, exist_ok=True)
    listener = lab.start(
        "env",
        "-i",
        "PATH=/usr/bin:/bin",
        "systemd-socket-activate",
        "--seqpacket",
        *how,
        stdout=open("/tmp/listener.log", "wb"),
        stderr=open("/tmp/listener.log", "ab"),
        start_new_session=True,
    )

    def end():
        lab.stop(listener)
        shutil.rmtree(pathlib.Path(SOCKET).parent)

    lab.after(end)
    until(is_listened_on, "a listener for the core")
    os.chmod(SOCKET, 0o666)
    return listener
