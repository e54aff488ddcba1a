"""A pattern while it is drawn: the rules of the grid, as the core has them.

Each node occurs once, and a line that passes over a node not yet visited takes it along: 1 to 3 is 1, 2, 3.
"""

NODES = range(1, 10)


class Stroke:
    """The nodes so far, in numbers that can be overwritten: 1 at the top left, 9 at the bottom right."""

    def __init__(self) -> None:
        self._nodes = bytearray(len(NODES))
        self._count = 0

    @property
    def nodes(self) -> list[int]:
        """The nodes in their order."""
        return list(self._nodes[: self._count])

    def __len__(self) -> int:
        return self._count

    def add(self, node: int) -> list[int]:
        """Goes on to a node; returns what was added, which is nothing for a node that was visited."""
        if node not in NODES or node in self.nodes:
            return []
        added = [node]
        if self._count and (passed := between(self._nodes[self._count - 1], node)) and passed not in self.nodes:
            added.insert(0, passed)
        for each in added:
            self._nodes[self._count] = each
            self._count += 1
        return added

    def take_back(self) -> None:
        """Removes the last node."""
        if self._count:
            self._count -= 1
            self._nodes[self._count] = 0

    def clear(self) -> None:
        """Overwrites all nodes."""
        while self._count:
            self.take_back()


def between(first: int, second: int) -> int | None:
    """The node halfway between two, if the line passes over one."""
    rows, columns = (first - 1) // 3 + (second - 1) // 3, (first - 1) % 3 + (second - 1) % 3
    if rows % 2 or columns % 2 or first == second:
        return None
    return rows // 2 * 3 + columns // 2 + 1
