# SPDX-License-Identifier: Apache-2.0
"""Sums of small tables: points for the values of one, two or three attributes at a time, held against a cut-off.

What boosted stumps, additive models with interactions and scorecards with a crossed table come down to. A scorecard is the
case in which every table is over one attribute.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from oddly.errors import ModelError
from oddly.model.classifier import Classifier, Named
from oddly.model.numbers import Number, brief, exact, nearest, unit_of
from oddly.model.scorecard import Points
from oddly.model.variable import Bins, Described, Ties, checked_positive, checked_ties, distinct, keep, variable

MOST = 3  # attributes of a table: with more, it is no small one
CROSS = " × "


@dataclass(frozen=True)
class Attribute(Described):
    """A name, its values, and where a number is cut: what several tables may share."""

    name: str
    values: tuple[str, ...]
    bins: Bins | None = None

    def __post_init__(self) -> None:
        checked = variable(self.name, self.values, "attribute", self.bins)
        keep(self, values=checked.values)


@dataclass(frozen=True, init=False)
class Crossed:
    """Points for the values of a few attributes together, nested in their order: the last one's values stand side by side.

    >>> table = Crossed(["age", "owner"], [[0, 1], [2, "2.5"]])
    >>> table.name, table.points[-1]
    ('age × owner', Fraction(5, 2))
    """

    over: tuple[str, ...]
    shape: tuple[int, ...]
    points: tuple[Fraction, ...]
    """Of all combinations, the last attribute's values changing fastest."""

    def __init__(self, over: Sequence[str], points: Sequence[Any]) -> None:
        names = (over,) if isinstance(over, str) else tuple(over)
        if not 1 <= len(names) <= MOST:
            raise ModelError(f"a table of points is over one to {MOST} attributes, found {len(names)}")
        distinct(names, CROSS.join(names), "attribute")
        shape, found = _flat(points, len(names), f"points of {CROSS.join(names)}")
        keep(self, over=names, shape=shape, points=found)

    @property
    def name(self) -> str:
        return CROSS.join(self.over)

    @property
    def array(self) -> NDArray[Any]:
        """The points as an array with an axis per attribute."""
        found = np.empty(len(self.points), object)
        found[:] = self.points
        return found.reshape(self.shape)

    def nested(self) -> Any:
        """The points as they were given."""
        return self.array.tolist()


