# SPDX-License-Identifier: Apache-2.0
"""Which interval of a number does a text mean?  18-24, <2, >=65, [0, 5), 5 to 10, 0<=X<200, 65+, 65 and over.

The texts of one attribute together make its cut points: between two neighbours there is no gap, and no number lies in both.
Whole numbers (and decimals of equally many digits) may stop where the next begins one later, as in 18-24 and 25-34.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Literal

from oddly.errors import ModelError
from oddly.formats.text import short
from oddly.model import Bins
from oddly.model.numbers import exact, places_of, written

ANY = "any"
"""The label of bins without a cut."""

_N = r"([+-]?(?:\d+\s*/\s*\d+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?))"
_END = rf"(?:{_N}|[+-]?(?:inf(?:inity)?|∞))"
_BELOW, _ABOVE = r"(?:less|lower|fewer|younger|smaller)", r"(?:more|over|above|higher|older|greater|up)"


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(r"\s*" + text.replace(" ", r"\s*") + r"\s*", re.IGNORECASE | re.ASCII)


_BRACKETS = _pattern(rf"([\[(\]]) ({_END}) [,;] ({_END}) ([\])\[])")
_BETWEEN = _pattern(rf"{_N} (<=|<|≤) [^\W\d]\w* (<=|<|≤) {_N}")
_RANGE = _pattern(rf"{_N} (?:-|–|—|to|\.\.\.?|…) {_N}")
_POINT = _pattern(_N)
_UNDER = [_pattern(rf"(?:<|under|below|{_BELOW} than) {_N}")]
_UP_TO = [_pattern(rf"(?:<=|=<|≤|up to|at most) {_N}"), _pattern(rf"{_N} (?:or|and) {_BELOW}")]
_OVER = [_pattern(rf"(?:>|over|above|{_ABOVE} than) {_N}")]
_FROM = [_pattern(rf"(?:>=|=>|≥|from|at least) {_N}"), _pattern(rf"{_N} (?:\+|(?:or|and) {_ABOVE})")]


@dataclass(frozen=True)
class Stretch:
    """The numbers that a text means."""

    text: str
    low: Fraction | None
    """None: there is no end."""
    high: Fraction | None
    low_in: bool
    """Whether the end itself belongs to it."""
    high_in: bool
    place: str = ""
    """Where it stands, for an error."""

    @property
    def is_point(self) -> bool:
        """Whether it is one number, which by itself is as well a label."""
        return self.low is not None and self.low == self.high

    @property
    def named(self) -> str:
        """How an error calls it."""
        return short(self.text) + (f" ({self.place})" if self.place else "")

    def key(self) -> tuple[bool, Fraction, bool, bool, Fraction]:
        """From below, whatever has no end first."""
        zero = Fraction(0)
        return self.low is not None, self.low or zero, not self.low_in, self.high is None, self.high or zero


def interval_of(text: str) -> Stretch | None:
    """The interval that a text means, None if it is none.

    >>> found = interval_of("18-24"), interval_of("<= 30"), interval_of("(5, 10]")
    >>> [(str(i.low), str(i.high), i.low_in, i.high_in) for i in found]
    [('18', '24', True, True), ('None', '30', False, True), ('5', '10', False, True)]
    >>> interval_of("young"), interval_of("10-5")
    (None, None)
    """
    try:
        found = _two_ended(text) or _one_ended(text)
    except ModelError:  # 1/0 is no number
        return None
    if found is None or found.low is None or found.high is None:
        return found
    is_empty = found.low > found.high or (found.low == found.high and not (found.low_in and found.high_in))
    return None if is_empty else found


def _two_ended(text: str) -> Stretch | None:
    if m := _BRACKETS.fullmatch(text):
        low, high = (None if n is None else exact(n, "bin") for n in (m[3], m[5]))
        infinite = (low is None and not m[2].startswith("-")) or (high is None and m[4].startswith("-"))
        return None if infinite else Stretch(text, low, high, m[1] == "[" and low is not None, m[6] == "]")
    if m := _BETWEEN.fullmatch(text):
        return Stretch(text, exact(m[1], "bin"), exact(m[4], "bin"), m[2] != "<", m[3] != "<")
    if m := _RANGE.fullmatch(text):
        return Stretch(text, exact(m[1], "bin"), exact(m[2], "bin"), True, True)
    return Stretch(text, exact(m[1], "bin"), exact(m[1], "bin"), True, True) if (m := _POINT.fullmatch(text)) else None


def _one_ended(text: str) -> Stretch | None:
    for patterns, below, belongs in (
        (_UNDER, True, False),
        (_UP_TO, True, True),
        (_OVER, False, False),
        (_FROM, False, True),
    ):
        for pattern in patterns:
            if m := pattern.fullmatch(text):
                end = exact(m[1], "bin")
                return Stretch(text, None, end, False, belongs) if below else Stretch(text, end, None, belongs, False)
    return None


@dataclass(frozen=True)
class _Boundary:
    """Where one interval ends and the next begins."""

    last: Fraction
    """The cut if it belongs to the lower one,"""
    first: Fraction
    """and if it belongs to the upper one; they differ between whole numbers."""
    side: Literal["left", "right", "either"]
    pair: tuple[Stretch, Stretch]


def bins_of_texts(texts: Sequence[str], places: Sequence[str] = ()) -> tuple[Bins, tuple[str, ...]] | None:
    """The bins that the values of an attribute are, and the values from below, what is no interval last; None if they
    are labels. `places` says where each stands, for errors.

    >>> bins, values = bins_of_texts(["25-34", "18-24", "65+", "35-64", "refused"])
    >>> [str(cut) for cut in bins.cuts], bins.closed, values
    (['25', '35', '65'], 'left', ('18-24', '25-34', '35-64', '65+', 'refused'))
    >>> bins_of_texts(["1", "2", "3"])
    """
    found = [interval_of(text) for text in texts]
    if places:
        found = [i and replace(i, place=place) for i, place in zip(found, places, strict=True)]
    intervals = sorted((i for i in found if i is not None), key=Stretch.key)
    others = tuple(text for text, i in zip(texts, found, strict=True) if i is None)
    if not intervals and others[:1] == (ANY,) and len(others) <= 2:
        return Bins([]), others
    if len(intervals) < 2 or all(i.is_point for i in intervals):
        return None
    boundaries = [_boundary(a, b) for a, b in pairwise(intervals)]
    return _bins(boundaries), (*(i.text for i in intervals), *others)


def _boundary(a: Stretch, b: Stretch) -> _Boundary:
    """Between two neighbours, or an error that names both."""
    both = f"{a.named} and {b.named}"
    if a.high is None or b.low is None or a.high > b.low:
        raise ModelError(f"the bins {both} overlap")
    if a.high == b.low:
        if a.high_in and b.low_in:
            raise ModelError(f"the bins {both} overlap: {written(a.high)} lies in both")
        if not (a.high_in or b.low_in):
            raise ModelError(f"between the bins {both} there is a gap: {written(a.high)} lies in neither")
        return _Boundary(a.high, b.low, "right" if a.high_in else "left", (a, b))
    if a.high_in and b.low_in and b.low - a.high == _step(a, b):
        return _Boundary(a.high, b.low, "either", (a, b))
    raise ModelError(f"between the bins {both} there is a gap, from {written(a.high)} to {written(b.low)}")


def _step(a: Stretch, b: Stretch) -> Fraction:
    """One in the last digit that the neighbours are written with: 1 of whole numbers, 0.1 of 0.9 and 1.0."""
    digits = [len(n.partition(".")[2]) for text in (a.text, b.text) for n in re.findall(r"\d+(?:\.\d+)?", text)]
    known = [places_of(end.denominator) or 0 for end in (a.high, b.low) if end is not None]
    return Fraction(1, 10 ** max(*digits, *known))


def _bins(boundaries: Sequence[_Boundary]) -> Bins:
    """All cuts belong to the interval above them, or all to the one below; between whole numbers either will do."""
    sides = {b.side: b for b in boundaries}
    if "left" in sides and "right" in sides:
        left, right = sides["left"], sides["right"]
        texts = [" and ".join(i.named for i in b.pair) for b in (left, right)]
        ends = (
            f"{written(left.first)} belongs to the upper one, and of {texts[1]}, {written(right.last)} to the lower one"
        )
        whole = right.last.denominator == 1 and any(b.side == "either" for b in boundaries)
        such_as = f", as with >={right.last + 1} instead of >{right.last}" if whole else ""
        raise ModelError(f"of the bins {texts[0]}, {ends}.  Let all ends belong to the same side{such_as}.")
    if "right" in sides:
        return Bins([b.last for b in boundaries], "right")
    return Bins([b.first for b in boundaries])
