# SPDX-License-Identifier: Apache-2.0
"""Scorecards, whose points are held against a cut-off, and scoreboards, where the class with the most points wins.

Scoreboards are what linear models of more than two classes come down to.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Self

import numpy as np
from numpy.typing import NDArray

from oddly.errors import ModelError
from oddly.model.classifier import Classifier, Named
from oddly.model.numbers import Number, brief, exact, nearest, unit_of
from oddly.model.variable import (
    Bins,
    Described,
    Ties,
    checked_positive,
    checked_ties,
    distinct,
    keep,
    one_more,
    variable,
)


@dataclass(frozen=True, init=False)
class Points(Described):
    """An attribute and the points each of its values earns.

    >>> Points("income", ["low", "middle", "high"], [0, "1.5", 3]).points
    (Fraction(0, 1), Fraction(3, 2), Fraction(3, 1))
    """

    name: str
    values: tuple[str, ...]
    points: tuple[Fraction, ...]
    bins: Bins | None

    def __init__(self, name: str, values: Sequence[str], points: Sequence[Number], bins: Bins | None = None) -> None:
        checked = variable(name, values, "attribute", bins)
        if isinstance(points, str) or not hasattr(points, "__len__"):
            raise ModelError(f"attribute {name}: expected a list of points, found {points!r}")
        if len(points) != (n := len(checked.values)):
            raise ModelError(f"attribute {name}: {n} values need {n} points, found {len(points)}")
        numbers = tuple(exact(p, f"points of {name}={v}") for v, p in zip(checked.values, points, strict=True))
        keep(self, name=checked.name, values=checked.values, points=numbers, bins=bins)


@dataclass(frozen=True, init=False, repr=False)
class Scorecard(Classifier):
    """Positive iff intercept + the points of the values >= cutoff; with `ties="negative"`, iff greater.

    >>> Scorecard([Points("age", ["young", "old"], [0, 2]), Points("owner", ["no", "yes"], [0, 1])], cutoff=2)
    Scorecard: decision=yes if points >= 2, from 2 attributes (age, owner)
    """

    kind, unit, additive = "scorecard", "points", True
    attributes: tuple[Points, ...]
    cutoff: Fraction
    intercept: Fraction
    class_name: str
    class_values: tuple[str, ...]
    positive: str
    ties: Ties

    def __init__(
        self,
        attributes: Sequence[Points],
        cutoff: Number = 0,
        intercept: Number = 0,
        class_name: str = "decision",
        class_values: Sequence[str] = ("yes", "no"),
        positive: str | None = None,
        ties: Ties = "positive",
    ) -> None:
        target = variable(class_name, class_values, "class")
        if len(target.values) != 2:
            raise ModelError(f"class {class_name}: a scorecard decides between 2 values, found {len(target.values)}")
        attributes = tuple(attributes)
        for a in attributes:
            if not isinstance(a, Points):
                raise ModelError(f"expected Points per attribute, found {a!r}")
        distinct([a.name for a in attributes] + [target.name], "attributes and class", "name")
        keep(self, cutoff=exact(cutoff, "cutoff"), intercept=exact(intercept, "intercept"))
        keep(self, attributes=attributes, class_name=target.name, class_values=target.values)
        keep(self, positive=checked_positive(positive, target), ties=checked_ties(ties))

    @property
    def start(self) -> tuple[Fraction, ...]:
        return tuple(self.intercept if value == self.positive else Fraction(0) for value in self.class_values)

    @property
    def limit(self) -> Named:
        return Named(("cutoff",), "cut-off", self.cutoff, lambda to: self.replace(cutoff=to), True)

    def observe(self, values: Mapping[str, str]) -> Self:
        """The card that remains once these attributes are known: their points join the intercept."""
        earned = (self.attributes[place].points[at] for place, at in self._known(values))
        rest = [a for a in self.attributes if a.name not in values]
        return self.replace(intercept=sum(earned, self.intercept), attributes=rest)

    def skipping(self, names: Collection[str]) -> Self:
        more = [Points(a.name, one_more(a.values), [*a.points, 0]) if a.name in names else a for a in self.attributes]
        return self.replace(attributes=more)

    def leads(self, codes: NDArray[np.intp], i: int, j: int) -> list[Fraction]:
        start = self.intercept - self.cutoff
        rows = [[a.points[at] for a, at in zip(self.attributes, row, strict=True)] for row in codes.tolist()]
        return [(i - j) * sum(points, start) for points in rows]

    def numbers(self) -> Iterator[Named]:
        yield self.limit
        yield Named(("intercept",), "intercept", self.intercept, lambda to: self.replace(intercept=to), True)
        for a in self.attributes:
            for i, value in enumerate(a.values):
                put = partial(self._with_points, a, i)
                yield Named(("points", a.name, value), f"points of {a.name}={value}", a.points[i], put, True)

    def _with_points(self, of: Points, at: int, to: Fraction) -> Self:
        new = Points(of.name, of.values, [to if i == at else p for i, p in enumerate(of.points)], of.bins)
        return self.replace(attributes=[new if a is of else a for a in self.attributes])

    def rounded(self, digits: int, *, zeros: bool = True) -> Self:
        return self.in_multiples(unit_of(digits, 0))

    def in_multiples(self, unit: Fraction) -> Self:
        points = [Points(a.name, a.values, [nearest(p, unit) for p in a.points], a.bins) for a in self.attributes]
        return self.replace(attributes=points, intercept=nearest(self.intercept, unit))

    def __repr__(self) -> str:
        sign = ">=" if self.ties == "positive" else ">"
        intercept = f"{brief(self.intercept)} + " if self.intercept else ""
        what = f"{self.class_name}={self.positive} if {intercept}points {sign} {brief(self.cutoff)}"
        return f"Scorecard: {what}, {self._from()}"


@dataclass(frozen=True, init=False)
class Tally(Described):
    """An attribute, and for each of its values the points that go to each class.

    >>> Tally("sky", ["clear", "grey"], [[2, 0, 0], [0, 1, "0.5"]]).points[1]
    (Fraction(0, 1), Fraction(1, 1), Fraction(1, 2))
    """

    name: str
    values: tuple[str, ...]
    points: tuple[tuple[Fraction, ...], ...]
    bins: Bins | None

    def __init__(
        self, name: str, values: Sequence[str], points: Sequence[Sequence[Number]], bins: Bins | None = None
    ) -> None:
        checked = variable(name, values, "attribute", bins)
        if isinstance(points, str) or not isinstance(points, Sequence) or len(points) != len(checked.values):
            raise ModelError(f"attribute {name}: expected a list of points per value, found {points!r}")
        rows = tuple(per_class(row, f"points of {name}={v}") for v, row in zip(checked.values, points, strict=True))
        keep(self, name=checked.name, values=checked.values, points=rows, bins=bins)


@dataclass(frozen=True, init=False, repr=False)
class Scoreboard(Classifier):
    """The class with the most points; of equals, the first listed.

    >>> Scoreboard([Tally("sky", ["clear", "grey"], [[2, 0, 0], [0, 1, 1]])], ["sun", "rain", "snow"], class_name="day")
    Scoreboard: the day of sun, rain, snow with the most points, from 1 attribute (sky)
    """

    kind, unit = "scorecard", "points"
    attributes: tuple[Tally, ...]
    class_values: tuple[str, ...]
    intercept: tuple[Fraction, ...]
    class_name: str

    def __init__(
        self,
        attributes: Sequence[Tally],
        class_values: Sequence[str],
        intercept: Sequence[Number] | None = None,
        class_name: str = "decision",
    ) -> None:
        target = variable(class_name, class_values, "class")
        classes = len(target.values)
        if classes < 2:
            raise ModelError(f"class {class_name}: a classifier needs two class values, found {classes}")
        attributes = tuple(attributes)
        base = per_class([0] * classes if intercept is None else intercept, "intercept")
        for a in attributes:
            if not isinstance(a, Tally):
                raise ModelError(f"expected a Tally per attribute, found {a!r}")
        for row, where in [(base, "intercept"), *((row, a.name) for a in attributes for row in a.points)]:
            if len(row) != classes:
                raise ModelError(f"{where}: {classes} classes need {classes} points, found {len(row)}")
        distinct([a.name for a in attributes] + [target.name], "attributes and class", "name")
        keep(self, attributes=attributes, class_values=target.values, intercept=base, class_name=target.name)

    @property
    def start(self) -> tuple[Fraction, ...]:
        return self.intercept

    def observe(self, values: Mapping[str, str]) -> Self:
        """The board that remains once these attributes are known: their points join the intercept."""
        rows = [self.intercept, *(self.attributes[place].points[at] for place, at in self._known(values))]
        rest = [a for a in self.attributes if a.name not in values]
        return self.replace(intercept=[sum(column, Fraction(0)) for column in zip(*rows, strict=True)], attributes=rest)

    def skipping(self, names: Collection[str]) -> Self:
        nothing = [0] * len(self.class_values)
        more = [
            Tally(a.name, one_more(a.values), [*a.points, nothing]) if a.name in names else a for a in self.attributes
        ]
        return self.replace(attributes=more)

    def leads(self, codes: NDArray[np.intp], i: int, j: int) -> list[Fraction]:
        start = self.intercept[i] - self.intercept[j]
        rows = [[a.points[at] for a, at in zip(self.attributes, row, strict=True)] for row in codes.tolist()]
        return [sum((points[i] - points[j] for points in row), start) for row in rows]

    def numbers(self) -> Iterator[Named]:
        for c, label in enumerate(self.class_values):
            put = partial(self._with_intercept, c)
            yield Named(("intercept", label), f"intercept of {label}", self.intercept[c], put, True)
        for a in self.attributes:
            for (i, value), (c, label) in product(enumerate(a.values), enumerate(self.class_values)):
                name, put = f"points of {a.name}={value} for {label}", partial(self._with_points, a, i, c)
                yield Named(("points", a.name, value, label), name, a.points[i][c], put, True)

    def _with_intercept(self, c: int, to: Fraction) -> Self:
        return self.replace(intercept=[to if i == c else p for i, p in enumerate(self.intercept)])

    def _with_points(self, of: Tally, at: int, c: int, to: Fraction) -> Self:
        rows = [list(row) for row in of.points]
        rows[at][c] = to
        new = Tally(of.name, of.values, rows, of.bins)
        return self.replace(attributes=[new if a is of else a for a in self.attributes])

    def rounded(self, digits: int, *, zeros: bool = True) -> Self:
        return self.in_multiples(unit_of(digits, 0))

    def in_multiples(self, unit: Fraction) -> Self:
        points = [[[nearest(p, unit) for p in row] for row in a.points] for a in self.attributes]
        tallies = [Tally(a.name, a.values, p, a.bins) for a, p in zip(self.attributes, points, strict=True)]
        return self.replace(attributes=tallies, intercept=[nearest(p, unit) for p in self.intercept])

    def __repr__(self) -> str:
        of = f"{self.class_name} of {', '.join(self.class_values)}"
        return f"Scoreboard: the {of} with the most points, {self._from()}"


def per_class(row: object, where: str) -> tuple[Fraction, ...]:
    """A list of exact points."""
    if isinstance(row, str) or not isinstance(row, Sequence):
        raise ModelError(f"{where}: expected a number per class, found {row!r}")
    return tuple(exact(p, where) for p in row)
