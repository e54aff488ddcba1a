"""The loopback interface of the new network namespace, without a program that a small machine lacks."""

import fcntl
import socket
import struct

# Of linux/sockios.h and linux/if.h.
SET_FLAGS, SET_ADDRESS, SET_MASK = 0x8914, 0x8916, 0x891C
UP, RUNNING = 1, 64
NAME, FURTHER = b"lo", b"lo:lab"


def up():
    _ask(SET_FLAGS, NAME, struct.pack("h", UP | RUNNING))


def add(address, mask="255.255.255.255"):
    """Gives the machine a further address, or a whole network, until `remove`."""
    for what, text in ((SET_ADDRESS, address), (SET_MASK, mask)):
        _ask(what, FURTHER, struct.pack("=HH4s", socket.AF_INET, 0, socket.inet_aton(text)))


def remove():
    """Removes the added address."""
    _ask(SET_FLAGS, FURTHER, struct.pack("h", 0))


def _ask(what, name, content):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, what, struct.pack("16s24s", name, content))
