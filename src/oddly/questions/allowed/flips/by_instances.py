# SPDX-License-Identifier: Apache-2.0
"""What does moving a number change, instance by instance?  Exactly: for rows of data, and where there are few instances.

Each instance is decided otherwise from some number on, or just past it. In the order of those numbers their masses add up, and
the first that is too much stops the number: open, if the instance changes there, and closed if it changes past it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from heapq import merge
from itertools import product
from math import inf, prod

import numpy as np
from numpy.typing import NDArray

from oddly.diagram import ODD
from oddly.distribution.measure import DataRows, Mixture
from oddly.lowering.score import FINITE, Score
from oddly.questions.allowed.flips.levers import Cell, Effect, Lever, levers
from oddly.questions.allowed.flips.moves import Bounds, LeverMoves, MoveEnd, outermost
from oddly.questions.allowed.layout import Path
from oddly.runtime import polled

NEGATIVE, POSITIVE = 0, 1


@dataclass(frozen=True)
class Flip:
    """An instance, or several, decided otherwise from a number on."""

    at: Fraction
    past: bool
    """Only past it."""
    mass: Fraction


@dataclass(frozen=True)
class WeighedInstance:
    """An instance: its values, its mass, what rules it out, and its lead over the threshold."""

    values: tuple[int, ...]
    mass: Fraction
    state: int
    lead: Fraction
    """A factor of the odds, or points; nothing if something rules it out."""
    label: int


class MovesByInstance(LeverMoves):
    """From a list of instances with their masses."""

    def __init__(self, odd: ODD, score: Score, measure: Mixture | DataRows) -> None:
        super().__init__(score, list(levers(score)), measure.name)
        codes, masses = _instances(odd, measure)
        self.odds = score.model.unit != "points"
        self.weights = _weights(score)
        self.start = _start(score)
        self.instances = list(self._weigh(odd, codes, masses))

    def share(self, path: Path, to: Fraction) -> Bounds:
        lever = self.lever(path)
        up = to > lever.now
        if to == lever.now:
            return Fraction(0), Fraction(0)
        found = Fraction(0)
        for change in self._changes(lever, up):
            if (change.at != to and (change.at > to) == up) or (change.past and change.at == to):
                break
            found += change.mass
        return found, found

    def reaches(self, path: Path, budget: Fraction) -> tuple[MoveEnd, MoveEnd]:
        lever = self.lever(path)
        return self._reach(lever, False, budget), self._reach(lever, True, budget)

    def _reach(self, lever: Lever, up: bool, budget: Fraction) -> MoveEnd:
        end, found = outermost(lever, up), Fraction(0)
        if end == lever.now:
            return MoveEnd(lever.now, True, inf if up else -inf, free=True)
        for change in self._changes(lever, up):
            found += change.mass
            if found > budget:
                return MoveEnd(change.at, change.past, change.at, change.past)
        return MoveEnd(end, lever.closed, inf if up else -inf, free=True)

    def _changes(self, lever: Lever, up: bool) -> Iterator[Flip]:
        """All of them, the nearest first; at the end of a number, what changes there and not before."""
        if lever.now == outermost(lever, up):
            return
        sign = 1 if up else -1
        if up and lever.now == 0 and any(effect.clears for effect in lever.effects):
            yield Flip(lever.now, True, self.past_zero(lever))
        several = [self._of_effect(lever, effect, up) for effect in lever.effects]
        yield from merge(*several, key=lambda change: (sign * change.at, change.past))
        end = lever.high if up else lever.low
        if lever.closed and end is not None:
            yield Flip(end, False, self.at_end(lever, up))

    def _of_effect(self, lever: Lever, effect: Effect, up: bool) -> Iterator[Flip]:
        """SumMasses that rise take negative instances over the threshold, and sums that fall positive ones."""
        if self.score.model.certain:
            return
        label = NEGATIVE if effect.rises == up else POSITIVE
        past = (label == NEGATIVE) != (self.score.model.ties == "positive")
        end = lever.high if up else lever.low
        for lead, mass in self._near(effect, label):
            size = (1 / lead if self.odds else -lead) if effect.up else lead
            at = effect.form.back(size)
            if end is not None and at != end and (at > end) == up:
                return
            if at == end and (past or not lever.closed):
                return
            yield Flip(at, past, mass)

    def _near(self, effect: Effect, label: int) -> Iterator[tuple[Fraction, Fraction]]:
        """The leads of the instances that it moves and that have this label, the nearest first, with their masses."""
        if effect.fresh is not None:
            found = self._fresh(effect)
            # sums come from −∞, or from +∞: the greatest is the first to go over, or the least
            yield from sorted(found, reverse=effect.up)
            return
        cells = set(effect.cells)
        depth = effect.cells[0][0] if cells else 0
        ordered = self._by_lead[label]
        for instance in ordered:
            if not instance.values or (depth, instance.values[depth]) in cells:
                yield instance.lead, instance.mass

    @cached_property
    def _by_lead(self) -> tuple[list[WeighedInstance], list[WeighedInstance]]:
        finite = sorted((w for w in self.instances if w.state == FINITE), key=lambda w: w.lead)
        return [w for w in reversed(finite) if w.label == NEGATIVE], [w for w in finite if w.label == POSITIVE]

    def _fresh(self, effect: Effect) -> Iterator[tuple[Fraction, Fraction]]:
        """What leads the instances of a value have, whose probability is 0 as yet, but for that probability."""
        (depth, value) = effect.cells[0]
        for instance in self.instances:
            if not effect.fresh or instance.values[depth] != value or self._rest(instance.values, depth) != FINITE:
                continue
            if self.score.prior.state == FINITE:
                others = (self.weights[d][v] for d, v in enumerate(instance.values) if d != depth)
                yield prod(others, start=self.start) * effect.fresh, instance.mass

    def _rest(self, values: Sequence[int], depth: int) -> int:
        """What the other values rule out."""
        state = FINITE
        for d, v in enumerate(values):
            state |= self.score.terms[d][v].state if d != depth else FINITE
        return state

    def states(self, cell: Cell) -> Sequence[Fraction]:
        found = [Fraction(0)] * 4
        for instance in self.instances:
            if not instance.values or instance.values[cell[0]] == cell[1]:
                found[self._rest(instance.values, cell[0])] += instance.mass
        return found

    def _weigh(self, odd: ODD, codes: NDArray[np.intp], masses: Sequence[Fraction]) -> Iterator[WeighedInstance]:
        labels = odd.decide(codes[:, np.argsort(odd.places)]).tolist()
        combined = prod if self.odds else sum
        for row, mass, label in zip(polled(codes.tolist(), "instances"), masses, labels, strict=True):
            state = self.score.prior.state | self._rest(row, -1)
            lead = Fraction(0)
            if state == FINITE:
                lead = combined((self.weights[d][v] for d, v in enumerate(row)), start=self.start)
            yield WeighedInstance(tuple(row), mass, state, lead, label)


def _instances(odd: ODD, measure: Mixture | DataRows) -> tuple[NDArray[np.intp], list[Fraction]]:
    """The places of values in the diagram's order, and shares of the whole."""
    if isinstance(measure, DataRows):
        codes, times = measure.tallied()
        return codes.astype(np.intp), [Fraction(n) / measure.mass for n in times.tolist()]
    found = list(product(*map(range, odd.arities)))
    whole = measure.mass
    masses = [
        sum(
            (p.weight * prod((p.rows[d][v] for d, v in enumerate(row)), start=Fraction(1)) for p in measure.products),
            Fraction(0),
        )
        / whole
        for row in polled(found, "instances")
    ]
    return np.array(found, np.intp).reshape(len(found), len(odd.arities)), masses


def _weights(score: Score) -> list[list[Fraction]]:
    """Exactly, by depth and value: factors of the odds, or points. 0 for what rules something out."""
    model = score.model
    found: list[list[Fraction]] = []
    if model.naive is None:
        points = {n.path[1:]: n.now for n in model.numbers() if n.path[0] == "points"}
        return [[points[v.name, value] for value in v.values] for v in score.variables]
    by_name = {a.name: a for a in model.naive.attributes}
    for v in score.variables:
        sides = dict(zip(by_name[v.name].values, model.naive.given_sides(by_name[v.name]), strict=True))
        found.append([sides[value][0] / sides[value][1] if all(sides[value]) else Fraction(0) for value in v.values])
    return found


def _start(score: Score) -> Fraction:
    """What there is before any value is read, beyond the threshold."""
    model = score.model
    if model.naive is None:
        assert model.start
        assert model.limit
        return model.start[model.class_values.index(model.positive or "")] - model.limit.now
    if model.certain or score.prior.state != FINITE:
        return Fraction(0)
    p, rest = model.naive.sides(model.naive.prior)
    threshold = model.naive.threshold
    return p * (1 - threshold) / (rest * threshold)
