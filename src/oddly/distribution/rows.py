# SPDX-License-Identifier: Apache-2.0
"""Rows of data as a distribution: each as probable as any other, wherever they are."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.diagram import ODD
from oddly.diagram.grouped import grouped
from oddly.errors import ModelError, UnknownName
from oddly.learning import read_table
from oddly.learning.engines import located, stays
from oddly.learning.source import counted

NO_SUCH = "expected 'model', 'uniform' or a file of rows or of a network, and there is no such file"


@dataclass(frozen=True, eq=False)
class DataRows:
    """Rows of data, as value indices in a diagram's order of attributes."""

    name: str
    codes: NDArray[np.integer[Any]]
    times: NDArray[np.int64] | None = None
    """How often each row stands there; None: once."""

    @property
    def mass(self) -> Fraction:
        return Fraction(len(self.codes) if self.times is None else int(self.times.sum()))

    def counted(self, ends: NDArray[Any], kinds: int) -> list[int]:
        """How many rows end in each of so many ways."""
        return list(counted(ends, self.times, kinds).tolist())

    def tallied(self) -> tuple[NDArray[np.integer[Any]], NDArray[np.int64]]:
        """The distinct rows, by their values, and how often each occurs."""
        rows, place = np.unique(self.codes, axis=0, return_inverse=True)
        return rows, counted(place.reshape(-1), self.times, len(rows))

    def of(self, chosen: NDArray[np.bool_]) -> "DataRows":
        """Some of the rows."""
        return replace(self, codes=self.codes[chosen], times=None if self.times is None else self.times[chosen])

    def knowing(self, known: Mapping[int, int]) -> "DataRows":
        fits = np.ones(len(self.codes), bool)
        for level, value in known.items():
            fits &= self.codes[:, level] == value
        return self.of(fits)


def of_rows(rows: Any, odd: ODD) -> DataRows:
    """The rows of a table for a diagram; of one that stays where it is, each combination of values once."""
    name = "the rows"
    if stays(rows):
        with located(rows) as engine:
            assert engine is not None
            codes, times = grouped(engine, odd.variables)
        if not len(codes):
            raise ModelError(f"{name}: there are none")
        return DataRows(name, codes, times)
    if isinstance(rows, str | os.PathLike):
        name = f"the rows of {os.fspath(rows)}"
        if not os.path.exists(rows):
            raise UnknownName(f"{os.fspath(rows)}: {NO_SUCH}")
        columns = read_table(rows)
        for column in odd.columns:
            if column not in columns:
                raise UnknownName.among("column", column, columns)
        cells = zip(*(columns[column] for column in odd.columns), strict=True)
        rows = [dict(zip(odd.columns, row, strict=True)) for row in cells]
    codes = odd.encode(rows)[:, np.argsort(np.argsort(odd.places))]
    if not len(codes):
        raise ModelError(f"{name}: there are none")
    return DataRows(name, codes)
