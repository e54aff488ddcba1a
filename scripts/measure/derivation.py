"""The time of key derivations, as the programs spend it."""

import mmap
import struct


class DerivationTime:
    """How long scrypt took in all cores since it was asked last: Tests/Bench/scrypt-time adds it up."""

    def __init__(self, library):
        with open(f"{library}.sum", "w+b") as file:
            file.truncate(struct.calcsize("d"))
            self._sum = mmap.mmap(file.fileno(), struct.calcsize("d"))

    def take(self):
        """Milliseconds, and begins anew."""
        microseconds = struct.unpack("d", self._sum[:])[0]
        self._sum[:] = struct.pack("d", 0)
        return microseconds / 1000
