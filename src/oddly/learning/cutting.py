# SPDX-License-Identifier: Apache-2.0
"""Where a numeric column is cut: where it is told, at equal widths or frequencies, or by supervised MDL.

The last is Fayyad and Irani (IJCAI 1993): cut where the classes are told apart best, again within both parts, and
stop where a cut does not pay for its own description.

A column's numbers are exact as written, at the speed of floats: rounding to the nearest float keeps the order, so floats
that differ tell which number is larger, and only where two are equal must the numbers themselves be compared.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from oddly.errors import ModelError
from oddly.learning.cells import is_number
from oddly.model import Bins, Number
from oddly.model.numbers import as_float, as_written, exact

Spec = str | Sequence[Number] | Bins | None
"""How one column is cut: "labels" or None (not at all), "mdl", "width:5", "frequency:5", cut points, or Bins."""

EVERY = "*"
"""In a mapping of bins: every column not named that looks like a measurement."""

SLACK = 1e-10
"""Entropies this close are equal, and the lower cut wins: rounding does not choose."""

FEW = 20
"""So many different whole numbers may be labels; more, or fractions among them, look like a measurement."""


def looks_measured(distinct: NDArray[Any]) -> bool:
    """Whether a column's distinct values look like measurements rather than labels.

    >>> looks_measured(np.arange(20)), looks_measured(np.arange(21)), looks_measured(np.array([0.5, 1]))
    (False, True, True)
    >>> looks_measured(np.array(["1", "2.50"], object)), looks_measured(np.array(["1", "2b"], object))
    (True, False)
    """
    if distinct.dtype.kind not in "iuf" and not (len(distinct) and all(map(is_number, distinct))):
        return False
    if len(distinct) > FEW or distinct.dtype.kind in "iu":
        return len(distinct) > FEW
    return not all(float(number).is_integer() for number in distinct)


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
        return exact(as_written(self.distinct[place]), "number")

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
        """The interval each number lies in; -1 where it is to be a whole number, and is none."""
        cuts = np.array([as_float(cut) for cut in bins.cuts], np.float64)
        found = np.searchsorted(cuts, self.floats, side="left" if bins.closed == "right" else "right").astype(np.int32)
        for i in np.flatnonzero(np.isin(self.floats, cuts)):
            found[i] = bins.place(self.exact(int(i)))
        if bins.whole:
            found[~self.whole] = -1
        return found

    @cached_property
    def whole(self) -> NDArray[np.bool_]:
        """Which of them are whole numbers."""
        found: NDArray[np.bool_] = self.floats == np.floor(self.floats)
        if self.distinct.dtype.kind not in "iuf":  # a text may have more digits than a float tells
            for i in np.flatnonzero(found):
                found[i] = self.exact(int(i)).denominator == 1
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


def is_finite(text: str) -> bool:
    """Whether a text is a number that can be cut: a decimal, or a fraction."""
    if len(text) < 30 and text.isascii() and text.lstrip("+-").replace(".", "", 1).isdecimal() and is_number(text):
        return True  # nearly all are: no need to work them out
    try:
        exact(text, "number")
    except ModelError:
        return False
    return True


@dataclass(frozen=True)
class Cutter:
    """A checked way of cutting a column."""

    way: Literal["labels", "mdl", "width", "frequency", "given"]
    parts: int = 0
    bins: Bins | None = None

    @classmethod
    def of(cls, spec: Any, where: str) -> "Cutter":
        """What a caller wrote, or an error that says what could be."""
        if spec is None or spec == "labels":
            return cls("labels")
        if isinstance(spec, Bins):
            return cls("given", bins=spec)
        if spec == "mdl":
            return cls("mdl")
        if isinstance(spec, str) and (match := re.fullmatch(r"(width|frequency):(\d{1,6})", spec)) and int(match[2]):
            return cls("width" if match[1] == "width" else "frequency", int(match[2]))
        if isinstance(spec, Sequence | np.ndarray | range) and not isinstance(spec, str):
            try:
                return cls("given", bins=Bins(list(spec)))
            except ModelError as error:
                raise ModelError(f"{where}: {error}") from None
        raise ModelError(f"{where}: expected cut points, 'mdl', 'width:5', 'frequency:5' or 'labels', found {spec!r}")

    def cut(self, numbers: Numbers, counts: NDArray[np.int64]) -> Bins:
        """The bins of a column, given how often each of its numbers occurs in each class."""
        if self.bins is not None:
            return self.bins
        seen = np.flatnonzero(counts.sum(axis=1))
        if not len(seen):
            return Bins([])
        if len(seen) < len(counts):
            numbers, counts = Numbers(numbers.distinct[seen]), counts[seen]
        rank, first = numbers.levels
        by_rank = np.zeros((len(first), counts.shape[1]), np.int64)
        np.add.at(by_rank, rank, counts)
        if self.way == "width":
            low, high = numbers.exact(int(first[0])), numbers.exact(int(first[-1]))
            return Bins([low + (high - low) * i / self.parts for i in range(1, self.parts)] if low < high else [])
        ranks = mdl(by_rank) if self.way == "mdl" else frequency(by_rank.sum(axis=1), self.parts)
        return Bins([(numbers.exact(int(first[r - 1])) + numbers.exact(int(first[r]))) / 2 for r in ranks])


def cutters(bins: Spec | Mapping[str, Spec]) -> dict[str, Cutter]:
    """The ways of cutting by column; EVERY is for the columns not named."""
    if bins is None:
        return {}
    if isinstance(bins, Mapping):
        return {name: Cutter.of(spec, f"bins of {name}") for name, spec in bins.items()}
    if not isinstance(bins, str):
        wanted = "a way of cutting or one per column, such as {'age': [30, 50]}"
        raise ModelError(f"bins: expected {wanted}, found {bins!r}")
    return {EVERY: Cutter.of(bins, "bins")}


def frequency(counts: NDArray[np.int64], parts: int) -> list[int]:
    """The ranks that start a part, the parts being about equally frequent: each cut as near as can be to its share.

    >>> frequency(np.array([1, 1, 1, 1, 1, 1]), 3), frequency(np.array([9, 1, 1, 1]), 3)
    ([2, 4], [1])
    """
    below = np.cumsum(counts)[:-1]
    if not len(below):
        return []
    total = int(counts.sum())
    # parts * below against i * total: whole numbers, so that no tie is left to rounding
    return sorted({int(np.argmin(np.abs(parts * below - i * total))) + 1 for i in range(1, parts)})


def mdl(counts: NDArray[np.int64]) -> list[int]:
    """The ranks that start a part, by class entropy and the minimum description length principle.

    counts[r, c] is how often the r-th smallest number occurs in class c.

    >>> mdl(np.array([[9, 0], [9, 0], [0, 9], [0, 9]])), mdl(np.array([[1, 1], [1, 1]]))
    ([2], [])
    """
    cumulative = np.vstack([np.zeros_like(counts[:1]), np.cumsum(counts, axis=0)])
    found, waiting = [], [(0, len(counts))]
    while waiting:
        start, end = waiting.pop()
        cut = _pays(cumulative, start, end)
        if cut is not None:
            found.append(cut)
            waiting += [(start, cut), (cut, end)]
    return sorted(found)


def _pays(cumulative: NDArray[np.int64], start: int, end: int) -> int | None:
    """The best cut of the ranks from start to end, if it is worth its description."""
    if end - start < 2:
        return None
    whole = cumulative[end] - cumulative[start]
    left = cumulative[start + 1 : end] - cumulative[start]
    right = whole - left
    n, h = int(whole.sum()), _entropy(whole)
    h_left, h_right = _entropy(left), _entropy(right)
    n_left = left.sum(axis=1)
    after = (n_left * h_left + (n - n_left) * h_right) / n
    best = int(np.flatnonzero(after <= after.min() + SLACK)[0])
    k, k_left, k_right = (int(np.count_nonzero(row)) for row in (whole, left[best], right[best]))
    log2_of_3_to_k_minus_2 = float(k * np.log2(3) + np.log1p(-2 * 3.0**-k) / np.log(2))  # at any k
    delta = log2_of_3_to_k_minus_2 - (k * h - k_left * h_left[best] - k_right * h_right[best])
    return start + 1 + best if h - after[best] > (np.log2(n - 1) + delta) / n + SLACK else None


def _entropy(counts: NDArray[np.int64]) -> Any:
    """The class entropy in bits, of one row of counts or of each."""
    total = counts.sum(axis=-1, keepdims=True)
    p = counts / np.maximum(total, 1)
    return -(p * np.log2(np.where(p > 0, p, 1))).sum(axis=-1)
