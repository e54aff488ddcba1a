"""A secret in memory that can be wiped.

Python's own texts and bytes cannot be changed, so a secret never becomes one: it goes from the toolkit's buffer into a
`bytearray` of its full size, from there into the line for uafctl, and both are overwritten. What the toolkit, the input method
and the X server copy is out of reach (docs/threats.md).
"""

from collections.abc import Iterable
from types import TracebackType


class Secret:
    """Bytes that are overwritten when the context ends, or by `wipe`."""

    __slots__ = ("octets",)

    def __init__(self, size: int = 0) -> None:
        self.octets = bytearray(size)

    @classmethod
    def of_digits(cls, digits: Iterable[int]) -> "Secret":
        """The digits as ASCII; the digits themselves stay with whoever has them."""
        numbers = [48 + digit for digit in digits]
        secret = cls(len(numbers))
        secret.octets[:] = numbers
        for index in range(len(numbers)):
            numbers[index] = 0
        return secret

    def wipe(self) -> None:
        """Overwrites the bytes in place, and forgets how many there were."""
        wipe(self.octets)
        self.octets = bytearray()

    def __len__(self) -> int:
        return len(self.octets)

    def __repr__(self) -> str:
        return "Secret()"

    def __enter__(self) -> "Secret":
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self.wipe()


def wipe(octets: bytearray) -> None:
    """Overwrites bytes in place: the size stays, so nothing is moved to another place first."""
    for index in range(len(octets)):
        octets[index] = 0
