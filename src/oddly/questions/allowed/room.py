# SPDX-License-Identifier: Apache-2.0
"""How far may a number fall, and how far rise, before the first instance is decided otherwise?"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf, prod

from oddly.diagram import ODD
from oddly.diagram.closest import Instance, closest
from oddly.lowering.score import FINITE, Score
from oddly.model import NaiveBayes, Scorecard
from oddly.questions.allowed.ranges import Block, End, Range, Real, Unit, log
from oddly.questions.sums import unrounded

NEGATIVE, POSITIVE = 0, 1


@dataclass(frozen=True)
class Step:
    """How far a number may go in one direction, and what is in the way."""

    size: Real = inf
    """Exactly: by how many points, or by which factor in odds."""
    distance: Real = inf
    """In points, or in log-odds."""
    included: bool = False
    """Whether going exactly that far is allowed."""
    block: Block | None = None


@dataclass(frozen=True)
class Room:
    """How far a number may fall, and how far rise."""

    fall: Step = Step()
    rise: Step = Step()

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

    def reversed(self) -> "Room":
        """The room of a number that pulls the other way."""
        return Room(self.rise, self.fall)


@dataclass(frozen=True)
class Rooms:
    """The room of the prior, and of every value's weight: by attribute and value, in the model's order."""

    overall: Room
    by_value: Sequence[Sequence[Room]]


def rooms(odd: ODD, score: Score) -> Rooms:
    """The room of every number of a diagram's model."""
    model = score.model
    depths = [score.index(v.name) for v in model.variables]
    if isinstance(model, NaiveBayes) and model.threshold in (0, 1):
        # nothing but probabilities of zero decides, and no number that stays above zero changes those
        return Rooms(Room(), [[Room()] * len(score.terms[depth]) for depth in depths])
    fine = unrounded(score)
    ends = [[[_step(score, i, label) for i in row] for row in closest(odd, fine, label)] for label in (0, 1)]
    by_depth = [list(map(Room, falls, rises)) for rises, falls in zip(*ends, strict=True)]
    if by_depth:
        overall = tightest(by_depth[0])  # every instance has some value of the first attribute
    else:
        only = [() if odd.root == label and score.prior.state == FINITE else None for label in (0, 1)]
        overall = Room(_step(score, only[POSITIVE], POSITIVE), _step(score, only[NEGATIVE], NEGATIVE))
    return Rooms(overall, [by_depth[depth] for depth in depths])


def tightest(several: Sequence[Room]) -> Room:
    """The room of numbers that move together."""

    def first(steps: Iterable[Step]) -> Step:
        return min(steps, key=lambda step: step.size, default=Step())

    return Room(first(room.fall for room in several), first(room.rise for room in several))


def _step(score: Score, instance: Instance | None, label: int) -> Step:
    """How far the numbers of an instance with this label may move before it loses it."""
    if instance is None:
        return Step()
    in_model_order = sorted(range(len(instance)), key=score.places.__getitem__)
    values = {score.names[k]: score.variables[k].values[instance[k]] for k in in_model_order}
    block = Block(values, score.labels[1 - label])
    included = (label == POSITIVE) == (score.model.ties == "positive")
    above = _above_threshold(score, instance)
    if isinstance(score.model, Scorecard):
        return Step(abs(above), abs(above), included, block)
    factor = above if label == POSITIVE else 1 / above
    return Step(factor, log(factor), included, block)


def _above_threshold(score: Score, instance: Instance) -> Fraction:
    """How far an instance lies above the threshold, exactly: by how many points, or by which factor in odds."""
    model, values = score.model, dict(zip(score.places, instance, strict=True))
    if isinstance(model, Scorecard):
        return sum((a.points[values[i]] for i, a in enumerate(model.attributes)), model.intercept - model.cutoff)
    pairs = [sides(model, model.prior), (1 - model.threshold, model.threshold)]
    for i, a in enumerate(model.attributes):
        pairs.append(sides(model, [a.given[c][values[i]] for c in model.class_values]))
    ours, theirs = zip(*pairs, strict=True)
    return Fraction(
        prod(p.numerator for p in ours) * prod(p.denominator for p in theirs),
        prod(p.denominator for p in ours) * prod(p.numerator for p in theirs),
    )


def sides(model: NaiveBayes, row: Sequence[Fraction]) -> tuple[Fraction, Fraction]:
    """A row over the class values as (positive, negative)."""
    at = model.class_values.index(model.labels[POSITIVE])
    return row[at], row[1 - at]
