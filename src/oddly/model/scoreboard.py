# SPDX-License-Identifier: Apache-2.0
"""Scoreboards: every value gives points to every class, and the class with the most points wins.

What linear models of more than two classes come down to.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from dataclasses import replace as dataclass_replace
from fractions import Fraction
from typing import Any, Self

from oddly.errors import ModelError, UnknownName
from oddly.model.numbers import Number, exact
from oddly.model.variable import Bins, Variable, distinct, variable


@dataclass(frozen=True, init=False)
class Tally:
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
        object.__setattr__(self, "name", checked.name)
        object.__setattr__(self, "values", checked.values)
        object.__setattr__(self, "points", rows)
        object.__setattr__(self, "bins", bins)

    @property
    def variable(self) -> Variable:
        return Variable(self.name, self.values, self.bins)


@dataclass(frozen=True, init=False, repr=False)
class Scoreboard:
    """The class with the most points; of equals, the first listed.

    >>> Scoreboard([Tally("sky", ["clear", "grey"], [[2, 0, 0], [0, 1, 1]])], ["sun", "rain", "snow"], class_name="day")
    Scoreboard: the day of sun, rain, snow with the most points, from 1 attribute (sky)
    """

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
        object.__setattr__(self, "attributes", attributes)
        object.__setattr__(self, "class_values", target.values)
        object.__setattr__(self, "intercept", base)
        object.__setattr__(self, "class_name", target.name)

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The attributes, without their points."""
        return tuple(a.variable for a in self.attributes)

    @property
    def labels(self) -> tuple[str, ...]:
        """The decisions: the class values."""
        return self.class_values

    @property
    def positive(self) -> None:
        """None: no class is set against the others."""
        return

    def replace(self, **changes: Any) -> Self:
        """The same board with some fields changed, checked again."""
        return dataclass_replace(self, **changes)

    def observe(self, values: Mapping[str, str]) -> "Scoreboard":
        """The board that remains once these attributes are known: their points join the intercept."""
        by_name = {a.name: a for a in self.attributes}
        base = list(self.intercept)
        for name, value in values.items():
            if name not in by_name:
                raise UnknownName.among("attribute", name, by_name)
            row = by_name[name].points[by_name[name].variable.index(value)]
            base = [p + q for p, q in zip(base, row, strict=True)]
        return self.replace(intercept=base, attributes=[a for a in self.attributes if a.name not in values])

    def __repr__(self) -> str:
        n = len(self.attributes)
        names = ", ".join(a.name for a in self.attributes[:6]) + (", …" if n > 6 else "")
        return (
            f"Scoreboard: the {self.class_name} of {', '.join(self.class_values)} with the most points, "
            f"from {n} attribute{'' if n == 1 else 's'}" + (f" ({names})" if names else "")
        )


def per_class(row: object, where: str) -> tuple[Fraction, ...]:
    """A list of exact points."""
    if isinstance(row, str) or not isinstance(row, Sequence):
        raise ModelError(f"{where}: expected a number per class, found {row!r}")
    return tuple(exact(p, where) for p in row)
