# SPDX-License-Identifier: Apache-2.0
"""The values of each raw column: declared, an encoder's categories, or intervals of a number.

Where a discretiser stands behind scalers, its edges are carried back to the raw column by bisection over the floats:
every scaler is a rising function even after rounding, so that there is a least float which reaches an edge. Then raw
values are put through the estimator's own transformers, and raw instances through its own `predict`.
"""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from itertools import groupby
from math import prod
from numbers import Real
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.adapters.objects import label, labels, plain
from oddly.adapters.sklearn_trace import Cut, Findings, Strand, by_column
from oddly.errors import ModelError, Unsupported, look_up
from oddly.learning import is_missing
from oddly.model import MISSING_VALUE, Bins


@dataclass(frozen=True)
class RawColumn:
    """A raw column with finitely many values, and raw data that have each value.

    Where the values are intervals, `raws` holds the least number of each but the first, of which it holds the
    greatest, and `twins` the greatest: both must fare alike.
    """

    name: str
    labels: tuple[str, ...]
    raws: tuple[Any, ...]
    twins: tuple[Any, ...]
    bins: Bins | None = None


class DeclaredValues:
    """The values that the caller declares, by column, or one list for whichever column needs it."""

    def __init__(self, values: Mapping[str, Any] | Any, names: Sequence[str]) -> None:
        self.by_name = dict(values) if isinstance(values, Mapping) else {}
        self.others = None if values is None or isinstance(values, Mapping) else _listed(values, "values")
        for name in self.by_name:
            look_up(dict.fromkeys(names), name, "column")

    def of(self, name: str, needed: bool) -> list[Any] | None:
        if name in self.by_name:
            return _listed(self.by_name[name], f"values of {name}")
        return self.others if needed else None


def column(name: str, found: Findings, declared: DeclaredValues) -> RawColumn:
    """A raw column and its values, or the reason why they cannot be known."""
    values = declared.of(name, needed=bool(found.unsettled))
    if values is not None:
        return _discrete(name, values, [])
    if found.unsettled:
        how = f"oddly.from_estimator(estimator, values={{{name!r}: [...]}})"
        advice = f"Bin it (KBinsDiscretizer), or declare its values: {how}"
        raise Unsupported(f"column {name}: {found.unsettled}.  {advice}")
    if found.categories and found.discretised:
        raise Unsupported(f"column {name}: both encoded and cut into bins.  Declare its values: values={{{name!r}: …}}")
    if len({frozenset(map(label, known)) for known in found.categories}) > 1:
        raise Unsupported(f"column {name}: two encoders know different categories.  Declare its values")
    return _discrete(name, found.categories[0], found.missing) if found.categories else _intervals(name, found)


def _discrete(name: str, values: Sequence[Any], missing: Sequence[Any]) -> RawColumn:
    raws = [plain(v) for v in values]
    if missing and MISSING_VALUE not in map(label, raws):
        raws.append(missing[0])
    return RawColumn(name, labels(raws, f"column {name}"), tuple(raws), tuple(raws))


def _intervals(name: str, found: Findings) -> RawColumn:
    together = groupby(found.cuts, attrgetter("steps", "strict"))
    keys = sorted({key for cut, group in together for key in _least_above(*cut, list(group))})
    right = all(cut.strict for cut in found.cuts)
    least, greatest = [_float(key) for key in keys], [_float(key - 1) for key in keys]
    bins = Bins(greatest, "right") if right else Bins(least)
    raws: list[Any] = [*(greatest[:1] or [0.0]), *least]
    twins: list[Any] = [*greatest, least[-1]] if least else [0.0]
    names = bins.labels
    if found.missing:
        raws, twins, names = [*raws, found.missing[0]], [*twins, found.missing[0]], (*names, MISSING_VALUE)
    return RawColumn(name, names, tuple(raws), tuple(twins), bins)


def _least_above(steps: Any, strict: bool, cuts: Sequence[Cut]) -> list[int]:
    """For each cut the place of the least float above it, among all floats; none for a cut that no float crosses."""
    edges = np.array([cut.edge for cut in cuts])
    high = np.full(len(edges), np.finfo(float).max).view(np.int64)  # a float's bits are its place, but for the sign
    low = -high

    def above(keys: NDArray[np.int64]) -> NDArray[np.bool_]:
        x = np.copysign(np.abs(keys).view(np.float64), keys)
        with np.errstate(all="ignore"):
            for step in steps:
                x = step(x)
        return x > edges if strict else x >= edges

    crossed = above(high) & ~above(low)
    while np.any(high > low + 1):
        middle = (low >> 1) + (high >> 1) + (low & high & 1)
        up = above(middle)
        low, high = np.where(up, low, middle), np.where(up, middle, high)
    return [int(key) for key in high[crossed]]


def _float(key: int) -> float:
    """The float at a place among all floats in rising order; zero has place 0."""
    size = float(np.int64(abs(key)).view(np.float64))
    return size if key >= 0 else -size


def _listed(values: Any, where: str) -> list[Any]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise ModelError(f"{where}: expected a list of values, found {values!r}")
    found = list(values)
    if not found:
        raise ModelError(f"{where}: an empty list")
    return found


def stand_in(found: Findings, declared: list[Any] | None) -> Any:
    """Some value for a raw column that makes no difference, so that the others can be tried."""
    if declared:
        return plain(declared[0])
    return plain(next((v for v in (found.categories or [[]])[0] if not is_missing(v)), 0.0))


CHECKED = 256  # instances that are tried as a whole


class Probe:
    """Tables of raw values, as the estimator was fitted with, and what becomes of them."""

    def __init__(self, names: Sequence[str], fill: Sequence[Any], columns: dict[int, RawColumn], named: bool) -> None:
        self.names, self.fill, self.columns, self.named = names, fill, columns, named

    def table(self, codes: NDArray[np.intp], twins: bool = False) -> Any:
        """Instances, given as value indices by raw column, as a table of raw values."""
        raw: list[list[Any]] = [[value] * len(codes) for value in self.fill]
        for at, (place, column) in enumerate(self.columns.items()):
            values = column.twins if twins else column.raws
            raw[place] = [values[code] for code in codes[:, at]]
        if self.named and (frame := _frame(self.names, raw)) is not None:
            return frame
        numbers = all(isinstance(v, Real) for column in raw for v in column)
        return np.array(raw, float if numbers else object).T

    def features(self, steps: Sequence[Any], codes: NDArray[np.intp], twins: bool = False) -> NDArray[np.float64]:
        """What the transformers make of instances."""
        table = self.table(codes, twins)
        with warnings.catch_warnings(action="ignore"):
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
        with warnings.catch_warnings(action="ignore"):
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
    kinds = [None if all(isinstance(v, Real) for v in column) else object for column in columns]
    series = [pandas.Series(column, dtype=dtype) for column, dtype in zip(columns, kinds, strict=True)]
    return pandas.DataFrame(dict(enumerate(series))).set_axis(list(names), axis=1)
