"""A /dev/log of the tests' own, in a mount namespace of its own: run with `unshare --mount`, as root.

Usage: system-log.py FOLDER. Prints its process id when /dev/log is ready. To log there, a program is started with
`nsenter --mount --target PID`. For each line on standard input it prints one line of JSON: the list of the messages that were
logged since the line before. Ends with its standard input, and removes FOLDER then.
"""

import json
import os
import select
import shutil
import socket
import subprocess
import sys

folder = sys.argv[1]
devices = ["null", "zero", "full", "random", "urandom", "tty"]


def mount(*arguments):
    subprocess.run(["mount", *arguments], check=True)


def take(listener, lines):
    while True:
        try:
            lines.append(listener.recv(65536).decode("utf-8", "backslashreplace"))
        except BlockingIOError:
            return


mount("--make-rprivate", "/")
device_folder = os.path.join(folder, "dev")
os.makedirs(device_folder)
mount("-t", "tmpfs", "-o", "size=64k,mode=755", "dev", device_folder)
for name in devices:
    path = os.path.join(device_folder, name)
    open(path, "w").close()
    mount("--bind", "/dev/" + name, path)
mount("--move", device_folder, "/dev")
listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
listener.bind("/dev/log")
os.chmod("/dev/log", 0o666)
listener.setblocking(False)
print(os.getpid(), flush=True)

lines = []
while True:
    readable, _, _ = select.select([listener, sys.stdin], [], [])
    if listener in readable:
        take(listener, lines)
    if sys.stdin in readable:
        if not os.read(0, 1):
            break
        # The messages of a program that has ended may still be in the socket's queue.
        take(listener, lines)
        print(json.dumps(lines), flush=True)
        lines = []
shutil.rmtree(folder, ignore_errors=True)
