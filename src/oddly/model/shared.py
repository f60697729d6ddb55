# SPDX-License-Identifier: Apache-2.0
"""Two sides that value one attribute differently: which values have they in common, each cut as finely as either does?

A *cell* is what both sides take for one of their values. Of a number cells lie between the cuts of both; where both cut
at one number, but one counts it as above and the other as below, the number itself is a cell. A label that is a number
lies where the other side cuts it. What only one side knows, such as a label, or missing, has no value on the other.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor

from oddly.errors import ModelError, Unsupported
from oddly.model.numbers import exact
from oddly.model.variable import Bins, Boundary, Variable, distinct

Stretch = tuple[Boundary | None, Boundary | None]
"""The numbers between two boundaries; None is without end."""


@dataclass(frozen=True)
class SharedCell:
    """What each side takes for one of its values."""

    label: str
    left: int | None
    """The place of the value that it lies in; None where that side has none."""
    right: int | None

    @property
    def common(self) -> bool:
        return self.left is not None and self.right is not None


@dataclass(frozen=True)
class SharedValues:
    """All cells of an attribute that two sides have: those of numbers first, rising, then labels."""

    name: str
    cells: tuple[SharedCell, ...]
    bins: Bins | None = None
    """Where the first cells are cut, if they are numbers."""

    @property
    def common(self) -> tuple[SharedCell, ...]:
        """The cells that both sides know."""
        return tuple(cell for cell in self.cells if cell.common)

    @property
    def left_out(self) -> tuple[SharedCell, ...]:
        """Those that only one does."""
        return tuple(cell for cell in self.cells if not cell.common)

    def variable(self, cells: Sequence[SharedCell]) -> Variable:
        """The attribute with some of its cells; where numbers are missing among them, it is cut no more."""
        bins, labels = self.bins, tuple(cell.label for cell in cells)
        if bins is not None:
            numbers = self.cells[: len(bins.cuts) + 1]
            bins = bins if tuple(cells[: len(numbers)]) == numbers else None
        return Variable(self.name, labels, bins)


def shared_values(left: Variable, right: Variable) -> SharedValues:
    """Which values do two sides have in common?

    >>> left, right = Variable("age", ("<30", ">=30"), Bins([30])), Variable("age", ("<=30", ">30", "?"), Bins([30], "right"))
    >>> [(cell.label, cell.left, cell.right) for cell in shared_values(left, right).cells]
    [('<30', 0, 0), ('30', 1, 0), ('>30', 1, 1), ('?', None, 2)]
    """
    same = (left.values, left.bins) == (right.values, right.bins) and not _idle(left.bins)
    if same or _by_label(left, right):
        first, second = (right, left) if left.bins is None and right.bins is not None else (left, right)
        labels = dict.fromkeys(first.values + second.values)
        return SharedValues(left.name, tuple(_labels(labels, left, right)), first.bins)
    whole = any(v.bins is not None and v.bins.whole for v in (left, right))
    gaps = next((v.bins.missing for v in (left, right) if v.bins is not None and v.bins.missing is not None), None)
    sides = _NumberLine(left, whole), _NumberLine(right, whole)
    ends = sorted({*sides[0].ends, *sides[1].ends})
    stretches = list(pairwise([None, *ends, None]))
    bins = Bins([cut for cut, _ in ends], ["right" if above else "left" for _, above in ends], gaps, whole)
    numbers = tuple(_named(stretches, bins, *sides))
    others = tuple(_labels(dict.fromkeys([value for side in sides for value in side.others]), left, right))
    if len({cell.label for cell in numbers + others}) < len(numbers + others):
        numbers = tuple(replace(cell, label=label) for cell, label in zip(numbers, bins.labels, strict=True))
    distinct([cell.label for cell in numbers + others], f"attribute {left.name}", "value")
    return SharedValues(left.name, numbers + others, bins)


def lying_in(v: Variable, own: Variable) -> list[int]:
    """By value of `v`, the value of `own` that it lies in, and -1 where that has none; an error where it has several."""
    if v == own:
        return list(range(len(own.values)))
    found: dict[int, set[int]] = {place: set() for place in range(len(v.values))}
    for cell in shared_values(v, own).cells:
        if cell.left is not None:
            found[cell.left].add(-1 if cell.right is None else cell.right)
    for value, places in zip(v.values, found.values(), strict=True):
        if len(places) > 1:
            raise Unsupported(f"{v.name}={value} is several of {', '.join(own.values)}")
    return [next(iter(places), -1) for places in found.values()]


def meets(v: Variable, own: Variable) -> list[list[int]]:
    """By value of `own`, the values of `v` that it has cells in common with; -1 for those that `v` does not have."""
    if v == own:
        return [[place] for place in range(len(own.values))]
    found: list[set[int]] = [set() for _ in own.values]
    for cell in shared_values(v, own).cells:
        if cell.right is not None:
            found[cell.right].add(-1 if cell.left is None else cell.left)
    return [sorted(places) or [-1] for places in found]


def _by_label(left: Variable, right: Variable) -> bool:
    """Whether values are the same if they are called the same: where none are numbers, or one side calls intervals
    what the other does without saying where they are cut."""
    if left.bins is None and right.bins is None:
        return True
    if left.bins is not None and right.bins is not None:
        return False
    cut, other = (left, right) if right.bins is None else (right, left)
    assert cut.bins is not None
    return any(label in other.values and _number(label) is None for label in cut.values[: len(cut.bins.cuts) + 1])


def _labels(labels: Iterable[str], left: Variable, right: Variable) -> Iterator[SharedCell]:
    for label in labels:
        at = [v.values.index(label) if label in v.values else None for v in (left, right)]
        yield SharedCell(label, *at)


class _NumberLine:
    """The numbers that one side's values are, and the values that are none."""

    def __init__(self, variable: Variable, whole: bool) -> None:
        self.variable, self.bins = variable, variable.bins
        self.points: dict[Stretch, int] = {}
        if self.bins is not None:
            self.cuts = [_rounded(end) if whole else end for end in self.bins.boundaries]
            self.ends, self.others = self.cuts, variable.values[len(self.cuts) + 1 :]
            return
        for place, value in enumerate(variable.values):
            if (number := _number(value)) is not None:
                low, high = ((_rounded(end) if whole else end) for end in ((number, 0), (number, 1)))
                if low < high:
                    self.points.setdefault((low, high), place)
        self.ends = [end for point in self.points for end in point if end is not None]
        known = set(self.points.values())
        self.others = tuple(v for place, v in enumerate(variable.values) if place not in known)

    def place(self, stretch: Stretch) -> int | None:
        """The value in which the numbers between two neighbouring boundaries lie."""
        if self.bins is None:
            return self.points.get(stretch)
        return 0 if stretch[0] is None else bisect_right(self.cuts, stretch[0])

    def whole_value(self, place: int | None, places: Sequence[int | None]) -> str | None:
        """The name of a value that one cell alone lies in."""
        return self.variable.values[place] if place is not None and places.count(place) == 1 else None


