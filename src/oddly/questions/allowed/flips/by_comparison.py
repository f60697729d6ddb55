# SPDX-License-Identifier: Apache-2.0
"""What does moving a number change, whatever the model?  The moved model is compiled and compared, number by number asked for.

So it is for networks, for many classes and for tables, and for populations that are networks. The lead of a class over another
is a straight line in a probability, or in points, so what a move has changed stays changed, and halving finds the end of a budget.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import exp, inf, isinf

from oddly.compiler import as_diagram
from oddly.diagram import ODD
from oddly.diagram.combine import combine
from oddly.distribution.masses import label_masses
from oddly.distribution.measure import Measure, in_fractions, share
from oddly.errors import ModelError, UnknownName
from oddly.model import Named
from oddly.model.numbers import as_float
from oddly.questions.allowed.flips.levers import Odds
from oddly.questions.allowed.flips.moves import Bounds, MoveEnd, Moves
from oddly.questions.allowed.layout import Path
from oddly.questions.allowed.ranges import Range, Real, Unit
from oddly.runtime import poll

HALVINGS = 12  # each halves the digits of an end that are not known
FURTHEST = 60  # halvings of the way to where a number ends, if nothing nearer is known to be allowed
SURE = 1e-9  # of a share: more than its roundings, where it is not a fraction


class MovesByComparison(Moves):
    """By compiling every moved model."""

    def __init__(self, odd: ODD, measure: Measure, known: Mapping[Path, Range | None] | None) -> None:
        assert odd.source is not None
        self.odd, self.measure, self.under = odd, measure, measure.name
        self.known = known or {}
        every = {number.path: number for number in odd.source.model.numbers() if number.movable}
        kept = every if known is None else {path for path, found in known.items() if found is not None}
        self.numbers = {path: number for path, number in every.items() if path in kept}
        self._shares: dict[tuple[Path, Fraction], Bounds] = {}

    @property
    def paths(self) -> Sequence[Path]:
        return tuple(self.numbers)

    def number(self, path: Path) -> Named:
        if tuple(path) not in self.numbers:
            raise UnknownName.among("number", " / ".join(path), [" / ".join(known) for known in self.numbers])
        return self.numbers[tuple(path)]

    def place(self, path: Path) -> tuple[Real, Unit, Fraction]:
        number = self.number(path)
        start = self.odd.source.model.start if self.odd.source else None
        total = sum(start, Fraction(0)) if start and path[0] == "prior" else Fraction(1)
        return number.now, "points" if number.points else "probability", total

    def share(self, path: Path, to: Fraction) -> Bounds:
        if (path, to) not in self._shares:
            moved = as_diagram(self.number(path).becomes(to), like=self.odd)
            self._shares[path, to] = self._differ(moved)
        return self._shares[path, to]

    def _differ(self, moved: ODD) -> Bounds:
        """How probable is what two diagrams decide differently?  Exactly, or to what floats can tell."""
        if moved == self.odd:
            return Fraction(0), Fraction(0)
        differ = combine(self.odd, moved, lambda i, j: int(i != j), ["same", "differ"])
        masses, exact = in_fractions(lambda exact: label_masses(differ, self.measure, exact), None, [differ])
        found = share(sum(of_class[1] for of_class in masses), self.measure.mass)
        return (found, found) if exact else (found * (1 - SURE), found * (1 + SURE))

    def reaches(self, path: Path, budget: Fraction) -> tuple[MoveEnd, MoveEnd]:
        return self._reach(path, False, budget), self._reach(path, True, budget)

    def _reach(self, path: Path, up: bool, budget: Fraction) -> MoveEnd:
        number, never = self.number(path), inf if up else -inf
        end = self._end(number, up)
        if end == number.now:
            return MoveEnd(end, True, never, free=True)
        least, most = self._tried(path, end)
        if most <= budget:
            return MoveEnd(never if number.points else end, not number.points, never, free=True)
        near = self._near(path, up)
        far, beyond = end, end if least > budget else never
        for step in range(FURTHEST):
            poll("halving", step, HALVINGS)
            middle = _between(number.now, near, far)
            if step >= HALVINGS and near != number.now:
                break
            least, most = self._tried(path, middle)
            if most <= budget:
                near = middle
            else:
                far, beyond = middle, middle if least > budget else beyond
        return MoveEnd(near, True, beyond)

    def _near(self, path: Path, up: bool) -> Fraction:
        """Where it may go without any change, but not to an end that does not belong to it."""
        found, now = self.known.get(path), self.number(path).now
        if found is None:
            return now
        end = found.exact[up]
        if isinf(end):
            return now
        included = found.includes_high if up else found.includes_low
        return Fraction(end) if included else now + (Fraction(end) - now) * Fraction(999, 1000)

    def _end(self, number: Named, up: bool) -> Fraction:
        """Where it ends: probabilities at 0 and 1, points where no sum of all others can make up for them."""
        if not number.points:
            return Fraction(int(up))
        far = 2 * sum((abs(other.now) for other in self._everything), Fraction(1)) + abs(number.now)
        return number.now + far if up else number.now - far

    @property
    def _everything(self) -> list[Named]:
        assert self.odd.source is not None
        return list(self.odd.source.model.numbers())

    def _tried(self, path: Path, to: Fraction) -> Bounds:
        """The share there; where the number cannot be, nothing is known of it."""
        try:
            return self.share(path, to)
        except ModelError:
            return 0.0, inf

    def moved(self, path: Path, by: float) -> Fraction:
        number, (now, unit, total) = self.number(path), self.place(path)
        return number.now + Fraction(by) if unit == "points" else Odds(Fraction(now), total).back(Fraction(exp(by)))

    def name(self, path: Path) -> str:
        return self.number(path).name

    @property
    def scale(self) -> float:
        return max((abs(as_float(n.now)) for n in self.numbers.values() if n.points), default=0.0) or 1.0


def _between(now: Fraction, near: Fraction, far: Fraction) -> Fraction:
    """Half of the digits: the geometric mean of two ways; half of the way, where the nearer one is none."""
    if near == now:
        return now + (far - now) / 4
    ratio = (far - now) / (near - now)
    root = Fraction(as_float(ratio) ** 0.5) if as_float(ratio) < inf else Fraction(1 << 500)
    return now + (near - now) * max(min(root, ratio), Fraction(1))
