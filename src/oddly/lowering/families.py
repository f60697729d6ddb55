# SPDX-License-Identifier: Apache-2.0
"""`Families`: a classifier as whole numbers per class, its attributes in some order."""

from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace as dataclass_replace
from fractions import Fraction
from functools import cached_property
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.lowering.exact import GUARD
from oddly.lowering.score import Arranged, Impossible
from oddly.lowering.steps import AttributeStep, steps
from oddly.model import Model, Variable


@dataclass(frozen=True, eq=False)
class Family:
    """What the values of a few attributes add to each class. The tables' last axis is the class."""

    scope: tuple[int, ...]
    """Depths of the attributes, ascending."""
    weights: NDArray[Any]
    alive: NDArray[np.bool_]
    """False where the class is impossible; the weight there is 0."""
    low: NDArray[Any]
    """weight − error is the true weight; errors count units of 2^-GUARD and lie between `low` and `high`."""
    high: NDArray[Any]
    exact: NDArray[Any] | None
    """Additive: the sums of two classes truly agree iff these do. None where no such numbers are known."""

    def moved(self, place: Sequence[int]) -> "Family":
        """The same with attribute i at depth place[i]."""
        scope = [place[a] for a in self.scope]
        axes = [*np.argsort(scope).tolist(), len(scope)]
        weights, alive, low, high = (a.transpose(axes) for a in (self.weights, self.alive, self.low, self.high))
        exact = None if self.exact is None else self.exact.transpose(axes)
        return Family(tuple(sorted(scope)), weights, alive, low, high, exact)

    def error(self, i: int, j: int) -> tuple[int, int]:
        """The least and the greatest error of the difference between two classes, where both are possible."""
        both = self.alive[..., i] & self.alive[..., j]
        if not both.any():
            return 0, 0
        low = np.subtract(self.low[..., i][both], self.high[..., j][both]).min()
        high = np.subtract(self.high[..., i][both], self.low[..., j][both]).max()
        return int(low), int(high)


@dataclass(frozen=True)
class Outline(Arranged):
    """The attributes of a model and which of them are tied together, without any numbers."""

    variables: tuple[Variable, ...]
    scopes: tuple[tuple[int, ...], ...]

    @property
    def impact(self) -> tuple[float, ...]:
        """All alike, so that nothing but ties and columns decides about an order."""
        return (0.0,) * len(self.variables)

    finite_impact = impact


@dataclass(frozen=True, eq=False)
class Families(Arranged):
    """A classifier as integers, its attributes in some order: the class with the greatest sum is the decision.

    `unit` is what an integer step is worth: a natural logarithm for probabilities, points for a scoreboard.
    """

    model: Model
    impossible: Impossible
    bits: int
    prior: Family
    """What every instance has; with a threshold, this is in it too."""
    families: tuple[Family, ...]
    variables: tuple[Variable, ...]
    places: tuple[int, ...]
    unit: Fraction
    rounded: bool
    """Whether the weights were rounded, so that the certificate has something to show."""
    order: tuple[int, ...]
    """The classes, the one that wins ties first."""
    labels_of: tuple[int, ...]
    """The label of each class."""
    fallback: int
    """The label of an instance that is impossible under every class."""
    threshold: float = 0.0
    """What the log-odds of two classes are held against, where they are."""
    apart: bool = False
    """Whether contexts are kept apart even if the same follows."""

    @property
    def labels(self) -> tuple[str, ...]:
        return self.model.labels

    @property
    def scopes(self) -> tuple[tuple[int, ...], ...]:
        """Which attributes are tied together."""
        return tuple(family.scope for family in self.families)

    @property
    def classes(self) -> int:
        return len(self.labels_of)

    @property
    def kind(self) -> Any:
        """The type of the sums: 64-bit integers, or Python's where those would not do."""
        return self.prior.weights.dtype

    @cached_property
    def witnessed(self) -> bool:
        """Whether true ties can be told from sums that rounding made equal."""
        return all(f.exact is not None for f in (self.prior, *self.families))

    @cached_property
    def finite(self) -> bool:
        """Whether no class is ever impossible."""
        return all(bool(f.alive.all()) for f in (self.prior, *self.families))

    @cached_property
    def steps(self) -> list[AttributeStep]:
        """The families read attribute by attribute."""
        return steps(self)

    def strict(self, i: int, j: int) -> bool:
        """Whether class i must have more than class j to win against it: a tie goes to j."""
        return self.order.index(i) > self.order.index(j)

    def error(self, i: int, j: int) -> tuple[Fraction, Fraction]:
        """The least and the greatest rounding error of the difference of two classes' sums, in units."""
        errors = [f.error(i, j) for f in (self.prior, *self.families)]
        return tuple(Fraction(sum(e), 1 << GUARD) for e in zip(*errors, strict=True))  # type: ignore[return-value]

    @cached_property
    def impact(self) -> tuple[float, ...]:
        """How much each attribute can move two classes against each other; infinite where it can rule one out."""
        return tuple(inf if ruling else spread for ruling, spread in self._spreads)

    @cached_property
    def finite_impact(self) -> tuple[float, ...]:
        """The same over what it does not rule out."""
        return tuple(spread for _, spread in self._spreads)

    @cached_property
    def _spreads(self) -> list[tuple[bool, int]]:
        found = [(False, 0)] * len(self.variables)
        for family in self.families:
            for axis, place in enumerate(family.scope):
                ruling, spread = found[place]
                found[place] = (ruling or _rules_out(family, axis), spread + _spread(family, axis))
        return found

    def remembering(self, scopes: Sequence[tuple[int, ...]]) -> "Families":
        """The same with contexts that tell apart all values of the attributes in these scopes, and in its own."""
        shapes = [(scope, (*(len(self.variables[a].values) for a in scope), self.classes)) for scope in scopes]
        blank = tuple(_blank(scope, shape, self.kind) for scope, shape in shapes if scope)
        return dataclass_replace(self, families=(*self.families, *blank), apart=True)

    def in_order(self, order: Sequence[int]) -> "Families":
        """The same with its attributes rearranged."""
        place = np.argsort(order).tolist()
        families = tuple(f.moved(place) for f in self.families)
        variables, places = tuple(self.variables[i] for i in order), tuple(self.places[i] for i in order)
        return dataclass_replace(self, families=families, variables=variables, places=places)


def _blank(scope: tuple[int, ...], shape: tuple[int, ...], kind: Any) -> Family:
    """A family that adds nothing."""
    nothing = np.zeros(shape, object)
    return Family(scope, np.zeros(shape, kind), np.ones(shape, bool), nothing, nothing, nothing)


def _rules_out(family: Family, axis: int) -> bool:
    """Whether a value of this attribute can rule out a class that another leaves possible."""
    return all(bool((family.alive.any(axis=a) & ~family.alive.all(axis=a)).any()) for a in (-1, axis))


def _spread(family: Family, axis: int) -> int:
    """The most that changing this attribute alone moves two classes against each other."""
    most = 0
    for i in range(family.weights.shape[-1]):
        for j in range(i):
            both = family.alive[..., i] & family.alive[..., j]
            difference = family.weights[..., i] - family.weights[..., j]
            high = np.where(both, difference, difference.min()).max(axis=axis)
            low = np.where(both, difference, difference.max()).min(axis=axis)
            most = max(most, int(np.max(high - low)))
    return most