def _named(stretches: Sequence[Stretch], bins: Bins, left: _NumberLine, right: _NumberLine) -> Iterator[SharedCell]:
    """The cells of numbers: called as a side calls them where that cannot be mistaken, and otherwise by their ends."""
    sides = [([side.place(s) for s in stretches], side) for side in (left, right)]
    for at, label in enumerate(bins.labels):
        names = [side.whole_value(places[at], places) for places, side in sides]
        plain = [name and _plain(name, other, names) for name, (_, other) in zip(names, sides[::-1], strict=True)]
        known = sorted(range(2), key=lambda i: sides[i][1].bins is not None)  # a number that is a label stays so
        own = [name for i in known if (name := names[i]) and plain[i]]
        yield SharedCell(own[0] if own else label, *(places[at] for places, _ in sides))


def _plain(name: str, other: _NumberLine, names: Sequence[str | None]) -> bool:
    """Whether the other side calls nothing else so."""
    return name not in other.variable.values or names == [name, name]


def _idle(bins: Bins | None) -> bool:
    """Whether the numbers are whole, and some interval holds none."""
    return bins is not None and bins.whole and len({_rounded(end) for end in bins.boundaries}) < len(bins.cuts)


def _rounded(end: Boundary) -> Boundary:
    """The boundary between the same whole numbers, at the one above it."""
    cut, above = end
    return Fraction(floor(cut) + 1 if above else ceil(cut)), 0


def _number(label: str) -> Fraction | None:
    try:
        return exact(label, "number")
    except ModelError:
        return None
