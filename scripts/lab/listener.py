"""The socket by which programs without root reach the core, served as systemd's socket unit does it."""

import os
import pathlib
import shutil

from lab.machine import HELPER
from lab.waiting import until

SOCKET = "/run/pam-uaf/helper.sock"


def serve(lab):
    """Has a core started for each connection, as systemd does it, until the row ends; returns the listener."""
    pathlib.Path(SOCKET).parent.mkdir(mode=0o755, exist_ok=True)
    listener = lab.start(
        "env", "-i", "PATH=/usr/bin:/bin", "systemd-socket-activate", "--accept", "--seqpacket", f"--listen={SOCKET}",
        HELPER, stdout=open("/tmp/listener.log", "wb"), stderr=open("/tmp/listener.log", "ab"), start_new_session=True)

    def end():
        lab.stop(listener)
        shutil.rmtree(pathlib.Path(SOCKET).parent)

    lab.after(end)
    until(lambda: os.path.exists(SOCKET), "a listener for the core")
    os.chmod(SOCKET, 0o666)
    return listener
