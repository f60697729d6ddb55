# SPDX-License-Identifier: Apache-2.0
"""Equal rows of many columns, found without a sort where the numbers are small, and with one sort where not."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.int64]

_MIX = np.uint64(0x9E3779B97F4A7C15)  # the golden ratio as an odd 64-bit fraction: it scatters well
_SHIFT = np.uint64(29)
DENSE = 8  # times as many possible rows as there are rows are still numbered in a table rather than sorted


def distinct(columns: Sequence[NDArray[Any]]) -> tuple[Places, Places]:
    """A row to stand for each distinct one, by its place, and which of those every row equals.

    Rows of large numbers are sorted by a mixed 64-bit key, and then compared with their neighbours: rows of equal
    key that differ, as rare as they are, are told apart column by column.

    >>> first, which = distinct([np.array([5, 5, 7]), np.array([1, 1, 1])])
    >>> len(first), bool(which[0] == which[1] != which[2])
    (2, True)
    """
    # Python's integers by their rank
    columns = [np.unique(c, return_inverse=True)[1] if c.dtype == object else c for c in columns]
    packed = _packed(columns)
    if packed is not None:
        return _by_number(*packed)
    words = [np.ascontiguousarray(column, np.int64) for column in columns]
    key = np.zeros(len(words[0]), np.uint64)
    for column in words:
        key = (key ^ column.view(np.uint64)) * _MIX
        key ^= key >> _SHIFT
    return _by_key(key, words) or _column_by_column(words)


def ascending(rows: NDArray[Any]) -> tuple[NDArray[Any], Places]:
    """The distinct rows of a table in ascending order, and which of them each row is."""
    packed = _packed(list(rows.T))
    if packed is not None:
        first, which = _by_number(*packed)
        return rows[first], which
    first, which = distinct(list(rows.T))
    order = np.lexsort(rows[first].T[::-1])
    return rows[first[order]], np.argsort(order)[which]


def as_met(rows: NDArray[Any]) -> tuple[NDArray[Any], Places]:
    """The distinct rows of a table in the order of their first appearance, and which of them each row is."""
    first, which = distinct(list(rows.T))
    order, rank = met(which, len(first))
    return rows[first[order]], rank[which]


def met(numbers: NDArray[Any], many: int) -> tuple[Places, Places]:
    """The order in which numbers below `many`, all of which come up, first do so; and the rank of each in it."""
    first = np.empty(many, np.int64)
    first[numbers[::-1]] = np.arange(len(numbers))[::-1]  # of several, the first is written last
    order = np.argsort(first)
    return order, np.argsort(order)


def _packed(columns: Sequence[NDArray[Any]]) -> tuple[NDArray[Any], int] | None:
    """The rows as single numbers in the same order, and a bound on those; None if they do not fit."""
    sizes = [int(column.max(initial=0)) + 1 for column in columns]
    size = prod(sizes)
    if size >= 1 << 62 or any(column.min(initial=0) < 0 for column in columns):
        return None
    key: NDArray[Any] = np.zeros(len(columns[0]), np.int32 if size < 1 << 31 else np.int64)
    for column, values in zip(columns, sizes, strict=True):
        key *= values
        np.add(key, column, out=key, casting="same_kind")
    return key, size


def _by_number(key: NDArray[Any], size: int) -> tuple[Places, Places]:
    """Numbers below a bound in ascending order: in a table where there are not too many possible ones."""
    if size > DENSE * len(key) + 1024:
        return _by_key(key, ()) or _column_by_column([key])
    seen = np.zeros(size, bool)
    seen[key] = True
    number = np.cumsum(seen) - 1
    which = number[key]
    first = np.empty(int(number[-1]) + 1, np.int64)
    first[which] = np.arange(len(key))
    return first, which


def _by_key(key: NDArray[Any], columns: Sequence[Places]) -> tuple[Places, Places] | None:
    """Rows by their keys; None if two rows of equal key differ."""
    order = np.argsort(key)
    ranked = key[order]
    new = np.append(True, ranked[1:] != ranked[:-1])[: len(ranked)]
    for column in columns:
        sorted_ = column[order]
        if np.any((sorted_[1:] != sorted_[:-1]) & ~new[1:]):
            return None
    which = np.empty(len(key), np.int64)
    which[order] = np.cumsum(new) - 1
    return order[new], which


def _column_by_column(columns: Sequence[Places]) -> tuple[Places, Places]:
    which = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        numbered = np.unique(column, return_inverse=True)[1]
        which = np.unique(which * (int(numbered.max(initial=0)) + 1) + numbered, return_inverse=True)[1]
    return _by_number(which, int(which.max(initial=0)) + 1)
