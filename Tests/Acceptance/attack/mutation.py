"""Mutates packets and documents; the same seed gives the same mutations."""

import random


class Mutator:
    def __init__(self, seed, others=()):
        self._random = random.Random(seed)
        self._others = list(others)

    def pick(self, items):
        return self._random.choice(items)

    def noise(self, longest):
        return self._random.randbytes(self._random.randint(0, longest))

    def change(self, data):
        """The data with one to four changes."""
        for _ in range(self._random.randint(1, 4)):
            data = self.pick(
                (self._flip, self._set, self._cut, self._grow, self._repeat, self._length, self._splice, self._drop)
            )(data)
        return data

    def _place(self, data):
        return self._random.randrange(len(data)) if data else 0

    def _flip(self, data):
        place = self._place(data)
        return data[:place] + bytes([data[place] ^ 1 << self._random.randrange(8)]) + data[place + 1 :] if data else data

    def _set(self, data):
        place = self._place(data)
        byte = self.pick((b"\x00", b"\xff", b"\x7f", b"\x80", b'"', b"{", b"[", b"\\"))
        return data[:place] + byte + data[place + 1 :]

    def _cut(self, data):
        return data[: self._place(data)]

    def _grow(self, data):
        place = self._place(data)
        return data[:place] + self._random.randbytes(self._random.choice((1, 2, 3, 64, 5000))) + data[place:]

    def _repeat(self, data):
        first, last = sorted((self._place(data), self._place(data)))
        return data[:last] + data[first:last] * self._random.choice((1, 2, 50)) + data[last:]

    def _length(self, data):
        place = self._place(data)
        length = self.pick((b"\x00\x00", b"\xff\xff", b"\x00\x01", b"\x04\x00", b"999"))
        return data[:place] + length + data[place + 2 :]

    def _splice(self, data):
        other = self._random.choice(self._others) if self._others else data
        return data[: self._place(data)] + other[self._place(other) :]

    def _drop(self, data):
        first, last = sorted((self._place(data), self._place(data)))
        return data[:first] + data[last:]
