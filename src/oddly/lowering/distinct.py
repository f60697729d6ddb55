# SPDX-License-Identifier: Apache-2.0
"""Equal rows of many columns, found without a sort where the numbers are small, and with one sort where not."""

from collections.abc import Sequence
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
    whole = [_as_words(column) for column in columns]
    small = _small_key(whole)
    if small is not None:
        return _numbered(*small)
    key = np.zeros(len(whole[0]), np.uint64)
    for column in whole:
        key = (key ^ column.view(np.uint64)) * _MIX
        key ^= key >> _SHIFT
    return _by_key(key, whole) or _column_by_column(whole)


def _small_key(columns: Sequence[Places]) -> tuple[Places, int] | None:
    """The rows as single numbers and a bound on those; None if there are too many possible rows."""
    rows = len(columns[0])
    key, size = np.zeros(rows, np.int64), 1
    for column in columns:
        if column.min(initial=0) < 0:
            return None
        values = int(column.max(initial=0)) + 1
        size *= values
        if size > DENSE * rows + 1024:
            return None
        key = key * values + column
    return key, size


def _numbered(key: Places, size: int) -> tuple[Places, Places]:
    """Small keys, numbered in a table."""
    row = np.full(size, -1)
    row[key] = np.arange(len(key))
    met = np.flatnonzero(row >= 0)
    number = np.empty(size, np.int64)
    number[met] = np.arange(len(met))
    return row[met], number[key]


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
    return _numbered(which, int(which.max(initial=0)) + 1)


def _as_words(column: NDArray[Any]) -> Places:
    """The column in 64 bits; Python's integers by their rank."""
    if column.dtype == object:
        column = np.unique(column, return_inverse=True)[1]
    return np.ascontiguousarray(column, np.int64)
