# SPDX-License-Identifier: Apache-2.0
"""How far may a number fall, and how far rise, before the first instance is decided otherwise?

Of a single probability of a CPT, while the others of its row keep their proportions: let a row have the sum s, and let
its entry p become q. Then the entry's odds factor, and with it the weight of its value, changes by q/p, and that of every
other value by (s − q)/(s − p); in the row of the negative class, by the inverses. Theorem 2.3 allows each weight an
interval, so each of the two ratios has one, and q must satisfy both: q ∈ p·I and s − q ∈ (s − p)·J, with J the narrowest of
the others' intervals. Both are intervals of q, so the allowed entries are their intersection. Which of the two blocks an
end also says whether the end is included.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf

import numpy as np

from oddly.diagram import ODD
from oddly.diagram.paths import Path, closest
from oddly.lowering.models import unrounded
from oddly.lowering.score import FINITE, Score
from oddly.model import NaiveBayes
from oddly.questions.allowed.ranges import Block, End, Range, Real, Unit, log

NEGATIVE, POSITIVE = 0, 1
Weights = dict[str, dict[str, Range | None]]
"""By attribute, or table of points, and value."""
Entries = dict[str, dict[str, dict[str, Range | None]]]
"""By variable, row of its table and value."""


@dataclass(frozen=True)
class Leeway:
    """How far a number may go in one direction, and what is in the way."""

    size: Real = inf
    """Exactly: by how many points, or by which factor in odds."""
    distance: Real = inf
    """In points, or in log-odds."""
    included: bool = False
    """Whether going exactly that far is allowed."""
    block: Block | None = None


@dataclass(frozen=True)
class Slack:
    """How far a number may fall, and how far rise."""

    fall: Leeway = Leeway()
    rise: Leeway = Leeway()

    def around(self, now: Real, unit: Unit, probability: Range | None = None) -> Range:
        """The range of a number that is added: log-odds, a weight, points."""
        fall, rise = self.fall, self.rise  # a fraction too large for a float cannot be added to infinity
        low = End(-inf if fall.block is None else now - fall.distance, fall.included, fall.block)
        high = End(inf if rise.block is None else now + rise.distance, rise.included, rise.block)
        return Range.between(low, high, now, unit, probability)

    def scaled(self, now: Fraction) -> tuple[End, End]:
        """The ends of a number that is multiplied: odds, or a probability."""
        fall, rise = self.fall, self.rise  # a fraction too large for a float cannot be divided by infinity
        low = End(Fraction(0) if fall.size == inf else now / fall.size, fall.included, fall.block)
        return low, End(inf if rise.size == inf else now * rise.size, rise.included, rise.block)

    def reversed(self) -> "Slack":
        """The room of a number that pulls the other way."""
        return Slack(self.rise, self.fall)


@dataclass(frozen=True)
class Slacks:
    """The room of the prior, and of every value's weight: by attribute and value, in the model's order."""

    overall: Slack
    by_value: Sequence[Sequence[Slack]]


def rooms(odd: ODD, score: Score) -> Slacks:
    """The room of every number of a diagram's model."""
    model = score.model
    depths = [score.index(v.name) for v in model.variables]
    if model.certain:
        # nothing but probabilities of zero decides, and no number that stays above zero changes those
        return Slacks(Slack(), [[Slack()] * len(score.terms[depth]) for depth in depths])
    fine = unrounded(score)
    ends = [_steps(score, closest(odd, fine, label), label) for label in (NEGATIVE, POSITIVE)]
    by_depth = [list(map(Slack, falls, rises)) for rises, falls in zip(*ends, strict=True)]
    if by_depth:
        overall = tightest(by_depth[0])  # every instance has some value of the first attribute
    else:
        only = [() if odd.root == label and score.prior.state == FINITE else None for label in (NEGATIVE, POSITIVE)]
        rise, fall = (_steps(score, [[only[label]]], label)[0][0] for label in (NEGATIVE, POSITIVE))
        overall = Slack(fall, rise)
    return Slacks(overall, [by_depth[depth] for depth in depths])


def tightest(several: Sequence[Slack]) -> Slack:
    """The room of numbers that move together."""

    def first(steps: Iterable[Leeway]) -> Leeway:
        return min(steps, key=lambda step: step.size, default=Leeway())

    return Slack(first(room.fall for room in several), first(room.rise for room in several))


def _steps(score: Score, found: Sequence[Sequence[Path | None]], label: int) -> list[list[Leeway]]:
    """How far the numbers of each instance with this label may move before it loses it."""
    model, by_column = score.model, np.argsort(score.places)
    instances = [instance for row in found for instance in row if instance is not None]
    codes = np.array(instances, np.intp).reshape(len(instances), len(score.terms))[:, by_column]
    included = (label == POSITIVE) == (model.ties == "positive")

    def step(row: Sequence[int], size: Fraction) -> Leeway:
        values = {v.name: v.values[at] for v, at in zip(model.variables, row, strict=True)}
        distance = size if model.unit == "points" else log(size)
        return Leeway(size, distance, included, Block(values, score.labels[1 - label]))

    steps = map(step, codes.tolist(), model.leads(codes, label, 1 - label))
    return [[Leeway() if instance is None else next(steps) for instance in row] for row in found]


# ---- single probabilities ----


def entries(model: NaiveBayes, found: Slacks) -> Entries:
    """By attribute, class value and value. None for an entry that is 0, or alone in its row: it cannot move."""
    answer: Entries = {}
    for attribute, weights in zip(model.attributes, found.by_value, strict=True):
        rows = {}
        for label in model.class_values:
            # more under the negative class is less for the positive one
            room = weights if label == model.labels[POSITIVE] else [w.reversed() for w in weights]
            row = attribute.given[label]
            rows[label] = {v: entry(row, room, i) for i, v in enumerate(attribute.values)}
        answer[attribute.name] = rows
    return answer


def entry(row: Sequence[Fraction], rooms: Sequence[Slack], i: int) -> Range | None:
    """The range of the i-th probability of a row, from the rooms of the row's values."""
    now, rest = row[i], sum(row) - row[i]
    if not now or not rest:
        return None
    low, high = rooms[i].scaled(now)
    rest_low, rest_high = tightest([*rooms[:i], *rooms[i + 1 :]]).scaled(rest)
    total = now + rest
    lows = [End(Fraction(0)), low, End(total - rest_high.at, rest_high.included, rest_high.block)]
    highs = [End(total), high, End(total - rest_low.at, rest_low.included, rest_low.block)]
    low = max(lows, key=lambda end: (end.at, not end.included))
    return Range.between(low, min(highs, key=lambda end: (end.at, end.included)), now, "probability")
