"""A picture of Xvfb's screen as PNG: the screen is a file in the form of xwd (`-fbdir`), so no other program is needed."""

import dataclasses
import pathlib
import struct
import zlib

_FIELDS = "header_size version format depth width height xoffset order unit bit_order pad bits line visual red green blue".split()


@dataclasses.dataclass
class Points:
    """The points of a screen: red, green and blue, row by row."""

    width: int
    height: int
    data: bytes

    def at(self, x, y):
        """The colour of a point."""
        start = 3 * (y * self.width + x)
        return tuple(self.data[start : start + 3])


def points(screen):
    """The points of the file of a screen."""
    data = pathlib.Path(screen).read_bytes()
    names = [*_FIELDS, "bits_per_rgb", "entries", "colours"]
    header = dict(zip(names, struct.unpack(f">{len(names)}I", data[: 4 * len(names)])))
    start = header["header_size"] + 12 * header["colours"]
    rows = bytearray()
    for row in range(header["height"]):
        line = data[start + row * header["line"] :][: 4 * header["width"]]
        # Xvfb has blue, green, red and a byte without meaning for each point.
        colours = bytearray(3 * header["width"])
        colours[0::3], colours[1::3], colours[2::3] = line[2::4], line[1::4], line[0::4]
        rows += colours
    return Points(header["width"], header["height"], bytes(rows))


def png(points):
    """The points as the bytes of a PNG."""
    size = 3 * points.width
    rows = b"".join(b"\0" + points.data[row * size : (row + 1) * size] for row in range(points.height))
    shape = struct.pack(">IIBBBBB", points.width, points.height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", shape) + _chunk(b"IDAT", zlib.compress(rows)) + _chunk(b"IEND", b"")


def _chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