@dataclass(frozen=True, init=False, repr=False)
class Sum(Classifier):
    """Positive iff intercept + the points of all tables >= cutoff; with `ties="negative"`, iff greater.

    `attributes` says what there is, and `tables` what it earns: `Points` bring their attribute along.

    >>> age, owner = Attribute("age", ("young", "old")), Attribute("owner", ("no", "yes"))
    >>> Sum([age, owner], [Crossed(["age", "owner"], [[0, 1], [2, 5]]), Crossed("owner", [0, 1])], cutoff=2)
    Sum: decision=yes if points >= 2, 2 tables, from 2 attributes (age, owner)
    """

    kind, unit = "sum", "points"
    attributes: tuple[Attribute, ...]
    tables: tuple[Crossed, ...]
    cutoff: Fraction
    intercept: Fraction
    class_name: str
    class_values: tuple[str, ...]
    positive: str
    ties: Ties

    def __init__(
        self,
        attributes: Sequence[Attribute | Points],
        tables: Sequence[Crossed | Points] = (),
        cutoff: Number = 0,
        intercept: Number = 0,
        class_name: str = "decision",
        class_values: Sequence[str] = ("yes", "no"),
        positive: str | None = None,
        ties: Ties = "positive",
    ) -> None:
        target = variable(class_name, class_values, "class")
        if len(target.values) != 2:
            raise ModelError(f"class {class_name}: a sum decides between 2 values, found {len(target.values)}")
        own = [a for a in (*attributes, *tables) if isinstance(a, Points)]
        given = {a.name: a for a in attributes if isinstance(a, Attribute)}
        found = {**given, **{a.name: Attribute(a.name, a.values, a.bins) for a in own if a.name not in given}}
        distinct([a.name for a in attributes], "attributes", "name")
        distinct([*found, target.name], "attributes and class", "name")
        crossed = [*(Crossed([p.name], p.points) for p in own), *_but_points(tables)]
        for table in crossed:
            _check(table, found)
        distinct([CROSS.join(sorted(table.over)) for table in crossed], "tables", "table over")
        keep(self, attributes=tuple(found.values()), tables=tuple(crossed))
        keep(self, cutoff=exact(cutoff, "cutoff"), intercept=exact(intercept, "intercept"))
        keep(self, class_name=target.name, class_values=target.values)
        keep(self, positive=checked_positive(positive, target), ties=checked_ties(ties))

    @property
    def start(self) -> tuple[Fraction, ...]:
        return tuple(self.intercept if value == self.positive else Fraction(0) for value in self.class_values)

    @property
    def limit(self) -> Named:
        return Named(("cutoff",), "cut-off", self.cutoff, lambda to: self.replace(cutoff=to), True)

    def scope(self, table: Crossed) -> tuple[int, ...]:
        """The places of a table's attributes."""
        places = {a.name: i for i, a in enumerate(self.attributes)}
        return tuple(places[name] for name in table.over)

    def observe(self, values: Mapping[str, str]) -> Self:
        """The sum that remains once these attributes are known: each table is read where they are."""
        known = {self.attributes[place].name: at for place, at in self._known(values)}
        left: dict[tuple[str, ...], Any] = {}
        for table in self.tables:
            points = table.array[tuple(known.get(name, slice(None)) for name in table.over)]
            rest = [name for name in table.over if name not in known]
            over = tuple(sorted(rest))
            points = points.transpose([rest.index(name) for name in over]) if over else points
            left[over] = left[over] + points if over in left else points
        intercept = self.intercept + left.pop((), 0)
        tables = [Crossed(over, points.tolist()) for over, points in left.items()]
        rest_of = [a for a in self.attributes if a.name not in known]
        return self.replace(attributes=rest_of, tables=tables, intercept=intercept)

    def leads(self, codes: NDArray[np.intp], i: int, j: int) -> list[Fraction]:
        total = np.full(len(codes), self.intercept - self.cutoff, object)
        for table in self.tables:
            total = total + table.array[tuple(codes[:, place] for place in self.scope(table))]
        return [(i - j) * points for points in total.tolist()]

    def numbers(self) -> Iterator[Named]:
        yield self.limit
        yield Named(("intercept",), "intercept", self.intercept, lambda to: self.replace(intercept=to), True)
        for place, table in enumerate(self.tables):
            for at, (said, now) in enumerate(zip(self.combinations(table), table.points, strict=True)):
                name = f"points of {', '.join(f'{n}={v}' for n, v in zip(table.over, said, strict=True))}"
                yield Named(("points", table.name, CROSS.join(said)), name, now, partial(self._with, place, at), True)

    def combinations(self, table: Crossed) -> Iterator[tuple[str, ...]]:
        """The values of a table's attributes, in the order of its points."""
        return product(*(self.attributes[place].values for place in self.scope(table)))

    def _with(self, place: int, at: int, to: Fraction) -> Self:
        table = self.tables[place]
        points = np.array([*table.points[:at], to, *table.points[at + 1 :]], object).reshape(table.shape)
        new = Crossed(table.over, points.tolist())
        return self.replace(tables=[new if i == place else t for i, t in enumerate(self.tables)])

    def rounded(self, digits: int, *, zeros: bool = True) -> Self:
        return self.in_multiples(unit_of(digits, 0))

    def in_multiples(self, unit: Fraction) -> Self:
        points = [np.array([nearest(p, unit) for p in t.points], object).reshape(t.shape) for t in self.tables]
        tables = [Crossed(t.over, p.tolist()) for t, p in zip(self.tables, points, strict=True)]
        return self.replace(tables=tables, intercept=nearest(self.intercept, unit))

    def __repr__(self) -> str:
        sign = ">=" if self.ties == "positive" else ">"
        intercept = f"{brief(self.intercept)} + " if self.intercept else ""
        what = f"{self.class_name}={self.positive} if {intercept}points {sign} {brief(self.cutoff)}"
        return f"Sum: {what}, {len(self.tables)} table{'' if len(self.tables) == 1 else 's'}, {self._from()}"


def _but_points(tables: Sequence[Any]) -> Iterator[Crossed]:
    for table in tables:
        if not isinstance(table, Crossed | Points):
            raise ModelError(f"expected Crossed or Points per table, found {table!r}")
        if isinstance(table, Crossed):
            yield table


def _check(table: Crossed, attributes: Mapping[str, Attribute]) -> None:
    for name, size in zip(table.over, table.shape, strict=True):
        if name not in attributes:
            raise ModelError(f"points of {table.name}: there is no attribute {name!r}")
        if size != len(attributes[name].values):
            many = len(attributes[name].values)
            raise ModelError(f"points of {table.name}: {name} has {many} values, found points for {size}")


def _flat(points: Any, depth: int, where: str) -> tuple[tuple[int, ...], tuple[Fraction, ...]]:
    """The shape of nested lists, and their numbers one after the other."""
    if isinstance(points, str) or not isinstance(points, Sequence) or not len(points):
        raise ModelError(f"{where}: expected a list of points for every value, found {points!r}")
    if depth == 1:
        return (len(points),), tuple(exact(p, where) for p in points)
    shapes, rows = zip(*(_flat(row, depth - 1, where) for row in points), strict=True)
    if len(set(shapes)) > 1:
        raise ModelError(f"{where}: rows of different lengths")
    return (len(points), *shapes[0]), tuple(p for row in rows for p in row)
