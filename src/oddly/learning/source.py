# SPDX-License-Identifier: Apache-2.0
"""Counts of a table's rows: all that learning asks of data, however large it is; and what each attribute's values are.

Those are labels seen or declared, or intervals of a number, and perhaps one for missing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from oddly.errors import ModelError, UnknownName, UnknownValue, listed
from oddly.learning.cells import Codes, natural, text_of
from oddly.learning.cutting import EVERY, FEW, Cutter, Numbers, looks_measured
from oddly.learning.files import Columns
from oddly.learning.gaps import Gaps
from oddly.learning.kinds import Unsettled, is_key, looks_dated, slips
from oddly.model import MISSING_VALUE, Bins, Missing

if TYPE_CHECKING:
    from oddly.learning.big import Big
    from oddly.learning.counted import Counted

Counts = NDArray[np.int64]
MissingTexts = dict[str, dict[str, int]]
"""By column, the texts that stood for missing cells, and in how many."""
TableSource: TypeAlias = "InMemory | Big | Counted"
"""A table of which only counts are asked."""


@dataclass(frozen=True, eq=False)
class ClassCounts:
    """How often each distinct value of a column occurs in each class, in rows whose class is known."""

    distinct: NDArray[Any]
    """Numbers, or texts."""
    counts: Counts
    """By distinct value and class."""
    missing: Counts
    """Rows without a value, by class."""

    @cached_property
    def texts(self) -> tuple[str, ...]:
        return tuple(str(text_of(value)) for value in self.distinct)


@dataclass(frozen=True, eq=False)
class Coding:
    """How the cells of a column become the values of an attribute."""

    name: str
    values: tuple[str, ...]
    bins: Bins | None
    codes: Codes
    """The value of each distinct cell, -1 where there is none."""
    missing: int = -1
    """The value of a missing cell; -1: it is skipped."""

    @property
    def recode(self) -> Codes:
        """The codes, with what -1 stands for at the end, where -1 finds it."""
        return np.append(self.codes, self.missing).astype(np.int32)

    def counted(self, tally: ClassCounts) -> Counts:
        """How often each value occurs in each class: by class, then value."""
        counts = np.zeros((len(self.values) + 1, len(tally.missing)), np.int64)
        np.add.at(counts, self.recode, np.vstack([tally.counts, tally.missing]))
        return counts[:-1].T


class Cells(NamedTuple):
    """How many cells of a column have a value, and how many have none."""

    known: int
    missing: int


@dataclass(frozen=True, eq=False)
class InMemory:
    """Counts of columns that are here."""

    columns: Columns
    labels: Codes | None = None
    """The class of each row, once it is chosen."""
    number: int = 0
    """Of classes."""
    codes: Mapping[str, Codes] = field(default_factory=dict)
    """The value of each row by column, once that is settled."""
    times: Counts | None = None
    """How often each row stands there; None: once."""

    def distinct(self, name: str) -> tuple[NDArray[Any], tuple[str, ...] | None]:
        """The distinct values of a column, and those that its type declares."""
        return self.columns[name].distinct, self.columns[name].declared

    def cells(self, name: str) -> Cells:
        """How many cells of a column are known and missing."""
        missing, known = counted((self.columns[name].codes >= 0).astype(np.int32), self.times, 2).tolist()
        return Cells(known, missing)

    def without(self, gaps: Gaps, declared: Mapping[str, tuple[str, ...]]) -> tuple["InMemory", MissingTexts]:
        """The same, with missing cells where texts stand for such; and how many cells each of them had."""
        columns, found = dict(self.columns), MissingTexts()
        for name, column in self.columns.items():
            if gaps.own is None and column.distinct.dtype.kind in "iuf":
                continue
            kept = declared.get(name) or (gaps.own is None and column.declared) or ()
            if gone := [text for text in gaps.among(column.texts) if text not in kept]:
                counts = counted(column.codes + 1, self.times, len(column.texts) + 1)[1:].tolist()
                found[name] = {t: n for t, n in zip(column.texts, counts, strict=True) if t in gone and n}
                columns[name] = column.without(gone)
        return replace(self, columns=columns), found

    def classes(self, target: str) -> tuple[tuple[str, ...], Counts, tuple[str, ...] | None]:
        """The values of a column, how often each occurs, and which ones its type declares."""
        column = self.columns[target]
        counts = counted(column.codes + 1, self.times, len(column.texts) + 1)[1:]
        return column.texts, counts, column.declared

    def of_classes(self, target: str, classes: Sequence[str], complete: Sequence[str]) -> "InMemory":
        """The rows of these classes, without those that lack a value in a column that has to be complete."""
        column = self.columns[target]
        place = {label: i for i, label in enumerate(classes)}
        labels = np.array([*(place.get(text, -1) for text in column.texts), -1], np.int32)[column.codes]
        kept = labels >= 0
        for name in complete:
            kept &= self.columns[name].codes >= 0
        columns: Columns = {name: c for name, c in self.columns.items() if name != target}
        times = self.times
        if not kept.all():
            columns, labels = {name: c.take(kept) for name, c in columns.items()}, labels[kept]
            times = None if times is None else times[kept]
        return InMemory(columns, labels, len(classes), times=times)

    def tally(self, name: str) -> ClassCounts:
        """The counts of a column by class."""
        column = self.columns[name]
        counts = self._counted([column.codes + 1], (len(column.distinct) + 1,))
        return ClassCounts(column.distinct, counts[:, 1:].T, counts[:, 0])

    def coded(self, codings: Sequence[Coding], tallies: Sequence[ClassCounts]) -> "InMemory":
        """The same rows, ready to count combinations of these values."""
        return replace(self, codes={c.name: c.recode[self.columns[c.name].codes] for c in codings})

    def joint(self, codings: Sequence[Coding]) -> Counts:
        """How often each combination of class and values occurs, in rows where all are known: by class, then value."""
        return self._counted([self.codes[c.name] for c in codings], tuple(len(c.values) for c in codings))

    def _counted(self, codes: Sequence[Codes], sizes: tuple[int, ...]) -> Counts:
        assert self.labels is not None
        flat: NDArray[Any] = self.labels.astype(np.int64 if self.number * prod(sizes) >= 1 << 31 else np.int32)
        for column, size in zip(codes, sizes, strict=True):
            flat = flat * size + column
        times = self.times
        if gaps := [column < 0 for column in codes if column.min(initial=0) < 0]:
            known = ~np.logical_or.reduce(gaps)
            flat, times = flat[known], None if times is None else times[known]
        return counted(flat, times, self.number * prod(sizes)).reshape(self.number, *sizes)


def counted(codes: NDArray[Any], times: Counts | None, size: int) -> Counts:
    """How often each code occurs, in whole numbers."""
    if times is None:
        return np.bincount(codes, minlength=size)
    found = np.zeros(size, np.int64)
    np.add.at(found, codes, times)
    return found


def in_order(texts: Mapping[str, Any] | Sequence[str]) -> list[str]:
    """Labels in the order a person would list them."""
    return sorted(texts, key=natural)


@dataclass(frozen=True)
class ColumnPlan:
    """How one column is read: as labels, perhaps declared ones, or as numbers to be cut."""

    name: str
    cutter: Cutter
    declared: tuple[str, ...] | None
    left_out: str = ""
    """Why it is no attribute, if it is none."""


def plans(
    source: TableSource, names: Sequence[str], cutters: Mapping[str, Cutter], declared: Mapping[str, tuple[str, ...]]
) -> list[ColumnPlan]:
    """How each column is read; one that is neither labels nor said to be anything is refused, with what to say.

    A column that is nearly a key is no attribute: it would tell the rows apart, and no others. Where it is named in
    `cutters` or `declared`, it stays.
    """
    for name in cutters:
        if name != EVERY and name not in names:
            raise UnknownName(f"bins: {UnknownName.among('column', name, names)}")
    found, open_ones = [], Unsettled({}, {}, {})
    every = cutters.get(EVERY)
    for name in names:
        distinct, typed = source.distinct(name)
        values, cutter = declared.get(name, typed), cutters.get(name)
        if cutter is not None and cutter.way != "labels" and name in declared:
            raise ModelError(f"column {name}: it has either bins or values, not both")
        if cutter is None and values is None:
            cutter, why = _unnamed(source, name, distinct, every, open_ones)
            if why:
                found.append(ColumnPlan(name, Cutter("labels"), None, why))
                continue
        found.append(ColumnPlan(name, cutter or Cutter("labels"), values))
    if refused := open_ones.sentences():
        raise ModelError("  ".join(refused))
    return found


def _unnamed(
    source: TableSource, name: str, distinct: NDArray[Any], every: Cutter | None, open_ones: Unsettled
) -> tuple[Cutter | None, str]:
    """How a column is cut that nobody named, or why it is left out; what has to be said first is noted."""
    if looks_measured(distinct):
        if every is None:
            open_ones.measured[name] = len(distinct)
        return every, ""
    if every is None or every.way != "labels":
        if wrong := slips(distinct):
            open_ones.slipped[name] = wrong
        elif looks_dated(distinct):
            open_ones.dated[name] = str(distinct[0])
        if name in open_ones.slipped or name in open_ones.dated:
            return None, ""
    known = source.cells(name).known if len(distinct) > FEW else 0
    nearly_a_key = f"{len(distinct):,} different values in {known:,} cells, nearly a key"
    return None, nearly_a_key if is_key(len(distinct), known) else ""


def coding(plan: ColumnPlan, tally: ClassCounts, smoothed: bool, missing: Missing, gaps: Gaps) -> tuple[Coding, str]:
    """The values of a column, where each distinct cell goes, and a note on values that were declared in vain."""
    found, note = (_labels if plan.cutter.way == "labels" else _intervals)(plan, tally, smoothed, gaps)
    if missing == "value" and tally.missing.any():
        found = replace(found, values=(*found.values, MISSING_VALUE), missing=len(found.values))
    return found, note


def _labels(plan: ColumnPlan, tally: ClassCounts, smoothed: bool, _: Gaps) -> tuple[Coding, str]:
    seen = {text for text, row in zip(tally.texts, tally.counts, strict=True) if row.any()}
    declared = in_order(list(seen)) if plan.declared is None else plan.declared
    for text in in_order(list(seen.difference(declared))):
        raise UnknownValue.of(plan.name, text, declared, f"column {plan.name}")
    values, unseen = [v for v in declared if smoothed or v in seen], [v for v in declared if v not in seen]
    note = f"{plan.name}: {listed(unseen)} never observed, so left out" if unseen and not smoothed else ""
    place = {text: i for i, text in enumerate(values)}
    codes = np.array([place.get(text, -1) for text in tally.texts], np.int32)
    return Coding(plan.name, tuple(values), None, codes), note


def _intervals(plan: ColumnPlan, tally: ClassCounts, smoothed: bool, gaps: Gaps) -> tuple[Coding, str]:
    numbers = Numbers.of(tally.distinct, f"column {plan.name}")
    cut = plan.cutter.cut(numbers, tally.counts)
    bins = cut if gaps.own is None else Bins(cut.cuts, cut.closed, gaps.own)
    codes = numbers.places(bins)
    filled = np.bincount(codes, tally.counts.sum(axis=1), minlength=len(bins.labels)) > 0
    empty = [label for label, any_row in zip(bins.labels, filled, strict=True) if not any_row]
    note = f"{plan.name}: no row in {listed(empty)}, so impossible" if empty and not smoothed else ""
    return Coding(plan.name, bins.labels, bins, codes), note
