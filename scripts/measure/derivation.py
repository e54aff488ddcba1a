"""The time of key derivations, as measured inside the programs."""

import mmap
import struct


class DerivationTime:
    """The time that all cores have spent in scrypt since `take` was last called; Tests/Bench/scrypt-time adds it up."""

    def __init__(self, library):
        with open(f"{library}.sum", "w+b") as file:
            file.truncate(struct.calcsize("d"))
            self._sum = mmap.mmap(file.fileno(), struct.calcsize("d"))

    def take(self):
        """Returns milliseconds, and starts again at zero."""
        microseconds = struct.unpack("d", self._sum[:])[0]
        self._sum[:] = struct.pack("d", 0)
        return microseconds / 1000
