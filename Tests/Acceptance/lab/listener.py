"""The socket by which programs without root reach the core, served as systemd's units do it, or without their limits."""

import os
import pathlib
import shutil

from lab.machine import HELPER
from lab.waiting import until

SOCKET = "/run/pam-uaf/helper.sock"


def serve(lab, limited=False):
    """Has a core started for each connection until the row ends; returns the listener.

    As installed (`limited`) a person has few connections a second, which rows with many of them could not live with.
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
    until(lambda: os.path.exists(SOCKET), "a listener for the core")
    os.chmod(SOCKET, 0o666)
    return listener
