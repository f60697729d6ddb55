# SPDX-License-Identifier: Apache-2.0
"""Two diagrams around a classifier that is too large for one of its own, and what they settle."""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.diagram.combine import combine
from oddly.diagram.levelled import grouped
from oddly.diagram.odd import ODD
from oddly.diagram.rows import checked, label_of, one_row
from oddly.errors import ModelError, Unsupported
from oddly.lowering.score import FINITE, PRECISIONS, Score, Term, lower
from oddly.model import Variable
from oddly.model.numbers import as_float

UNIFORM = "the uniform distribution"


@dataclass(frozen=True, eq=False, repr=False)
class Pair:
    """What is surely positive, and what is perhaps: lower <= the classifier <= upper, on every instance.

    Where the two differ the pair does not know; a single instance is decided from the weights all the same. Whatever is
    made of it (`~pair`, `pair & other`, `pair.restrict(…)`) is a pair again, around what would be made of the classifier.
    """

    lower: ODD
    """Positive only where the classifier surely is."""
    upper: ODD
    """Negative only where the classifier surely is."""
    error: float
    """At most this share of all instances is undecided, by the distribution `under`."""
    under: str
    source: Score | None = None
    """The weights it was built from; None of combinations."""

    exact = False

    @property
    def variables(self) -> tuple[Variable, ...]:
        return self.lower.variables

    @property
    def labels(self) -> tuple[str, ...]:
        return self.lower.labels

    @property
    def order(self) -> tuple[str, ...]:
        """The attributes from the root down."""
        return self.lower.order

    @property
    def instances(self) -> int:
        """How many instances there are."""
        return self.lower.instances

    @property
    def size(self) -> int:
        """The nodes of both diagrams."""
        return self.lower.size + self.upper.size

    @property
    def sides(self) -> tuple[ODD, ODD]:
        """Both diagrams with the model beside them, for its distribution: whoever takes these knows that they are not its own."""
        return replace(self.lower, source=self.source), replace(self.upper, source=self.source)

    @cached_property
    def undecided(self) -> ODD:
        """Where it does not know, as a diagram with the labels "decided" and "undecided"."""
        return combine(self.upper, self.lower, lambda perhaps, surely: int(perhaps and not surely), UNDECIDED)

    # ---- what it decides ----

    def classify(self, rows: Any) -> NDArray[np.str_]:
        """The label of each row, as of a diagram: exactly, from the weights where the pair does not know."""
        return np.array(self.labels)[self.decide(self.lower.encode(rows))]

    def decide(self, codes: NDArray[np.integer[Any]]) -> NDArray[np.uint8]:
        """The place in `labels` of each row's label, for rows of value indices in the model's order of attributes."""
        codes = checked(codes, self.lower._in_columns)
        found, perhaps = self.lower.decide(codes), self.upper.decide(codes)
        open_ = np.flatnonzero(found != perhaps)
        if len(open_) and self.source is None:
            raise Unsupported(
                "this pair was combined from others, and does not know what is decided of some of these rows"
            )
        for place in open_:
            assert self.source is not None
            found[place] = by_weights(self.source, codes[place][list(self.lower.places)])
        return found

    def count(self, label: str) -> tuple[int, int]:
        """At least, and at most, how many instances get this label?"""
        least, most = self.lower.count(label), self.upper.count(label)
        return (least, most) if self.lower.label_index(label) else (most, least)

    # ---- what can be made of it ----

    def restrict(self, values: Any = None, /, **more: object) -> "Pair":
        """The pair that remains once these attributes are known; they are removed."""
        row = {**({} if values is None else one_row(values, self.order)), **more}
        sides = self.lower.restrict(row), self.upper.restrict(row)
        return replace(made_of(*sides), source=self._observed(row))

    def _observed(self, row: dict[str, object]) -> Score | None:
        """The weights of what remains; none if the known values are impossible."""
        if self.source is None:
            return None
        known = {name: label_of(value, self.lower.attribute(name)) for name, value in row.items()}
        try:
            score = lower(self.source.model.observe(known), self.source.bits, self.source.impossible)
        except ModelError:
            return None
        return score.in_order([score.index(name) for name in self.order if name not in known])

    def __invert__(self) -> "Pair":
        """Around what is positive where it is negative."""
        return Pair(~self.upper, ~self.lower, self.error, self.under)

    def __and__(self, other: "Pair | ODD") -> "Pair":
        return made_of(self.lower & other.lower, self.upper & other.upper)

    def __or__(self, other: "Pair | ODD") -> "Pair":
        return made_of(self.lower | other.lower, self.upper | other.upper)

    def __xor__(self, other: "Pair | ODD") -> "Pair":
        """Around what exactly one of the two accepts."""
        surely = (self.lower & ~other.upper) | (other.lower & ~self.upper)
        perhaps = (self.upper & ~other.lower) | (other.upper & ~self.lower)
        return made_of(surely, perhaps)

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        what = f" deciding {self.source.model.class_name}" if self.source else ""
        many = f"{grouped(self.instances)} instance{'' if self.instances == 1 else 's'}"
        share = f"at most {self.error:.2g} of them undecided under {self.under}"
        return f"Pair: {self.lower.size:,} and {self.upper.size:,} nodes{what} over {many}, {share}"


UNDECIDED = ("decided", "undecided")


def made_of(surely: ODD, perhaps: ODD) -> Pair:
    """A pair of two diagrams, the lower and the upper; its error is counted."""
    label = surely.labels[1]
    apart = Fraction(perhaps.count(label) - surely.count(label), surely.instances)
    return Pair(surely, perhaps, as_float(apart), UNIFORM)


def by_weights(score: Score, values: NDArray[np.integer[Any]]) -> int:
    """What a sum of weights decides of one instance, its values in the score's order: at rising precision, exactly."""
    for bits in PRECISIONS:
        if bits > score.bits:
            finer = lower(score.model, bits, score.impossible)
            score = finer.in_order([finer.index(name) for name in score.names])
        chosen = [score.prior, *(terms[v] for terms, v in zip(score.terms, values.tolist(), strict=True))]
        found = _settled(score, chosen)
        if found is not None:
            return found
    raise Unsupported(f"{PRECISIONS[-1]} bits do not settle this instance")


def _settled(score: Score, chosen: list[Term]) -> int | None:
    """The label that these terms add up to; None where rounding leaves it open."""
    state = reduce(lambda before, term: before | term.state, chosen, FINITE)
    if state != FINITE:
        return score.outcomes[state]
    total = sum(term.weight for term in chosen)
    low, high = score.error
    if not score.rounded or (total == 0 and not sum(term.exact for term in chosen)):  # a true tie has no rounding
        return int(total >= (score.start != score.prior.weight))
    if total - high > 0 or total - low < 0:  # a true sum is sum − error
        return int(total - high > 0)
    return None
