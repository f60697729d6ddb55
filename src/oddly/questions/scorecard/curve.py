# SPDX-License-Identifier: Apache-2.0
"""What do small points change?  For each budget the card that changes the least, compiled, compared and proven."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from math import floor, log10
from time import monotonic
from typing import Annotated, Any

import numpy as np

from oddly.answers import UNTOLD, Answer, Count, of_instances, told
from oddly.answers.blocks import Block
from oddly.answers.blocks import Table as Rows
from oddly.diagram import ODD
from oddly.distribution.joint import Joint
from oddly.distribution.measure import DataRows, Mixture, measure_of, shown
from oddly.errors import ModelError, TooLarge, Unsupported
from oddly.model import Scorecard
from oddly.questions.compare.question import Difference, compare
from oddly.questions.scorecard.card import WholePoints, as_scorecard, largest, points_table, said_from
from oddly.questions.scorecard.least import Least, Proof, weighed
from oddly.questions.scorecard.search import CardSearch, Points, WithCutoff
from oddly.runtime import poll

SECONDS = 10.0


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
        head = ("points up to", "card", "changes", "probability")
        rows = [
            (f"{b.largest:,}", said_from(b.card), of_instances(b.count, b.instances), b.likely()) for b in self.budgets
        ]
        table = Rows(self.title(), head, tuple(rows), (0,))
        return (table, points_table(self.budgets[-1].card)) if self.budgets else (table,)

    def title(self) -> str:
        under = f", under {self.budgets[0].under}" if self.budgets else ""
        return f"The best cards{'' if self.least else ' found'}{under}"


def curve(
    odd: ODD,
    exact: Scorecard | None,
    most: int,
    under: Any,
    *,
    tries: int,
    seed: int,
    deadline: float,
) -> Curve:
    """The best cards with points up to 1, 2, 3…, up to the first that changes nothing.

    `exact` is a card known to change nothing: it ends the search, and scaled down it is a start.
    """
    if not is_whole(most) or most < 1:
        raise ModelError(f"curve: expected points from 1 on, found {most!r}")
    for name, number in (("tries", tries), ("seed", seed)):
        if not is_whole(number):
            raise ModelError(f"{name}: expected a whole number from 0 on, found {number!r}")
    measure = measure_of(odd, under)
    if isinstance(measure, DataRows) or not measure.mass:
        raise Unsupported(f"a curve is drawn under a model or the uniform distribution, not under {measure.name}")
    drawing = _Drawing(odd, measure, exact, CardSearch(odd, measure, seed), _prover(odd, measure), tries)
    found: list[Budget] = []
    for budget in range(1, most + 1):
        before = found[-1].card if found else None
        share = (deadline - monotonic()) / (most + 1 - budget)  # what is left over goes to the next
        found.append(drawing.budget(budget, before, _Clock(monotonic(), share, budget, most)))
        if found[-1].count == 0:
            break
    return Curve(tuple(found))


def is_whole(number: Any) -> bool:
    """Whether it is a whole number from 0 on."""
    return isinstance(number, int) and not isinstance(number, bool) and number >= 0


@dataclass(frozen=True)
class _Clock:
    """The time that a budget has, and whom to tell."""

    start: float
    share: float
    budget: int
    most: int

    def after(self, part: float) -> float:
        """The moment when some part of it is over."""
        return self.start + part * self.share

    def tell(self) -> None:
        poll("budgets", self.budget - 1, self.most)


@dataclass(frozen=True, eq=False)
class _CardTrial:
    """A card, and what it changes."""

    card: Scorecard
    difference: Difference
    likely: Fraction | float
    """A fraction where that is exact."""

    @property
    def exact(self) -> bool:
        return isinstance(self.likely, Fraction)

    @property
    def nothing(self) -> bool:
        """Whether that is nothing; a float of zero may be a probability too small for one."""
        return not self.difference.count or (self.exact and not self.likely)


@dataclass(frozen=True, eq=False)
class _Drawing:
    """What all budgets share."""

    odd: ODD
    measure: Mixture | Joint
    exact: Scorecard | None
    search: CardSearch
    prover: Least | None
    tries: int

    def budget(self, budget: int, before: Scorecard | None, clock: _Clock) -> Budget:
        """The best card with points up to a budget; `before` is the one of the budget before."""
        clock.tell()
        if self.exact is not None and largest(self.exact) <= budget:
            return self._told(budget, self._tried(self.exact), least=True)
        starts = [_points(self.odd, before)] if before else []
        if self.exact is not None:
            starts.append(_points(self.odd, self.exact, budget / largest(self.exact)))
        best = self._card(self.search.best(budget, starts, clock.after(0.5)))
        proof = self._proof(budget, best, clock)
        if proof is not None and proof.card is not None:
            best = self._tried(proof.card)
        least = best.nothing or (proof is not None and proof.least)
        if not least:
            start = _points(self.odd, best.card), int(best.card.cutoff)
            other = self._card(self.search.nearby(budget, start, self.tries, clock.after(1.0)))
            best = min(best, other, key=lambda one: one.likely)
        return self._told(budget, best, least, float(proof.bound) if proof else 0.0)

    def _proof(self, budget: int, best: _CardTrial, clock: _Clock) -> Proof | None:
        """What can be proven of a budget, given the best card found; None for nothing."""
        if self.prover is None or not best.exact:
            return None
        try:
            return self.prover.proof(budget, Fraction(best.likely), clock.after(0.9), clock.tell)
        except TooLarge:
            return None

    def _card(self, found: WithCutoff) -> _CardTrial:
        return self._tried(as_scorecard(self.odd, *found))

    def _tried(self, card: Scorecard) -> _CardTrial:
        """Exactly, where that is of use to a proof and whole numbers are not too large for it."""
        if self.prover is not None:
            with suppress(TooLarge):
                return _CardTrial(card, *weighed(self.odd, card, self.measure))
        difference = compare(self.odd, card)
        return _CardTrial(card, difference, difference.probability(self.measure))

    def _told(self, budget: int, best: _CardTrial, least: bool, bound: float = 0.0) -> Budget:
        likely, difference = float(best.likely), best.difference
        bound = likely if least else min(bound, likely)
        name = self.measure.name
        return Budget(budget, best.card, difference.count, difference.instances, likely, least, bound, name)


def _prover(odd: ODD, measure: Mixture | Joint) -> Least | None:
    try:
        return Least(odd, measure)
    except TooLarge:
        return None


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
