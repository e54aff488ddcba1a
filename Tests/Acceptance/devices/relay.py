"""The connection of tpm2-tools: copies standard input to a socket, and the response to standard output."""

import os
import select
import socket
import sys

with socket.socket(socket.AF_UNIX) as chip:
    chip.connect(sys.argv[1])
    while True:
        ready, _, _ = select.select([0, chip.fileno()], [], [])
        if 0 in ready:
            part = os.read(0, 65536)
            if not part:
                break
            chip.sendall(part)
        if chip.fileno() in ready:
            part = chip.recv(65536)
            if not part:
                break
            os.write(1, part)
