# SPDX-License-Identifier: Apache-2.0
"""Scorecards: points per attribute value, added up and held against a cut-off."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from dataclasses import replace as dataclass_replace
from fractions import Fraction
from typing import Any, Self

from oddly.errors import ModelError, UnknownName
from oddly.model.decision import Ties, checked_positive, checked_ties, two_labels
from oddly.model.numbers import Number, brief, exact
from oddly.model.variable import Bins, Variable, distinct, variable


@dataclass(frozen=True, init=False)
class Points:
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
        if len(points) != len(checked.values):
            raise ModelError(
                f"attribute {name}: {len(checked.values)} values need {len(checked.values)} points, found {len(points)}"
            )
        numbers = tuple(exact(p, f"points of {name}={v}") for v, p in zip(checked.values, points, strict=True))
        object.__setattr__(self, "name", checked.name)
        object.__setattr__(self, "values", checked.values)
        object.__setattr__(self, "points", numbers)
        object.__setattr__(self, "bins", bins)

    @property
    def variable(self) -> Variable:
        return Variable(self.name, self.values, self.bins)


@dataclass(frozen=True, init=False, repr=False)
class Scorecard:
    """Positive iff intercept + the points of the values >= cutoff; with `ties="negative"`, iff greater.

    >>> Scorecard([Points("age", ["young", "old"], [0, 2]), Points("owner", ["no", "yes"], [0, 1])], cutoff=2)
    Scorecard: decision=yes if points >= 2, from 2 attributes (age, owner)
    """

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
        fields: dict[str, Any] = {
            "attributes": attributes,
            "cutoff": exact(cutoff, "cutoff"),
            "intercept": exact(intercept, "intercept"),
            "class_name": target.name,
            "class_values": target.values,
            "positive": checked_positive(positive, target),
            "ties": checked_ties(ties),
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The attributes, without their points."""
        return tuple(a.variable for a in self.attributes)

    @property
    def labels(self) -> tuple[str, ...]:
        """The decisions: (negative, positive)."""
        return two_labels(self.positive, self.class_values)

    def replace(self, **changes: Any) -> Self:
        """The same card with some fields changed, checked again."""
        return dataclass_replace(self, **changes)

    def observe(self, values: Mapping[str, str]) -> "Scorecard":
        """The card that remains once these attributes are known: their points join the intercept."""
        by_name = {a.name: a for a in self.attributes}
        intercept = self.intercept
        for name, value in values.items():
            if name not in by_name:
                raise UnknownName.among("attribute", name, by_name)
            intercept += by_name[name].points[by_name[name].variable.index(value)]
        return self.replace(intercept=intercept, attributes=[a for a in self.attributes if a.name not in values])

    def __repr__(self) -> str:
        n = len(self.attributes)
        names = ", ".join(a.name for a in self.attributes[:6]) + (", …" if n > 6 else "")
        sign = ">=" if self.ties == "positive" else ">"
        intercept = f"{brief(self.intercept)} + " if self.intercept else ""
        return (
            f"Scorecard: {self.class_name}={self.positive} if {intercept}points {sign} {brief(self.cutoff)}, "
            f"from {n} attribute{'' if n == 1 else 's'}" + (f" ({names})" if names else "")
        )
