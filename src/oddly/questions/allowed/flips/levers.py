# SPDX-License-Identifier: Apache-2.0
"""Which sums does a number move, and by how much?  Of one weight per attribute: the prior, the threshold, weights and entries.

A CPT entry moves the sums of the instances that have its value one way, and by co-variation those of all others the other way.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf

from oddly.lowering.score import ALWAYS, FINITE, NEVER, Score
from oddly.model import NaiveBayes
from oddly.questions.allowed.layout import Path
from oddly.questions.allowed.ranges import Real, Unit

Cell = tuple[int, int]
"""A depth and the place of a value there: the instances that have it. (0, 0) without attributes: the only instance."""
Outcomes = tuple[int, int, int, int]


class Form(ABC):
    """How a number moves sums: by a factor of the odds, or by points."""

    grows = True
    """Whether more of the number is more of the factor, or of the points."""

    @abstractmethod
    def back(self, size: Fraction) -> Fraction:
        """The number that moves sums so far: by a factor, or by points."""

    @abstractmethod
    def size(self, to: Fraction) -> Real:
        """How far a number moves sums: the factor, or the points."""


@dataclass(frozen=True)
class AddedPoints(Form):
    """Points."""

    now: Fraction

    def back(self, size: Fraction) -> Fraction:
        return self.now + size

    def size(self, to: Fraction) -> Real:
        return to - self.now


@dataclass(frozen=True)
class Scaled(Form):
    """A factor of the odds: a probability of the instances that have its value."""

    now: Fraction

    def back(self, size: Fraction) -> Fraction:
        return self.now * size

    def size(self, to: Fraction) -> Real:
        return to / self.now


@dataclass(frozen=True)
class Remainder(Form):
    """What is left of a row's total, and shared by the other values in proportion."""

    now: Fraction
    total: Fraction
    grows = False

    def back(self, size: Fraction) -> Fraction:
        return self.total - (self.total - self.now) * size

    def size(self, to: Fraction) -> Real:
        return (self.total - to) / (self.total - self.now)


@dataclass(frozen=True)
class Odds(Form):
    """A part of a total against the rest of it: a prior, a threshold."""

    now: Fraction
    total: Fraction

    def back(self, size: Fraction) -> Fraction:
        odds = self.now / (self.total - self.now) * size
        return self.total * odds / (1 + odds)

    def size(self, to: Fraction) -> Real:
        return inf if to == self.total else to * (self.total - self.now) / ((self.total - to) * self.now)


@dataclass(frozen=True)
class Effect:
    """What a number does to some of all instances."""

    cells: tuple[Cell, ...]
    form: Form
    up: bool
    """Whether a greater factor, or more points, makes their sums greater."""
    at_ends: tuple[int, int] = (FINITE, FINITE)
    """What it rules out at the least and at the greatest that the number can be."""
    fresh: Fraction | None = None
    """For a probability that is 0 now: the odds of the value, but for that probability."""
    clears: int = FINITE
    """What it does no longer rule out once it is not 0."""

    @property
    def rises(self) -> bool:
        """Whether sums grow with the number."""
        return self.up == self.form.grows


@dataclass(frozen=True)
class Lever:
    """A number that can move alone."""

    path: Path
    unit: Unit
    now: Fraction
    """Of a weight in log-odds the factor 1."""
    low: Fraction | None
    """Where it ends; None: nowhere."""
    high: Fraction | None
    closed: bool
    """Whether it can be there."""
    effects: tuple[Effect, ...]
    outcomes: tuple[Outcomes, Outcomes]
    """What each state is decided as at either end."""


def levers(score: Score) -> Iterator[Lever]:
    """Every number of a sum of one weight per attribute, but for a prior of 0 or 1 and what is alone in its row."""
    model = score.model
    every = tuple((0, v) for v in range(len(score.terms[0]))) if score.terms else ((0, 0),)
    if model.naive is not None:
        yield from _of_chances(score, model.naive, every)
        return
    for number in model.numbers():
        cells, up = every, number.path[0] != "cutoff"
        if number.path[0] == "points":
            depth = score.index(number.path[1])
            cells = ((depth, score.variables[depth].index(number.path[2])),)
        effect = Effect(cells, AddedPoints(number.now), up)
        yield Lever(number.path, "points", number.now, None, None, False, (effect,), (score.outcomes,) * 2)


def _of_chances(score: Score, model: NaiveBayes, every: tuple[Cell, ...]) -> Iterator[Lever]:
    p, rest = model.sides(model.prior)
    same = (score.outcomes, score.outcomes)
    if p and rest:
        effect = Effect(every, Odds(p, p + rest), True, (NEVER, ALWAYS))
        yield Lever(("prior",), "probability", p, Fraction(0), p + rest, True, (effect,), same)
    if not model.certain:
        effect = Effect(every, Odds(model.threshold, Fraction(1)), False)
        ends = _at_certain_thresholds(score)
        yield Lever(("threshold",), "probability", model.threshold, Fraction(0), Fraction(1), True, (effect,), ends)
    for a in model.attributes:
        depth = score.index(a.name)
        places = [score.variables[depth].index(value) for value in a.values]
        sides = model.given_sides(a)
        for value, at, (yes, no) in zip(a.values, places, sides, strict=True):
            if yes and no:
                effect = Effect(((depth, at),), Scaled(Fraction(1)), True)
                one, zero = Fraction(1), Fraction(0)
                yield Lever(("weight", a.name, value), "log-odds", one, zero, None, False, (effect,), same)
        for label in model.class_values:
            cells = [(depth, at) for at in places]
            for i, value in enumerate(a.values):
                effects = _of_entry(a.given[label], i, cells, sides[i], label == model.positive)
                if effects:
                    now, total = a.given[label][i], sum(a.given[label], Fraction(0))
                    path = ("entry", a.name, label, value)
                    yield Lever(path, "probability", now, Fraction(0), total, True, effects, same)


def _of_entry(
    row: Sequence[Fraction], i: int, cells: Sequence[Cell], sides: tuple[Fraction, Fraction], up: bool
) -> tuple[Effect, ...]:
    """Its own value goes one way and the others the other; nothing if it is alone in its row."""
    now, total = row[i], sum(row, Fraction(0))
    if now == total:
        return ()
    others = tuple(cell for k, cell in enumerate(cells) if k != i)
    rules_out = NEVER if up else ALWAYS
    rest = Effect(others, Remainder(now, total), up, (FINITE, rules_out))
    if now:
        return Effect((cells[i],), Scaled(now), up, (rules_out, FINITE)), rest
    other_side = sides[1] if up else sides[0]
    fresh = Fraction(0) if not other_side else 1 / other_side if up else other_side
    return Effect((cells[i],), Scaled(Fraction(1)), up, (rules_out, FINITE), fresh, rules_out), rest


def _at_certain_thresholds(score: Score) -> tuple[Outcomes, Outcomes]:
    """Pr >= 0 holds of all that is possible, Pr >= 1 of what is impossible under the negative class; Pr > 1 of nothing."""
    included = int(score.model.ties == "positive")
    impossible = score.outcomes[NEVER | ALWAYS]
    return (1, included, 1, impossible), (0, 0, included, impossible)
