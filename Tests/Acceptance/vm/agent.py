"""Runs in the virtual machine, as a service: takes commands from a virtio port, one JSON object a line, and answers each.

It logs nobody in and uses no PAM, so that a row can still look at a machine that lets nobody in.
"""

import base64
import json
import os
import subprocess
import sys

from lab.hosts import terminal

PORT = "/dev/virtio-ports/agent"
# A command that prints more has its end alone reported: what it says last is what a row asks for.
MOST = 1 << 20
VARIABLES = {
    "PATH": "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "LC_ALL": "C.UTF-8",
    "HOME": "/root",
    "TERM": "dumb",
    "DEBIAN_FRONTEND": "noninteractive",
}


def run(request):
    """Runs a program to its end."""
    done = subprocess.run(
        request["run"],
        input=base64.b64decode(request["input"]),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if request["errors"] else subprocess.DEVNULL,
        timeout=request["limit"],
        env=VARIABLES,
        check=False,
    )
    return {"status": done.returncode, "text": done.stdout[-MOST:].decode(errors="replace")}


def converse(request):
    """Runs a program on a terminal and types the answers."""
    ends = tuple(end.encode() for end in request["ends"])
    session = terminal(request["terminal"], request["answers"], request["limit"], ends, VARIABLES)
    return {"status": session.status, "text": session.text, "transcript": session.transcript}


def answer(request):
    try:
        return run(request) if "run" in request else converse(request)
    except subprocess.TimeoutExpired as late:
        return {"status": -1, "text": f"not done within {late.timeout} s: {(late.stdout or b'').decode(errors='replace')}"}
    except OSError as failure:
        return {"status": -1, "text": str(failure)}


def main():
    # The port can be opened once only.
    port = os.open(PORT, os.O_RDWR)
    with open(port, "rb", closefd=False) as requests, open(port, "wb") as answers:

        def send(thing):
            answers.write(json.dumps(thing).encode() + b"\n")
            answers.flush()

        send({"ready": True})
        for line in requests:
            send(answer(json.loads(line)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
