# SPDX-License-Identifier: Apache-2.0
"""How far may a number move, if a few decisions may change?  Against plain enumeration of moved models, and real ones compared."""

import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import networks
import oddly
import oracle
from oddly.cli import main
from oddly.distribution.measure import measure_of
from oddly.questions.allowed.flips import by_grid, prepare
from oddly.questions.allowed.flips.answer import AllowedFlips, AllowedZoneFlips, share_of
from oddly.questions.allowed.flips.by_comparison import MovesByComparison
from oddly.questions.allowed.flips.by_grid import MovesOnGrid
from oddly.questions.allowed.flips.by_instances import MovesByInstance
from strategies import classifiers, naive_bayes

FIGURE_1 = oddly.examples.pregnancy()
DATA = Path(__file__).parents[1] / "../shared/data/uci"
A_LITTLE = Fraction(1, 10**9)
BUDGETS = st.sampled_from(["0", "0.001", "1/20", "1/5", "1/2", "1"]).map(Fraction)


@pytest.fixture(autouse=True)
def _coarse(monkeypatch, request):
    """A grid of few cells: bounds must hold on any."""
    if "fine" not in request.keywords:
        monkeypatch.setattr(by_grid, "CELLS", 1 << 9)
        monkeypatch.setattr(by_grid, "LEAST_CELLS", 1 << 9)
        monkeypatch.setattr(by_grid, "KNOTS", 1 << 8)


def weighed(model, under):
    """Every instance with its share of all, by the definition of the distribution."""
    found = oracle.instances(model)
    if under == "uniform":
        return found, [Fraction(1, len(found))] * len(found)
    masses = [sum(model.masses(np.array([model.codes(i)], np.intp))[0]) for i in found]
    return found, [Fraction(int(m), int(sum(masses))) for m in masses]


class Enumerated:
    """What moving a number changes, by deciding every instance again."""

    def __init__(self, model, under, impossible="negative"):
        self.model, self.impossible = model, impossible
        self.instances, self.masses = weighed(model, under)
        self.now = [oracle.decides(model, i, impossible) for i in self.instances]
        self.numbers = {number.path: number for number in model.numbers()}

    def share(self, path, to):
        if path[0] == "weight":
            then = [self._weighed_anew(i, path, to, now) for i, now in zip(self.instances, self.now, strict=True)]
        else:
            moved = self.numbers[path].becomes(to)
            then = [oracle.decides(moved, i, self.impossible) for i in self.instances]
        return sum((m for m, a, b in zip(self.masses, self.now, then, strict=True) if a != b), Fraction(0))

    def _weighed_anew(self, instance, path, factor, now):
        """The decision once the odds of a value are multiplied by a factor."""
        posterior = self.model.posterior(instance)
        if instance[path[1]] != path[2] or posterior is None or 0 in posterior or self.model.certain:
            return now
        yes, no = self.model.sides(posterior)
        margin = yes * factor * (1 - self.model.threshold) - no * self.model.threshold
        return margin > 0 or (margin == 0 and self.model.ties == "positive")


@st.composite
def asked(draw, engine=MovesByInstance):
    """A model, a way to move its numbers, one of them, and the oracle."""
    model = draw(classifiers())
    assume(math.prod(len(v.values) for v in model.variables) <= 150)
    assume(engine is MovesByInstance or model.variables)
    impossible = draw(st.sampled_from(["negative", "positive"]))
    under = draw(st.sampled_from(["model", "uniform"])) if model.probabilistic else "uniform"
    odd = oddly.compile(model, impossible=impossible)
    measure = measure_of(odd, under)
    assume(measure.mass)
    moves = engine(odd, odd.source, measure)
    assume(moves.paths)
    path = draw(st.sampled_from(moves.paths))
    return moves, path, Enumerated(model, under, impossible)


@st.composite
def targets(draw, moves, path):
    """Where a number may go: anywhere, to its ends, and to where something changes."""
    lever = moves.lever(path)
    if lever.unit == "probability":
        parts = draw(st.sampled_from(["0", "1", "1/1000", "1/7", "1/3", "1/2", "2/3", "0.9", "0.9999"]))
        return Fraction(parts) * lever.high
    if lever.unit == "log-odds":
        return Fraction(draw(st.sampled_from(["1/1000", "1/9", "1/2", "2/3", "1", "3/2", "2", "9", "1000"])))
    scale = max([abs(n.now) for n in moves.score.model.numbers()] or [Fraction(1)]) or Fraction(1)
    return lever.now + scale * Fraction(draw(st.sampled_from(["-3", "-1", "-1/3", "0", "1/2", "1", "2", "7"])))


def possible(lever, to):
    """Whether a number can be there."""
    low, high = lever.low, lever.high
    if (low is not None and to < low) or (high is not None and to > high):
        return False
    return lever.closed or to not in (low, high)


class TestAgainstEnumeration:
    @settings(max_examples=150, deadline=None)
    @given(asked(), st.data())
    def test_a_share_is_that_of_the_instances_a_moved_model_decides_otherwise(self, found, data):
        moves, path, truth = found
        to = data.draw(targets(moves, path))
        assert moves.share(path, to) == (truth.share(path, to),) * 2

    @settings(max_examples=150, deadline=None)
    @given(asked(MovesOnGrid), st.data())
    def test_bounds_on_a_grid_hold_the_share(self, found, data):
        moves, path, truth = found
        to = data.draw(targets(moves, path))
        least, most = moves.share(path, to)
        assert least <= truth.share(path, to) <= most, (path, to)

    @settings(max_examples=100, deadline=None)
    @given(asked(), BUDGETS)
    def test_an_exact_end_is_the_last_within_the_budget(self, found, budget):
        moves, path, truth = found
        lever = moves.lever(path)
        for reach, outward in zip(moves.reaches(path, budget), (-1, 1), strict=True):
            if reach.at in (math.inf, -math.inf):
                continue
            step = A_LITTLE * (abs(reach.at - lever.now) or 1) * outward
            probes = [(reach.at, reach.included), (reach.at + step, False)]
            if reach.at != lever.now:
                probes.append((reach.at - step, True))
            for to, inside in probes:
                if possible(lever, to):
                    assert (truth.share(path, to) <= budget) == inside, (path, to, reach)

    @settings(max_examples=100, deadline=None)
    @given(asked(MovesOnGrid), BUDGETS)
    def test_what_is_proven_on_a_grid_contains_the_truth(self, found, budget):
        moves, path, truth = found
        lever = moves.lever(path)
        for reach in moves.reaches(path, budget):
            if reach.included and reach.at not in (math.inf, -math.inf):
                assert truth.share(path, reach.at) <= budget, (path, reach)
            beyond = reach.beyond
            if beyond not in (math.inf, -math.inf) and (lever.closed or beyond not in (lever.low, lever.high)):
                assert truth.share(path, beyond) > budget, (path, reach)
            if reach.free and not lever.closed:
                far = Fraction(10**60) * (1 if reach.at == math.inf else -1)
                if lever.unit == "log-odds":
                    far = Fraction(10) ** (60 if reach.at == math.inf else -60)
                assert truth.share(path, lever.now + far if lever.unit == "points" else far) <= budget
