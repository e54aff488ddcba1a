"""The table of pam.d/README.md: the prompts and the result for each case, service and shape.

Purpose: to be read by people and by the row that drives every stack through every case. `read` is the only public function.
"""

import dataclasses

SHAPES = ("instead", "fallback", "second-factor")
_ASKED = ("passcode", "password", "new passcode")
_END = {"in": True, "refused": False}


@dataclasses.dataclass(frozen=True)
class Cell:
    """What is asked, in order, each answered as the case has it; and whether that lets in."""

    asked: tuple
    is_in: bool

    def __str__(self):
        return f"{', '.join(self.asked) or 'nothing'} → {'in' if self.is_in else 'refused'}"


def read(text, services):
    """The cells by (case, service, shape); None if the table has a dash. A ValueError names the invalid line.

    `services` has the existing shapes of each service; cells of other shapes are ignored. Each service has a row for each case,
    except for the cases in `alone`, which belong to one service.
    """
    cells, alone = {}, set()
    for case, who, *row in _rows(text):
        if who.endswith(" alone"):
            alone.add(case)
        for service in _services(who.removesuffix(" alone"), services):
            for shape, cell in zip(SHAPES, row):
                cell = _cell(cell)
                if (case, service, shape) in cells:
                    raise ValueError(f"{case}: {service} has two rows")
                if shape in services[service]:
                    cells[case, service, shape] = cell
    for case in {case for case, _, _ in cells}:
        for service, shapes in services.items():
            if case not in alone and not all((case, service, shape) in cells for shape in shapes):
                raise ValueError(f"{case}: {service} has no row")
    return cells


def _rows(text):
    """The lines of the table whose head begins with `case`, as lists of cells."""
    lines = iter(text.splitlines())
    for line in lines:
        if _split(line) == ["case", "services", *SHAPES]:
            break
    else:
        raise ValueError("there is no table of cases")
    next(lines)
    for line in lines:
        if not line.startswith("|"):
            return
        row = _split(line)
        if len(row) != 2 + len(SHAPES):
            raise ValueError(f"not a row of {2 + len(SHAPES)} cells: {line}")
        yield row


def _split(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _services(text, known):
    """`all`, `all but A, B`, or `A, B`."""
    if text == "all":
        return list(known)
    named = text.removeprefix("all but ").split(", ")
    for name in named:
        if name not in known:
            raise ValueError(f"there is no service called {name}")
    return [name for name in known if name not in named] if text.startswith("all but ") else named


def _cell(text):
    if text == "–":
        return None
    asked, _, end = text.partition(" → ")
    asked = () if asked == "nothing" else tuple(asked.split(", "))
    if end not in _END or not set(asked) <= set(_ASKED):
        raise ValueError(f"not a cell: {text}")
    return Cell(asked, _END[end])
