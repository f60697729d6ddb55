# SPDX-License-Identifier: Apache-2.0
"""What do small points change?  For each budget the card that changes the least, compiled, compared and proven."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import floor, log10
from time import monotonic
from typing import Annotated

import numpy as np

from oddly.answers import UNTOLD, Answer, Block, Count, Table, of_instances, told
from oddly.diagram import ODD
from oddly.distribution.joint import Joint
from oddly.distribution.measure import DataRows, Measure, Mixture, shown
from oddly.errors import TooLarge, Unsupported
from oddly.model import Scorecard
from oddly.model.numbers import whole
from oddly.questions.compare.question import compare
from oddly.questions.scorecard.cases import as_scorecard
from oddly.questions.scorecard.least import Least, weighed
from oddly.questions.scorecard.search import CardSearch, Points
from oddly.runtime import poll


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
    firsts = {(a.name, a.values[0]) for a in card.attributes}
    rows = [(name if (name, value) in firsts else "", value, f"{p:,}") for name, value, p in rows_of(card)]
    return Table(said_from(card), ("attribute", "value", "points"), tuple(rows), (2,))


@dataclass(frozen=True, repr=False)
class Budget(Answer):
    """The best card found with points up to a budget, what it changes, and what any such card changes at least."""

    largest: int
    """The budget: no value earns more."""
    card: Annotated[Scorecard, UNTOLD]
    count: Count
    """How many decisions it changes."""
    instances: Count
    probability: float
    least: bool
    """Whether it is proven that no card with points up to the budget changes less probability."""
    bound: float
    """No card with points up to the budget changes less probability than this: proven; 0 says nothing."""
    under: str

    @property
    def share(self) -> float:
        """What part of all decisions it changes."""
        return self.count / self.instances

    @property
    @told
    def points(self) -> Mapping[str, Mapping[str, int]]:
        """By attribute and value."""
        return WholePoints.of(self.card).points

    @property
    @told
    def cutoff(self) -> int:
        """From how many points on it is positive."""
        return int(self.card.cutoff)

    def verdict(self) -> bool:
        return self.count == 0

    def sentence(self) -> str:
        what = "nothing" if not self.count else of_instances(self.count, self.instances)
        likely = f", probability {self.likely()}" if self.count else ""
        return f"points up to {self.largest}: {said_from(self.card)}; changes {what}{likely}"

    def likely(self) -> str:
        """The probability in words, and what is proven of it."""
        if self.least:
            return f"{shown(self.probability)}, proven least"
        known = f"any such card changes at least {_down(self.bound)}" if self.bound else "not proven least"
        return f"{shown(self.probability)}; {known}"


@dataclass(frozen=True, repr=False)
class Curve(Answer):
    """By budget: the best cards found, and whether they are proven to be the best there are."""

    budgets: tuple[Budget, ...]

    def __iter__(self) -> Iterator[Budget]:
        return iter(self.budgets)

    def __len__(self) -> int:
        return len(self.budgets)

    def __getitem__(self, place: int) -> Budget:
        return self.budgets[place]

    @property
    def least(self) -> bool:
        """Whether every card is proven to change the least of its budget."""
        return all(budget.least for budget in self.budgets)

    def verdict(self) -> bool:
        """Whether some budget changes nothing."""
        return any(self.budgets)

    def sentence(self) -> str:
        return "\n".join([f"{self.title()}:", *(f"  {budget!r}" for budget in self.budgets)])

    def blocks(self, most: int | None = None) -> tuple[Block, ...]:
        head, every = ("points up to", "card", "changes", "probability"), self.budgets
        rows = [(f"{b.largest:,}", said_from(b.card), of_instances(b.count, b.instances), b.likely()) for b in every]
        return Table(self.title(), head, tuple(rows), (0,)), *(points_table(b.card) for b in every[-1:])

    def title(self) -> str:
        under = f", under {self.budgets[0].under}" if self.budgets else ""
        return f"The best cards{'' if self.least else ' found'}{under}"


def curve(
    odd: ODD, exact: Scorecard | None, most: int, measure: Measure, *, tries: int, seed: int, deadline: float
) -> Curve:
    """The best cards with points up to 1, 2, 3…, up to the first that changes nothing.

    `exact` is a card known to change nothing: it ends the search, and scaled down it is a start.
    """
    whole(most, "curve", 1, "points")
    if isinstance(measure, DataRows) or not measure.mass:
        raise Unsupported(f"a curve is drawn under a model or the uniform distribution, not under {measure.name}")
    drawing = _Drawing(odd, measure, exact, most, whole(tries, "tries"), whole(seed, "seed"))
    found: list[Budget] = []
    for budget in range(1, most + 1):
        share = (deadline - monotonic()) / (most + 1 - budget)  # what is left over goes to the next
        found.append(drawing.budget(budget, found[-1].card if found else None, share))
        if found[-1].count == 0:
            break
    return Curve(tuple(found))


@dataclass(frozen=True)
class _Trial:
    """A card, how many decisions it changes, and how likely such a one is: a fraction where that is exact."""

    card: Scorecard
    count: int
    likely: Fraction | float

    @property
    def nothing(self) -> bool:
        """Whether that is nothing; a float of zero may be a probability too small for one."""
        return not self.count or (isinstance(self.likely, Fraction) and not self.likely)


class _Drawing:
    """What all budgets share."""

    def __init__(
        self, odd: ODD, measure: Mixture | Joint, exact: Scorecard | None, most: int, tries: int, seed: int
    ) -> None:
        self.odd, self.measure, self.exact, self.most, self.tries = odd, measure, exact, most, tries
        self.search = CardSearch(odd, measure, seed)
        self.prover: Least | None = None
        with suppress(TooLarge):
            self.prover = Least(odd, measure)

    def budget(self, budget: int, before: Scorecard | None, share: float) -> Budget:
        """The best card with points up to a budget, in its share of seconds; `before` is the budget's before."""
        start, tell = monotonic(), partial(poll, "budgets", budget - 1, self.most)
        tell()
        if self.exact is not None and largest(self.exact) <= budget:
            return self._told(budget, self._tried(self.exact), least=True)
        starts = [_points(self.odd, before)] if before else []
        if self.exact is not None:
            starts.append(_points(self.odd, self.exact, budget / largest(self.exact)))
        best = self._tried(as_scorecard(self.odd, *self.search.best(budget, starts, start + 0.5 * share)))
        proof = None
        if self.prover is not None and isinstance(best.likely, Fraction):
            with suppress(TooLarge):
                proof = self.prover.proof(budget, best.likely, start + 0.9 * share, tell)
        if proof is not None and proof.card is not None:
            best = self._tried(proof.card)
        least = best.nothing or (proof is not None and proof.least)
        if not least:
            near = _points(self.odd, best.card), int(best.card.cutoff)
            other = self._tried(as_scorecard(self.odd, *self.search.nearby(budget, near, self.tries, start + share)))
            best = min(best, other, key=lambda one: one.likely)
        return self._told(budget, best, least, float(proof.bound) if proof else 0.0)

    def _tried(self, card: Scorecard) -> _Trial:
        """Exactly, where that is of use to a proof and whole numbers are not too large for it."""
        if self.prover is not None:
            with suppress(TooLarge):
                difference, likely = weighed(self.odd, card, self.measure)
                return _Trial(card, difference.count, likely)
        difference = compare(self.odd, card)
        return _Trial(card, difference.count, difference.probability(self.measure))

    def _told(self, budget: int, best: _Trial, least: bool, bound: float = 0.0) -> Budget:
        likely, every = float(best.likely), self.odd.instances
        known = likely if least else min(bound, likely)
        return Budget(budget, best.card, best.count, every, likely, least, known, self.measure.name)


def _points(odd: ODD, card: Scorecard, scale: float = 1.0) -> Points:
    """A card's points in a diagram's order, scaled."""
    by_name = {a.name: np.array([float(p) for p in a.points]) for a in card.attributes}
    return [np.round(by_name[name] * scale).astype(np.int64) for name in odd.order]


def _down(bound: float) -> str:
    """Four digits of a bound, rounded down.

    >>> _down(0.0056789), _down(0.5)
    ('0.005678', '0.5')
    """
    scale = Fraction(10) ** (3 - floor(log10(bound)))
    return shown(floor(bound * scale) / scale)
