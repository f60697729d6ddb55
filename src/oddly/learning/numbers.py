# SPDX-License-Identifier: Apache-2.0
"""A column's numbers, exact as written, at the speed of floats.

Rounding to the nearest float keeps the order, so floats that differ tell which number is larger; only where two floats
are equal must the numbers themselves be compared. A float of a frame stands for its shortest decimal, as in a file.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.errors import ModelError
from oddly.learning.cells import is_number
from oddly.model import Bins
from oddly.model.numbers import as_float, as_written, exact

FEW = 20
"""So many different whole numbers may be labels; more, or fractions among them, look like a measurement."""


def looks_measured(distinct: NDArray[Any]) -> bool:
    """Whether a column's distinct values look like measurements rather than labels.

    >>> looks_measured(np.arange(20)), looks_measured(np.arange(21)), looks_measured(np.array([0.5, 1]))
    (False, True, True)
    >>> looks_measured(np.array(["1", "2.50"], object)), looks_measured(np.array(["1", "2b"], object))
    (True, False)
    """
    if distinct.dtype.kind in "iu":
        return len(distinct) > FEW
    if distinct.dtype.kind == "f":
        whole = np.isfinite(distinct) & (distinct == np.floor(distinct))
        return len(distinct) > FEW or not bool(whole.all())
    if not len(distinct) or not all(map(is_number, distinct)):
        return False
    return len(distinct) > FEW or not all(float(text).is_integer() for text in distinct)


@dataclass(frozen=True, eq=False)
class Numbers:
    """The distinct values of a column as numbers."""

    distinct: NDArray[Any]
    """Integers, floats, or the texts of numbers."""

    @classmethod
    def of(cls, distinct: NDArray[Any], where: str) -> "Numbers":
        """Numbers, or an error that names what is none."""
        if distinct.dtype.kind in "iu":
            return cls(distinct)
        if distinct.dtype.kind == "f":
            wrong = np.flatnonzero(~np.isfinite(distinct))
        else:
            wrong = np.array([i for i, text in enumerate(distinct) if not is_finite(text)], np.intp)
        if len(wrong):
            raise ModelError(f"{where}: bins are for finite numbers, found {str(distinct[wrong[0]])!r}")
        return cls(distinct)

    def exact(self, place: int) -> Fraction:
        """The number itself."""
        value = self.distinct[place]
        return exact(as_written(value), "number")

    @cached_property
    def floats(self) -> NDArray[np.float64]:
        """The nearest floats."""
        if self.distinct.dtype.kind in "iu" or self.distinct.dtype == np.float64:
            return self.distinct.astype(np.float64)
        if self.distinct.dtype.kind == "f":  # 0.1 in 32 bits is not the float nearest to a tenth
            return np.array([float(str(value)) for value in self.distinct], np.float64)
        try:
            return np.fromiter(map(float, self.distinct), np.float64, len(self.distinct))
        except ValueError:  # a fraction among them
            return np.array([as_float(exact(text, "number")) for text in self.distinct], np.float64)

    def places(self, bins: Bins) -> NDArray[np.int32]:
        """The interval each number lies in."""
        cuts = np.array([as_float(cut) for cut in bins.cuts], np.float64)
        found = np.searchsorted(cuts, self.floats, side="right" if bins.closed == "left" else "left").astype(np.int32)
        for i in np.flatnonzero(np.isin(self.floats, cuts)):
            found[i] = bins.place(self.exact(int(i)))
        return found

    @cached_property
    def levels(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """(rank, first): each value's place among the numbers in rising order, and a value of each rank."""
        order = np.argsort(self.floats, kind="stable")
        floats = self.floats[order]
        new = np.append(True, floats[1:] > floats[:-1]) if len(order) else np.zeros(0, bool)
        if not new.all():
            order, new = self._refined(order, new)
        rank = np.empty(len(order), np.intp)
        rank[order] = np.cumsum(new) - 1
        return rank, order[new]

    def _refined(self, order: NDArray[np.intp], new: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """Numbers with one float put in their own order: 0.1 and 0.10 are one number, 1e400 and 1e401 two."""
        starts = np.flatnonzero(new)
        for start, end in zip(starts, [*starts[1:], len(order)], strict=True):
            if end - start > 1:
                group = sorted(order[start:end].tolist(), key=self.exact)
                order[start:end] = group
                new[start + 1 : end] = [self.exact(a) < self.exact(b) for a, b in pairwise(group)]
        return order, new


def midway(numbers: Numbers, first: NDArray[np.intp], rank: int) -> Fraction:
    """The cut between the numbers of rank - 1 and rank, halfway between them."""
    return (numbers.exact(int(first[rank - 1])) + numbers.exact(int(first[rank]))) / 2


def is_finite(text: str) -> bool:
    """Whether a text is a number that can be cut: a decimal, or a fraction."""
    if len(text) < 30 and text.isascii() and text.lstrip("+-").replace(".", "", 1).isdecimal() and is_number(text):
        return True  # nearly all are: no need to work them out
    try:
        exact(text, "number")
    except ModelError:
        return False
    return True
