# SPDX-License-Identifier: Apache-2.0
"""What does moving a number change, where nobody can list the instances?  Between two bounds, for all numbers from one preparation.

Let an instance's margin be its sum beyond the threshold. Raising the sums of those that have some value by d changes
the instances with a margin from −d to 0; lowering them those from 0 to d. With G(t) = Pr(margin >= t, and the value) that is
G(−d) − G(0), or G(0) − G(d). The diagram has G(0) exactly, ties included. G(±d) comes from the distribution of the sum
of all other attributes on a grid (`oddly.distribution.tails`), once as if all that is lost there were gained, once as if not;
the moved weight itself enters as it is.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from itertools import accumulate
from math import exp, inf, log2
from operator import mul

import numpy as np
from numpy.typing import NDArray

from oddly.diagram import ODD
from oddly.distribution.masses import edge_masses
from oddly.distribution.measure import Mixture, Product
from oddly.distribution.tails import GUARD, SumMasses, grid, roundings, without_each
from oddly.lowering.exact import GUARD as GUARD_BITS
from oddly.lowering.score import FINITE, Score, Term
from oddly.questions.allowed.flips.levers import Cell, Effect, Lever, levers
from oddly.questions.allowed.flips.moves import Bounds, LeverMoves, MoveEnd, outermost
from oddly.questions.allowed.flips.windows import SURE, CellTails, Nowhere, Windows
from oddly.questions.allowed.layout import Path
from oddly.questions.allowed.ranges import Real, log
from oddly.runtime import room

Floats = NDArray[np.float64]

CELLS = 1 << 18  # of the grid: more are closer to the truth
LEAST_CELLS = 1 << 15
MOST_WORK = 2_000_000_000  # cells times values times products times log2(attributes): some seconds
KNOTS = 1 << 13  # distances at which shares are known
FEW_KNOTS = 1 << 9
MOST_NUMBERS = 1 << 25  # that are kept in all
NEAREST = 0.125  # of a step: nothing nearer is told apart
MOST_LOG = 700.0  # log-odds whose odds a float can hold


class MovesOnGrid(LeverMoves):
    """From distributions of sums."""

    def __init__(self, odd: ODD, score: Score, measure: Mixture, depths: Sequence[int] | None = None) -> None:
        """Of all numbers; or of those that concern the attributes at these depths alone, and at 0 prior and threshold."""
        wanted = range(len(score.terms)) if depths is None else depths
        found = [lever for lever in levers(score) if all(e.cells[0][0] in wanted for e in lever.effects)]
        super().__init__(score, found, measure.name)
        self.measure, self.whole = measure, float(measure.mass)
        self.odds = score.model.unit != "points"
        products = [p.floats() for p in measure.products]
        self.chances = [np.array([rows[d] for rows in products]) for d in range(len(score.terms))]
        self.grid = grid([[between(score, t) for t in terms] for terms in score.terms], self._cells())
        self.unit, self.slack = float(self.grid.step), roundings(self.grid)
        self.weights = np.array([float(p.weight) for p in measure.products]) / self.whole
        self.windows: dict[int, tuple[Windows, Windows]] = {}
        """By depth: of sums that fall, and of those that rise."""
        self.nowhere: dict[Cell, Nowhere] = {}
        self._prepare(odd, wanted)

    def _cells(self) -> int:
        values = sum(len(terms) for terms in self.score.terms)
        work = values * len(self.measure.products) * max(log2(len(self.score.terms)), 1.0)
        return int(min(max(MOST_WORK / work, LEAST_CELLS), CELLS))

    # ---- one preparation ----

    def _prepare(self, odd: ODD, wanted: Sequence[int]) -> None:
        by_product = edge_masses(odd, self.measure, exact=False)
        room(4 * 8 * len(self.knots) * sum(len(terms) for terms in self.score.terms))
        for depth, sums in without_each(self.grid, self.chances, wanted):
            by_value = [sum(float(found[depth][v][1]) for found in by_product) for v in range(odd.arities[depth])]
            self._prepare_depth(depth, sums, [mass / self.whole for mass in by_value])

    def _prepare_depth(self, depth: int, sums: SumMasses, positive: Sequence[float]) -> None:
        """The windows of one attribute's values, from the sums of all others and what is positive now."""
        tails, step = sums.tails(), self.grid.step
        low, high = between(self.score, self.score.prior) or (Fraction(0), Fraction(0))
        others = [d for d in range(len(self.grid.off)) if d != depth]
        first = sum((self.grid.first[d] for d in others), low)
        least = sum(self.grid.off[d][0] for d in others) - GUARD
        most = sum(self.grid.off[d][1] for d in others) + GUARD + float((high - low) / step)
        found = []
        for value, term in enumerate(self.score.terms[depth]):
            cell = CellTails(tails, self.weights * self.chances[depth][:, value], least, most, self.slack)
            own = between(self.score, term)
            if own is None:
                self.nowhere[depth, value] = cell.from_nowhere(len(self.knots), float(first / step))
                nothing = np.zeros(len(self.knots))
                found.append([(nothing, nothing, 0.0)] * 2)
            else:
                at, wider = float((first + own[0]) / step), float((own[1] - own[0]) / step)
                sure = max(positive[value] - self._decided((depth, value)), 0.0)
                found.append(cell.around(self.knots, at, wider, sure))
        fall, rise = (
            Windows(self.knots, *(np.array([row[side][part] for row in found]) for part in range(3))) for side in (0, 1)
        )
        self.windows[depth] = fall, rise

    def _decided(self, cell: Cell) -> float:
        """What share of all cases has a value and is positive because of probabilities of zero."""
        if self.score.finite:
            return 0.0
        own = self.score.prior.state | self.score.terms[cell[0]][cell[1]].state
        outcomes = self.score.outcomes
        found = [m for rest, m in enumerate(self.states(cell)) if own | rest != FINITE and outcomes[own | rest]]
        return float(sum(found, Fraction(0)))

    @cached_property
    def knots(self) -> Floats:
        """Distances in steps, each a little further than the one before, in proportion; at the last, sums end."""
        values = sum(len(terms) for terms in self.score.terms)
        many = int(min(max(MOST_NUMBERS / (4 * values), FEW_KNOTS), KNOTS))
        groups = [(self.score.prior,), *self.score.terms]
        reach = sum(max((abs(t.weight) for t in g if t.state == FINITE), default=0) for g in groups)
        return np.geomspace(NEAREST, float(reach * self.score.unit / self.grid.step) + self.grid.loss + 4, many)

    @cached_property
    def _others_allow(self) -> list[list[list[Fraction]]]:
        """By product, states and depth: how probable it is that the other attributes rule out no more than these."""
        return [[_without_each(self._allow(product, s)) for s in range(4)] for product in self.measure.products]

    def _allow(self, product: Product, state: int) -> list[Fraction]:
        rows = zip(self.score.terms, product.rows, strict=True)
        return [sum((p for t, p in zip(*row, strict=True) if t.state | state == state), Fraction(0)) for row in rows]

    def states(self, cell: Cell) -> Sequence[Fraction]:
        found = [Fraction(0)] * 4
        for product, allowed in zip(self.measure.products, self._others_allow, strict=True):
            share = product.weight * product.rows[cell[0]][cell[1]] / self.measure.mass
            none, never, always, any_ = (allowed[s][cell[0]] for s in range(4))
            for s, p in enumerate((none, never - none, always - none, any_ - never - always + none)):
                found[s] += share * p
        return found

    # ---- questions ----

    def share(self, path: Path, to: Fraction) -> Bounds:
        lever = self.lever(path)
        if to == lever.now:
            return 0.0, 0.0
        least, most = self._before_end(lever, to)
        if lever.closed and to == outermost(lever, to > lever.now):
            more = float(self.at_end(lever, to > lever.now))
            least, most = least + more * (1 - SURE), most + more * (1 + SURE)
        return min(least, 1.0), min(most, 1.0)

    def _before_end(self, lever: Lever, to: Real) -> tuple[float, float]:
        """What sums that cross the threshold change; at an end, in the limit."""
        found = (
            [self._moved(effect, to) for effect in lever.effects] if self._sums_decide(self.score.prior.state) else []
        )
        if lever.now == 0 and any(effect.clears for effect in lever.effects):
            found.append((float(self.past_zero(lever)),) * 2)
        return sum(low for low, _ in found) * (1 - SURE), sum(high for _, high in found) * (1 + SURE)

    def _moved(self, effect: Effect, to: Real) -> tuple[float, float]:
        by = self._by(effect, to) / self.unit * (1 if effect.up else -1)
        depth, value = effect.cells[0]
        if effect.fresh is not None:
            if not effect.fresh:
                return 0.0, 0.0
            return self.nowhere[depth, value].bounds(by + log(effect.fresh) / self.unit, effect.up)
        return self.windows[depth][by > 0].bounds_of([v for _, v in effect.cells], abs(by))

    def _by(self, effect: Effect, to: Real) -> float:
        """How far a number moves sums, in log-odds or points."""
        size = effect.form.size(Fraction(to)) if to not in (inf, -inf) else to
        if not self.odds or size == inf:
            return float(size)
        return log(Fraction(size)) if size else -inf

    def reaches(self, path: Path, budget: Fraction) -> tuple[MoveEnd, MoveEnd]:
        lever = self.lever(path)
        return self._reach(lever, False, float(budget)), self._reach(lever, True, float(budget))

    def _reach(self, lever: Lever, up: bool, budget: float) -> MoveEnd:
        end, never = outermost(lever, up), inf if up else -inf
        enough, too_much = budget * (1 - SURE), budget * (1 + SURE)
        if end == lever.now:
            return MoveEnd(end, True, never, free=True)
        least, most = self._before_end(lever, end)
        past = end if least > too_much else never
        if most <= enough:
            ends = self.share(lever.path, Fraction(end)) if lever.closed else (0.0, inf)
            past = end if ends[0] > too_much else never
            return MoveEnd(end, ends[1] <= enough, past, free=past == never)
        inner: list[Real] = [lever.now]
        outer: list[Real] = [past]
        for effect in lever.effects:
            held, over = self._bracket(lever, self._tried(lever, effect, up), enough, too_much)
            inner += [] if held is None else [held]
            outer += [] if over is None else [over]
        nearest, furthest = (min, max) if up else (max, min)
        return MoveEnd(furthest(inner), True, nearest(outer))

    def _bracket(
        self, lever: Lever, tried: "_KnotNumbers", enough: float, too_much: float
    ) -> tuple[Real | None, Real | None]:
        """The last number that changes no more than enough, and the first that changes too much, if there are such."""

        @cache
        def share(k: int) -> tuple[float, float]:
            to = tried[k]
            return (inf, inf) if to is None else self._before_end(lever, to)  # past the end, too much

        held = bisect_left(range(len(tried)), True, key=lambda k: share(k)[1] > enough)
        over = bisect_left(range(len(tried)), True, key=lambda k: share(k)[0] > too_much)
        return tried[held - 1] if held else None, tried[over] if over < len(tried) else None

    def _tried(self, lever: Lever, effect: Effect, up: bool) -> "_KnotNumbers":
        """The numbers in a direction at which a window of an effect has a knot."""
        end = outermost(lever, up)
        if effect.fresh:
            found = self.nowhere[effect.cells[0]]
            turn = -1 if effect.up else 1
            return _KnotNumbers(
                (found.up.knots - found.far) * self.unit + turn * log(effect.fresh), effect, self.odds, lever.now, end
            )
        away = self.knots * self.unit * (1 if effect.form.grows == up else -1)
        return _KnotNumbers(away, effect, self.odds, lever.now, end)


