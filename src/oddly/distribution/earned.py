# SPDX-License-Identifier: Apache-2.0
"""How many points does an instance earn, value by value?  Of scorecards, whose points people add up with a pencil."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from oddly.answers import Rounded, TypedJson
from oddly.answers.blocks import Table
from oddly.diagram import ODD
from oddly.model import Model
from oddly.model.numbers import brief


@dataclass(frozen=True)
class Earned(TypedJson):
    """The points of an instance."""

    total: Rounded
    """What is held against the cut-off, the intercept included."""
    cutoff: Rounded
    """The points from which on the decision is positive."""
    intercept: Rounded
    """What everyone has."""
    by_attribute: Mapping[str, Rounded]
    """What each value earns."""

    def words(self) -> str:
        """The sum as one writes it down."""
        each = [f"{name} {shown_points(points)}" for name, points in self.by_attribute.items()]
        start = [f"{shown_points(self.intercept)} to begin with"] if self.intercept else []
        return f"{shown_points(self.total)}, cut-off {shown_points(self.cutoff)}: {', '.join([*start, *each])}"


def earned(odd: ODD, instance: Mapping[str, str]) -> Earned | None:
    """The points of a complete instance, given by its labels; None where the model has no points or more is to be known."""
    card = card_of(odd)
    if card is None or any(instance.get(a.name) not in a.values for a in card.attributes):
        return None
    points = {a.name: a.points[a.values.index(instance[a.name])] for a in card.attributes}
    assert card.limit is not None
    intercept = _intercept(card)
    return Earned(sum(points.values(), intercept), card.limit.now, intercept, points)


def totals(odd: ODD, codes: Sequence[Sequence[int]]) -> list[Fraction] | None:
    """The points of rows of value indices in the order of the diagram's columns; None without a scorecard."""
    card = card_of(odd)
    if card is None:
        return None
    place = {name: i for i, name in enumerate(odd.columns)}
    columns = [(place[a.name], a.points) for a in card.attributes]
    return [sum((points[row[at]] for at, points in columns), _intercept(card)) for row in codes]


def card_of(odd: ODD) -> Model | None:
    """The model of a diagram, if it holds a sum of points against a cut-off."""
    model = odd.source.model if odd.source is not None else None
    if model is None or model.unit != "points" or not model.additive:
        return None
    return model if {a.name for a in model.attributes} == set(odd.columns) else None


def _intercept(card: Model) -> Fraction:
    """What everyone has: the start of the positive class, as the other's is zero."""
    return sum(card.start or (), Fraction(0))


def total(odd: ODD, instance: Mapping[str, str]) -> Rounded | None:
    """The points of a complete instance in all; None where there are none."""
    found = earned(odd, instance)
    return None if found is None else found.total


def with_points(table: Table, points: Sequence[tuple[Rounded | None, Rounded | None]]) -> Table:
    """A table of cases with the points of each on two sides beside it."""
    head = (*table.head, "points of the first", "of the second")
    rows = tuple((*row, *map(shown_points, both)) for row, both in zip(table.rows, points, strict=True))
    return replace(table, head=head, rows=rows, numeric=(*table.numeric, len(head) - 2, len(head) - 1))


def shown_points(points: Rounded | None) -> str:
    """Points for a person."""
    return "–" if points is None else brief(Fraction(points))
