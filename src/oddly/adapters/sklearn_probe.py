# SPDX-License-Identifier: Apache-2.0
"""Raw values put through an estimator's own transformers, and raw instances through its own `predict`."""

import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from math import prod
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.adapters.sklearn_domains import RawColumn
from oddly.adapters.sklearn_trace import Strand, by_column
from oddly.errors import Unsupported

CHECKED = 256  # instances that are tried as a whole


class Probe:
    """Tables of raw values, as the estimator was fitted with, and what becomes of them."""

    def __init__(self, names: Sequence[str], fill: Sequence[Any], columns: dict[int, RawColumn], named: bool) -> None:
        self.names, self.fill, self.columns, self.named = names, fill, columns, named

    def table(self, codes: NDArray[np.intp], twins: bool = False) -> Any:
        """Instances, given as value indices by raw column, as a table of raw values."""
        places = list(self.columns)
        raw: list[list[Any]] = [[value] * len(codes) for value in self.fill]
        for at, place in enumerate(places):
            column = self.columns[place]
            values = column.twins if twins else column.raws
            raw[place] = [values[code] for code in codes[:, at]]
        if self.named and (frame := _frame(self.names, raw)) is not None:
            return frame
        numbers = all(isinstance(v, Real) for column in raw for v in column)
        return np.array(raw, float if numbers else object).T

    def features(self, steps: Sequence[Any], codes: NDArray[np.intp], twins: bool = False) -> NDArray[np.float64]:
        """What the transformers make of instances."""
        table = self.table(codes, twins)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                for step in steps:
                    table = step.transform(table)
                table = table.toarray() if hasattr(table, "toarray") else table
                found = np.asarray(table, float)
            except (ValueError, TypeError) as error:
                raise Unsupported(f"the transformers do not take these values: {error}") from None
        if not np.isfinite(found).all():
            j = int(np.flatnonzero(~np.isfinite(found).all(axis=0))[0])
            raise Unsupported(f"feature {j}: the transformers give {found[~np.isfinite(found)][0]} for some values")
        return found

    def sample(self) -> NDArray[np.intp]:
        """Some instances, all alike on every call; all of them if they are few."""
        sizes = [len(c.labels) for c in self.columns.values()]
        if prod(sizes) <= CHECKED:
            return np.array(list(np.ndindex(*sizes)), np.intp).reshape(-1, len(sizes))
        return np.random.default_rng(0).integers(0, sizes, (CHECKED, len(sizes)))

    def decisions(self, estimator: Any, codes: NDArray[np.intp]) -> NDArray[Any]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return np.asarray(estimator.predict(self.table(codes)))


def feature_table(probe: Probe, steps: Sequence[Any], strands: Sequence[Strand]) -> list[NDArray[np.float64]]:
    """For each raw column, by value, the features that come from it.

    All columns are varied at once, because each feature comes from one. That is then checked on whole instances, and
    an interval's two ends must fare alike.
    """
    sizes = [len(c.labels) for c in probe.columns.values()]
    groups = list(by_column(strands).values())
    codes = np.arange(max(sizes, default=1))[:, None] % np.array(sizes, np.intp)
    found = probe.features(steps, codes)
    if found.shape[1] != len(strands):
        raise Unsupported(f"the transformers give {found.shape[1]} features, where {len(strands)} were expected")
    tables = [found[:size][:, group] for size, group in zip(sizes, groups, strict=True)]
    for rows, twins in ((codes, True), (probe.sample(), False)):
        expected = np.empty((len(rows), len(strands)))
        for j, group in enumerate(groups):
            expected[:, group] = tables[j][rows[:, j]]
        if not np.array_equal(probe.features(steps, rows, twins), expected):
            raise Unsupported("the transformers do not work on columns one by one")
    return tables


def _frame(names: Sequence[str], columns: list[list[Any]]) -> Any:
    """A data frame, if there is a library for it; an estimator that was fitted on one brought the library."""
    if find_spec("pandas") is None:
        return None
    pandas = import_module("pandas")
    numeric = [all(isinstance(v, Real) for v in column) for column in columns]
    series = [
        pandas.Series(column) if number else pandas.Series(column, dtype=object)
        for column, number in zip(columns, numeric, strict=True)
    ]
    return pandas.DataFrame(dict(enumerate(series))).set_axis(list(names), axis=1)
