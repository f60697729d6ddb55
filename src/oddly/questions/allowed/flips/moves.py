# SPDX-License-Identifier: Apache-2.0
"""What share of all cases is decided otherwise, if a number moves so far?  Prepared once for every number of a model.

The cases are weighed by a distribution that stays as it is: that of the model before anything moved. Those that a move
changes are among those that a longer move in the same direction does, so the share only grows with the move.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp, floor, inf, log10
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from oddly.answers import As, Unbounded
from oddly.errors import UnknownName, Unsupported
from oddly.lowering.score import FINITE, Score
from oddly.model.numbers import as_float
from oddly.questions.allowed.flips.levers import Cell, Effect, Lever, Odds
from oddly.questions.allowed.layout import Path
from oddly.questions.allowed.ranges import Real, Unit, log
from oddly.runtime import polled

Floats = NDArray[np.float64]
Bounds = tuple[Fraction | float, Fraction | float]
"""At least, and at most."""
POINTS = 121  # of a curve, on both sides of where the number is


@dataclass(frozen=True)
class MoveEnd:
    """How far a number may go in one direction while no more than a share changes."""

    at: Real
    """As far as this for certain."""
    included: bool
    beyond: Real
    """Here, and further, more changes for certain; infinite if that is not known of any."""
    included_beyond: bool = False
    """Whether that begins only past it."""
    free: bool = False
    """Whether nothing stops it."""


@dataclass(frozen=True)
class Drift:
    """The share of cases that are decided otherwise as one number moves, ready to plot."""

    path: tuple[str, ...]
    """Where the number stands in the model."""
    name: str
    """What people call it."""
    by: Annotated[Floats, As(tuple[Unbounded, ...], list)]
    """How far it moves, ascending: in log-odds, or points. Infinite where a probability comes to an end."""
    to: Annotated[Floats, As(tuple[Unbounded, ...], list)]
    """Where it is then: a probability, points, or a factor of the odds of a weight."""
    least: Annotated[Floats, As(tuple[float, ...], list)]
    """The share that changes is at least this."""
    most: Annotated[Floats, As(tuple[float, ...], list)]
    """And at most this."""


class Moves(ABC):
    """What moving numbers changes: of every number that can move, one of them at a time."""

    under: str
    """How cases are distributed."""

    @property
    @abstractmethod
    def paths(self) -> Sequence[Path]:
        """The numbers that can move."""

    @abstractmethod
    def place(self, path: Path) -> tuple[Real, Unit, Fraction]:
        """What a number is now, in which unit, and for a probability the total of its row."""

    @abstractmethod
    def name(self, path: Path) -> str:
        """What people call it."""

    @abstractmethod
    def share(self, path: Path, to: Fraction) -> Bounds:
        """What share of cases changes if this number becomes that one: between two numbers."""

    @abstractmethod
    def reaches(self, path: Path, budget: Fraction) -> tuple[MoveEnd, MoveEnd]:
        """How far the number may fall, and rise, while no more than this share changes."""

    @abstractmethod
    def moved(self, path: Path, by: float) -> Fraction:
        """What a number is if it moves so far: in log-odds, or points."""

    def distance(self, path: Path, to: Real) -> float:
        """How far a number moves to get there: in log-odds, or points."""
        now, unit, total = self.place(path)
        if unit == "points" or to in (inf, -inf):
            return float(to) - float(now)
        there, here = Fraction(to), Fraction(now)
        if unit == "log-odds":
            return log(there) if there else -inf
        return inf if there in (0, total) or here in (0, total) else log(Fraction(Odds(here, total).size(there)))

    @property
    @abstractmethod
    def scale(self) -> float:
        """A move that is not small: one in log-odds, or so many points."""

    def drift(self, path: Path, moves: Sequence[float] | None = None) -> Drift:
        """What share changes at these moves; by default at many, up to three times the scale either way.

        >>> import oddly
        >>> from oddly.questions.allowed.flips.prepare import prepare
        >>> prepare(oddly.examples.pregnancy()).drift(("prior",), [-1.5, 0, 2]).most.round(3).tolist()
        [0.042, 0.0, 0.062]
        """
        by = np.linspace(-3, 3, POINTS) * self.scale if moves is None else np.array(moves, float)
        to = [self.moved(path, x) for x in by.tolist()]
        found = [self.share(path, x) for x in polled(to, "drift")]
        least, most = (np.array([float(bounds[i]) for bounds in found]) for i in (0, 1))
        return Drift(tuple(path), self.name(path), by, np.array([as_float(x) for x in to]), least, most)


class LeverMoves(Moves):
    """The same where one weight per attribute is added up, and levers say what a number does."""

    def __init__(self, score: Score, levers: Sequence[Lever], under: str) -> None:
        self.score, self.under = score, under
        self.levers: Mapping[Path, Lever] = {lever.path: lever for lever in levers}

    @property
    def paths(self) -> Sequence[Path]:
        return tuple(self.levers)

    def lever(self, path: Path) -> Lever:
        if tuple(path) not in self.levers:
            raise UnknownName.among("number", " / ".join(path), [" / ".join(known) for known in self.levers])
        return self.levers[tuple(path)]

    def place(self, path: Path) -> tuple[Real, Unit, Fraction]:
        lever = self.lever(path)
        return lever.now, lever.unit, lever.high or Fraction(1)

    @abstractmethod
    def states(self, cell: Cell) -> Sequence[Fraction]:
        """What share of all cases is in a cell, by what its other values rule out."""

    def at_end(self, lever: Lever, up: bool) -> Fraction:
        """What changes exactly where a number ends, and not before: cases decided by probabilities of zero."""
        return sum((self._changed(lever, effect, up) for effect in lever.effects), Fraction(0))

    def past_zero(self, lever: Lever) -> Fraction:
        """What changes as soon as a probability is not 0 any more."""
        return sum((self._changed(lever, effect, None) for effect in lever.effects if effect.clears), Fraction(0))

    def _changed(self, lever: Lever, effect: Effect, up: bool | None) -> Fraction:
        """At the greatest that it can be, or at the least; None: just past now."""
        rules_out = FINITE if up is None else effect.at_ends[up]
        then = self.score.outcomes if up is None else lever.outcomes[up]
        total = Fraction(0)
        if self.score.finite and not self.score.model.certain:
            return total
        for depth, value in effect.cells:
            own = self.score.terms[depth][value].state if self.score.terms else FINITE
            for rest, mass in enumerate(self.states((depth, value))):
                before = self.score.prior.state | own | rest
                after = self.score.prior.state | (own & ~effect.clears) | rest
                if self._sums_decide(before) or self._sums_decide(after):
                    continue  # these change before the end
                if up is not None and self._label(before) != self._label(after, self.score.outcomes):
                    continue  # these have changed as soon as it was not 0
                if self._label(before) != self._label(after | rules_out, then):
                    total += mass
        return total

    def _sums_decide(self, state: int) -> bool:
        return state == FINITE and not self.score.model.certain

    def _label(self, state: int, outcomes: Sequence[int] | None = None) -> int:
        outcomes = self.score.outcomes if outcomes is None else outcomes
        return int(self.score.threshold < 0) if state == FINITE else outcomes[state]

    def moved(self, path: Path, by: float) -> Fraction:
        lever = self.lever(path)
        if lever.unit == "points":
            return lever.now + Fraction(by)
        factor = Fraction(exp(by))
        if lever.unit == "log-odds" or lever.high is None:
            return factor
        if not lever.now:
            raise Unsupported(f"{self.name(path)} is 0, and its log-odds cannot move")
        return Odds(lever.now, lever.high).back(factor)

    def name(self, path: Path) -> str:
        kind, *of = path
        if kind == "weight":
            return f"weight of {of[0]}={of[1]}"
        return next(number.name for number in self.score.model.numbers() if number.path == tuple(path))

    @property
    def scale(self) -> float:
        if self.score.model.unit != "points":
            return 1.0
        reach = float(sum(self.score.finite_impact) * self.score.unit) / 4
        return 10.0 ** floor(log10(reach)) if 0 < reach < inf else 1.0


def outermost(lever: Lever, up: bool) -> Real:
    """Where a number ends in a direction."""
    end = lever.high if up else lever.low
    return (inf if up else -inf) if end is None else end
