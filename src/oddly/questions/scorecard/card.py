# SPDX-License-Identifier: Apache-2.0
"""Whole-number points as a scorecard, and as a table that a clerk can use."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from oddly.answers.blocks import Table
from oddly.diagram import ODD
from oddly.model import Points, Scorecard


@dataclass(frozen=True)
class WholePoints:
    """A card of whole-number points."""

    points: Mapping[str, Mapping[str, int]]
    """By attribute and value."""
    cutoff: int
    """From how many points on it is positive."""

    @classmethod
    def of(cls, card: Scorecard) -> "WholePoints":
        points = {a.name: {v: int(p) for v, p in zip(a.values, a.points, strict=True)} for a in card.attributes}
        return cls(points, int(card.cutoff))


def as_scorecard(odd: ODD, points: Sequence[Any], cutoff: int) -> Scorecard:
    """A card in the model's order of attributes."""
    by_name = {
        v.name: Points(v.name, v.values, [Fraction(int(p)) for p in row], v.bins)
        for v, row in zip(odd.variables, points, strict=True)
    }
    negative, positive = odd.labels
    values = odd.source.model.class_values if odd.source else ()
    names = values if set(values) == {negative, positive} else (positive, negative)
    return Scorecard(
        [by_name[name] for name in odd.columns], cutoff, 0, class_name(odd), tuple(names), positive, "positive"
    )


def class_name(odd: ODD) -> str:
    """What is decided: the model's class, if there is a model."""
    name = odd.source.model.class_name if odd.source else "decision"
    while name in odd.order:
        name += "'"
    return name


def rows_of(card: Scorecard) -> list[tuple[str, str, int]]:
    """(attribute, value, points), as they are looked up."""
    return [(a.name, v, int(p)) for a in card.attributes for v, p in zip(a.values, a.points, strict=True)]


def largest(card: Scorecard) -> int:
    """The largest points of any value."""
    return max((points for *_, points in rows_of(card)), default=0)


def said_from(card: Scorecard) -> str:
    """The decision and its cut-off in words."""
    return f"{card.positive} from {int(card.cutoff):,} point{'' if card.cutoff == 1 else 's'}"


def points_table(card: Scorecard) -> Table:
    """One row a value, the attribute's name on its first."""
    rows = [
        ("" if i else a.name, value, f"{int(points):,}")
        for a in card.attributes
        for i, (value, points) in enumerate(zip(a.values, a.points, strict=True))
    ]
    return Table(said_from(card), ("attribute", "value", "points"), tuple(rows), (2,))
