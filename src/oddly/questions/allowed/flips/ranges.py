# SPDX-License-Identifier: Apache-2.0
"""The range of one number while no more than a share of all cases changes: what is proven to be in it, and what is proven not to be."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

from oddly.answers import UNTOLD, Unbounded
from oddly.model.numbers import as_float
from oddly.questions.allowed.flips.moves import MoveEnd
from oddly.questions.allowed.ranges import Block, Range, Real, Unit, log

LEAST_PLACES, MOST_PLACES = 3, 17  # digits after the point
LARGE = 10**12  # numbers without a point, to a few digits


@dataclass(frozen=True, repr=False)
class FlipRange(Range):
    """Which values of a number change no more than a share of all cases, while all other numbers stay?

    Those from low to high, for certain; at `outer_low` and below, and at `outer_high` and above, more than that changes for
    certain. Where instances were looked at one by one the two are the same, and the brackets say to which side an end belongs.
    """

    below: Annotated[Block | None, UNTOLD]
    above: Annotated[Block | None, UNTOLD]
    """It is no single instance that stops it."""
    probability: "FlipRange | None"
    """The same as a probability, where the number is the log-odds of one."""
    outer_low: Unbounded
    """More changes here for certain, or just past it where `low` is the same and included; infinite if nowhere."""
    outer_high: Unbounded
    """The same above."""
    _free: bool
    """Whether nothing stops it."""

    @classmethod
    def reaching(
        cls, fall: MoveEnd, rise: MoveEnd, now: Real, unit: Unit, probability: "FlipRange | None" = None
    ) -> "FlipRange":
        low, high = _near(fall.at), _near(rise.at)
        outer = (_near(fall.beyond), _near(rise.beyond))
        ends = (_near(now), low, high, fall.included, rise.included)
        return cls(unit, *ends, None, None, probability, (fall.at, rise.at, now), *outer, fall.free and rise.free)

    @property
    def any(self) -> bool:
        return self._free

    @property
    def room(self) -> float:
        return min(self.now - self.low, self.high - self.now)

    def stops(self) -> list[str]:
        low, high = self.outer_texts()
        return [f"more changes from {end}{way}" for end, way in ((low, " down"), (high, " up")) if end]

    def __repr__(self) -> str:
        return f"{'anything' if self.any else f'in {self.interval()}'}, now {self.texts()[2]}"

    def texts(self) -> tuple[str, str, str]:
        """Low, high and now: ends rounded towards where it is now, so that what is said is proven."""
        low, high, now = self._exact
        places = self._places()
        return (
            self._said(low, places, up=True),
            self._said(high, places, up=False),
            self._as_written(self._said(now, places)),
        )

    def outer_texts(self) -> tuple[str, str]:
        """Where more changes for certain, rounded away from where it is now; nothing where that is not known."""
        places = self._places()
        return self._said(self.outer_low, places, up=False, none=""), self._said(
            self.outer_high, places, up=True, none=""
        )

    def _places(self) -> int:
        """Two digits of the way to the nearer end."""
        away = [abs(end - self.now) for end in (self.low, self.high) if end != self.now and not math.isinf(end)]
        return min(max(LEAST_PLACES, 1 - math.floor(math.log10(min(away, default=1.0) or 1.0))), MOST_PLACES)

    def _said(self, number: Real, places: int, up: bool | None = None, none: str = "inf") -> str:
        if number in (math.inf, -math.inf):
            return f"{'-' if number < 0 and none else ''}{none}"
        if abs(_near(number)) >= LARGE:
            return f"{as_float(Fraction(number)):.7g}"
        scaled = Fraction(number) * 10**places
        units = int(round(scaled) if up is None else math.ceil(scaled) if up else math.floor(scaled))
        text = f"{abs(units):0{places + 1}d}"
        text = f"{'-' if units < 0 else ''}{text[:-places]}.{text[-places:]}"
        whole = self.unit == "points" or scaled in (0, 10**places)
        return text.rstrip("0").rstrip(".") if whole else text


def widened(fall: MoveEnd, rise: MoveEnd, strict: Range | None) -> tuple[MoveEnd, MoveEnd]:
    """How far for certain, if all of a range is known to be allowed."""
    if strict is None:
        return fall, rise
    low, high = strict.exact
    return _further(fall, low, strict.includes_low, up=False), _further(rise, high, strict.includes_high, up=True)


def _further(reach: MoveEnd, end: Real, included: bool, up: bool) -> MoveEnd:
    """How far for certain, if it is also known to be allowed up to there."""
    if reach.at == end:
        return MoveEnd(end, reach.included or included, reach.beyond, reach.included_beyond, reach.free)
    if (end > reach.at) == up:
        return MoveEnd(end, included, reach.beyond, reach.included_beyond, reach.free)
    return reach


def converted(reaches: tuple[MoveEnd, MoveEnd], convert: "Convert") -> tuple[MoveEnd, MoveEnd]:
    """The same in another unit that grows with the first."""
    fall, rise = (_converted(reach, convert) for reach in reaches)
    return fall, rise


def _converted(reach: MoveEnd, convert: "Convert") -> MoveEnd:
    beyond = reach.beyond if reach.beyond in (math.inf, -math.inf) else convert(reach.beyond)
    return MoveEnd(convert(reach.at), reach.included, beyond, reach.included_beyond, reach.free)


class Convert:
    """A weight in log-odds that was multiplied by a factor, or a part of a total as log-odds."""

    def __init__(self, now: float, total: Fraction | None = None) -> None:
        self.now, self.total = now, total

    def __call__(self, number: Real) -> Real:
        if number == math.inf or number == self.total:
            return math.inf
        if number == 0:
            return -math.inf
        part = Fraction(number)
        return self.now + log(part) if self.total is None else log(part / (self.total - part))


def _near(number: Real) -> float:
    return as_float(number) if isinstance(number, Fraction) else float(number)
