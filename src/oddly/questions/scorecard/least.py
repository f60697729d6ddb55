# SPDX-License-Identifier: Apache-2.0
"""Which card with points up to a budget changes the least?  Proven, by branch and bound over all of them.

Attributes get their points one after the other, the weightiest first. After each, `endings` says what any
card with these points changes at least; `rows`, which points need be tried at all. The most promising are
continued first, so that what is left open when time runs out is a bound for every card.

Bounds are floats, and rounding has moved them by less than `slack`. A card is discarded only if its bound is beyond the
best known by that much; what comes closer is compiled and weighed in exact fractions.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, chain
from math import inf, nextafter
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from oddly.diagram import ODD
from oddly.distribution.joint import Joint
from oddly.distribution.masses import label_masses
from oddly.distribution.measure import Mixture
from oddly.model import Scorecard
from oddly.questions.compare.difference import Difference
from oddly.questions.compare.question import compare
from oddly.questions.scorecard.cases import as_scorecard
from oddly.questions.scorecard.setting import Setting

AT_ONCE = 10_000_000  # numbers worked on before the clock is looked at
MOST_HELD = 60_000_000  # numbers of cards that wait

Floats = NDArray[np.float64]
Tell = Callable[[], None]


@dataclass(frozen=True)
class Proof:
    """What is known of all cards with points up to a budget."""

    card: Scorecard | None
    """One that is better than the one known before."""
    loss: Fraction
    """What the best card known changes, exactly."""
    bound: Fraction
    """No card changes less."""
    least: bool
    """Whether no card changes less than the best one known: proven."""


class Least:
    """Proofs about the cards for one diagram, under one distribution."""

    def __init__(self, odd: ODD, measure: Mixture | Joint) -> None:
        self.odd, self.measure = odd, measure
        self.setting = Setting(odd, measure)

    def proof(self, budget: int, loss: Fraction, deadline: float = inf, tell: Tell = lambda: None) -> Proof:
        """Does any card with points up to a budget change less than the best one known, which changes `loss`?"""
        return _BranchAndBound(self, budget, loss).run(deadline, tell)


def weighed(odd: ODD, card: Scorecard, measure: Mixture | Joint) -> tuple[Difference, Fraction]:
    """What a card changes, and how probable that is, exactly."""
    difference = compare(odd, card)
    masses = label_masses(difference.diagram, measure, exact=True)
    return difference, Fraction(sum(sum(of_class[1:]) for of_class in masses)) / measure.mass


@dataclass(frozen=True, eq=False)
class Begun:
    """Cards with points for the first attributes only, down to one depth: an axis each."""

    bounds: Floats
    """No card that continues one of them changes less."""
    chosen: NDArray[np.int64]
    """By card and depth, the row of points."""
    so_far: Floats
    """By card, points, and class and node: how probable the beginnings are."""

    @classmethod
    def joined(cls, several: Sequence["Begun"]) -> "Begun":
        """All of them, those with the least bounds first."""
        most = max(one.so_far.shape[1] for one in several)
        wide = [np.pad(one.so_far, ((0, 0), (0, most - one.so_far.shape[1]), (0, 0))) for one in several]
        bounds = np.concatenate([one.bounds for one in several])
        found = cls(bounds, np.concatenate([one.chosen for one in several]), np.concatenate(wide))
        return found.some(np.argsort(bounds, kind="stable"))

    def some(self, which: NDArray[np.intp]) -> "Begun":
        return Begun(self.bounds[which], self.chosen[which], self.so_far[which])

    @cached_property
    def bound(self) -> float:
        """Of all of them."""
        return float(self.bounds.min())

    @property
    def depth(self) -> int:
        return int(self.chosen.shape[1])


class _BranchAndBound:
    def __init__(self, least: Least, budget: int, loss: Fraction) -> None:
        self.least, self.setting = least, least.setting
        self.rows = self.setting.rules.rows(budget)
        self.slack = self.setting.slack(budget)
        self.open: list[list[Begun]] = [[] for _ in range(len(self.rows) + 1)]  # by depth, what waits
        self._push([Begun(np.zeros(1), np.zeros((1, 0), np.int64), self.setting.start())])
        self.card: Scorecard | None = None
        self._know(loss)

    def _know(self, loss: Fraction) -> None:
        """What the best card changes; what is bounded by `enough` need not be looked at."""
        self.loss = loss
        self.enough = float(loss * (self.setting.whole or 1)) + self.slack

    def run(self, deadline: float, tell: Tell) -> Proof:
        while self.loss and (bound := min((one.bound for one in chain(*self.open)), default=inf)) < self.enough:
            tell()
            if monotonic() > deadline:
                known = nextafter((bound - self.slack) / float(self.setting.whole or 1), -inf)
                return Proof(self.card, self.loss, min(Fraction(max(known, 0.0)), self.loss), False)
            cards = self._pop()
            if cards.depth == len(self.rows):
                self._weigh(cards)
            elif more := list(self._continued(cards)):
                self._push(more)
        return Proof(self.card, self.loss, self.loss, True)

    def _push(self, several: Sequence[Begun]) -> None:
        """Cards of one depth, in batches of nearly equal bounds."""
        cards = Begun.joined(several)
        size = self._room(cards.depth, cards.so_far.shape[1])
        every = np.arange(len(cards.bounds))
        self.open[cards.depth].extend(cards.some(every[i : i + size]) for i in range(0, len(every), size))

    def _pop(self) -> Begun:
        """The cards with the least bounds, of one depth; where too much is held, of the furthest."""
        depths = [depth for depth, several in enumerate(self.open) if several]
        depth = min(depths, key=lambda depth: min(one.bound for one in self.open[depth]))
        if sum(one.so_far.size for one in chain(*self.open)) > MOST_HELD:
            depth = depths[-1]
        waiting = sorted(self.open[depth], key=lambda one: one.bound)
        room = self._room(depth, max(one.so_far.shape[1] for one in waiting))
        fit = max(sum(cards <= room for cards in accumulate(len(one.bounds) for one in waiting)), 1)
        self.open[depth] = waiting[fit:]
        return Begun.joined(waiting[:fit])

    def _room(self, depth: int, sums: int) -> int:
        """How many cards of a depth, and with so many sums, are continued together."""
        if depth == len(self.rows):
            return 1
        ends, points = self.setting.ends[depth], self.rows[depth].points
        each = sums * (ends.cost * points.shape[1] + ends.groups * points.size)
        return max(AT_ONCE // int(each), 1)

    def _continued(self, cards: Begun) -> Iterator[Begun]:
        """With points for one more attribute, row by row, those whose bounds allow for a better card."""
        depth, setting = cards.depth, self.setting
        steps = [setting.step(depth, value, cards.so_far) for value in range(setting.odd.arities[depth])]
        gains = [np.cumsum(setting.ends[depth].gained(step), axis=1) for step in steps]
        for place, row in enumerate(self.rows[depth].points):
            after = self.rows[depth].after  # the cards that the row need be tried with
            which = np.arange(len(cards.bounds)) if after is None else np.flatnonzero(after[cards.chosen[:, -1], place])
            cuts = _added(gains, row, which, goes_on=True).min(axis=1, initial=0)  # 0: everything is accepted
            bounds = np.maximum(setting.rejected + cuts.sum(axis=1), cards.bounds[which])
            kept = bounds < self.enough
            if kept.any():
                chosen = np.insert(cards.chosen[which[kept]], depth, place, axis=1)
                yield Begun(bounds[kept], chosen, _added(steps, row, which[kept], goes_on=False))

    def _weigh(self, cards: Begun) -> None:
        """A card with all its points that may be the best: in exact fractions, with every cut-off that may be."""
        points = [rows.points[i] for rows, i in zip(self.rows, cards.chosen[0].tolist(), strict=True)]
        for cutoff in self._cutoffs(cards.so_far[0]):
            card = as_scorecard(self.setting.odd, points, cutoff)
            _, loss = weighed(self.least.odd, card, self.least.measure)
            if loss < self.loss:
                self.card = card
                self._know(loss)

    def _cutoffs(self, so_far: Floats) -> list[int]:
        """Those that change the least; where rounding may have hidden which, all that come as close."""
        gains = np.insert(np.cumsum(self.setting.ends[-1].gained(so_far)), 0, 0.0)
        best = np.flatnonzero(gains <= gains.min() + 2 * self.slack).tolist()
        return best if self.slack else best[:1]


def _added(terms: Sequence[Floats], row: NDArray[np.int64], which: NDArray[np.intp], goes_on: bool) -> Floats:
    """The sum over values, each moved by its points; beyond its end a term is zero, or goes on as its last number."""
    cards, sums, width = terms[0].shape
    found = np.zeros((len(which), sums + int(row.max()), width))
    for term, points in zip(terms, row.tolist(), strict=True):
        some = term if len(which) == cards else term[which]
        found[:, points : points + sums] += some
        if goes_on:
            found[:, points + sums :] += some[:, -1:]
    return found