@dataclass(frozen=True, eq=False)
class _KnotNumbers:
    """Numbers that move sums so far, in log-odds or points; None for what is past the end."""

    away: Floats
    effect: Effect
    odds: bool
    now: Fraction
    end: Real

    def __len__(self) -> int:
        return len(self.away)

    def __getitem__(self, at: int) -> Real | None:
        by = float(self.away[at])
        size = Fraction(exp(min(max(by, -MOST_LOG), MOST_LOG)) if self.odds else by)
        to = self.effect.form.back(size)
        return to if min(self.now, self.end) < to < max(self.now, self.end) else None


def between(score: Score, term: Term) -> tuple[Fraction, Fraction] | None:
    """The least and the most that a term's true weight can be, in log-odds or points; None if it is infinite."""
    if term.state != FINITE:
        return None
    wide = 1 << GUARD_BITS
    low, high = (Fraction(term.weight * wide - error, wide) * score.unit for error in (term.error_high, term.error_low))
    return low, high


def _without_each(factors: Sequence[Fraction]) -> list[Fraction]:
    """The product of all but one, for each."""
    above = list(accumulate(factors, mul, initial=Fraction(1)))
    below = list(accumulate(reversed(factors), mul, initial=Fraction(1)))[::-1]
    return [a * b for a, b in zip(above, below[1:], strict=False)]
