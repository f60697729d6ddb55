# SPDX-License-Identifier: Apache-2.0
"""Learning from a table that stays where it is: what InMemory counts in rows, this asks an engine to count.

A naive Bayes model takes one pass, whatever its number of columns, where the engine shares its passes; TAN and KDB take
one more for all pairs, and one per attribute's table. The distinct cells of every column have to fit into memory here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.errors import UnknownName
from oddly.learning.cells import Codes, Column, is_missing, text_of
from oddly.learning.engines import Engine, Groups, Key, Recode, located
from oddly.learning.files import Table, read_table, texts_of
from oddly.learning.gaps import Gaps
from oddly.learning.source import Cells, ClassCounts, Coding, Counts, InMemory, MissingTexts

MISSING = -1
BLOCK = 1 << 8
"""Combinations of a block of attributes' values: two blocks are asked for together, and so many squared are soon brought."""


@dataclass(frozen=True, eq=False)
class Counted:
    """Counts of a table that an engine reads."""

    engine: Engine
    target: str
    places: tuple[str, ...] = ()
    """The classes, once they are chosen."""
    raw: Mapping[str, Groups] | None = None
    """Every column's cells by class, as the engine has them, once they are known."""
    gone: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The texts that stand for missing cells, by column."""
    keys: Mapping[str, Key] = field(default_factory=dict)
    """How each column is asked for, once its values are settled."""
    codes: Mapping[str, Mapping[str | None, int]] = field(default_factory=dict)
    """The value of each label that is asked for as it stands."""
    sizes: Mapping[str, int] = field(default_factory=dict)
    """How many values each column has."""

    @property
    def columns(self) -> Sequence[str]:
        return self.engine.columns

    def distinct(self, name: str) -> tuple[NDArray[Any], tuple[str, ...] | None]:
        return self._by_class[name].distinct(name)

    def cells(self, name: str) -> Cells:
        return self._by_class[name].cells(name)

    def without(self, gaps: Gaps, declared: Mapping[str, tuple[str, ...]]) -> tuple["Counted", MissingTexts]:
        found = MissingTexts()
        for name, table in self._by_class.items():
            found |= replace(table, columns={name: table.columns[name]}).without(gaps, declared)[1]
        gone = {name: frozenset(texts) for name, texts in found.items()}
        return replace(self, gone=gone, raw=self._raw), found

    def classes(self, target: str) -> tuple[tuple[str, ...], Counts, tuple[str, ...] | None]:
        return self._by_class[target].classes(target)

    def of_classes(self, target: str, classes: Sequence[str], complete: Sequence[str]) -> "Counted":
        known = [self._known(name) for name in (target, *complete)]
        if not complete:
            return replace(self, places=tuple(classes), raw=self._raw)
        return replace(self, places=tuple(classes), engine=self.engine.where_known(known), raw=None)

    def tally(self, name: str) -> ClassCounts:
        return self._by_class[name].of_classes(self.target, self.places, ()).tally(name)

    def coded(self, codings: Sequence[Coding], tallies: Sequence[ClassCounts]) -> "Counted":
        keys, codes = dict[str, Key](), dict[str, Mapping[str | None, int]]()
        for c, tally in zip(codings, tallies, strict=True):
            missing = dict.fromkeys([None, *self.gone.get(c.name, ())], c.missing)
            codes[c.name] = {**dict(zip(tally.texts, c.codes.tolist(), strict=True)), **missing}
            raw = self._raw[c.name].columns[c.name]
            places = np.array([codes[c.name].get(text_of(cell), MISSING) for cell in raw.distinct], np.int32)
            keys[c.name] = key_of(c.name, raw, places, c.missing, len(c.values))
        sizes = {c.name: len(c.values) for c in codings}
        return replace(self, keys=keys, codes=codes, sizes=sizes, raw=self._raw)

    def joint(self, codings: Sequence[Coding]) -> Counts:
        names = [c.name for c in codings]
        found = next((groups for groups in self._pairs if set(names) <= set(groups.columns)), None)
        found = found or self._asked([names])[0]
        columns = {c.name: self._as_codes(c.name, found.columns[c.name]) for c in codings}
        target = found.columns[self.target].by_text()
        rows = InMemory({self.target: target, **columns}, times=found.times)
        rows = rows.of_classes(self.target, self.places, ())
        return replace(rows, codes={name: column.codes for name, column in rows.columns.items()}).joint(codings)

    @cached_property
    def _pairs(self) -> list[Groups]:
        """Every two attributes, which both TAN and KDB ask for: blocks of a few attributes, every two blocks together."""
        blocks: list[list[str]] = [[]]
        size = 1
        for name in self.keys:
            size *= self.sizes[name] + 1
            if size > BLOCK and blocks[-1]:
                blocks.append([])
                size = self.sizes[name] + 1
            blocks[-1].append(name)
        two = [a + b for a, b in combinations(blocks, 2)]
        return self._asked(two or blocks)

    def _asked(self, questions: Sequence[Sequence[str]]) -> list[Groups]:
        return self.engine.counted([[self.target, *(self.keys[name] for name in names)] for names in questions])

    def _as_codes(self, name: str, column: Column) -> Column:
        """The values of a column's cells as its codes."""
        if isinstance(self.keys[name], Recode):  # they are the cells
            return replace(column, codes=column.distinct.astype(np.int32)[column.codes])
        column = column.by_text()
        codes = [self.codes[name].get(text, MISSING) for text in column.texts]
        return replace(column, codes=np.array([*codes, self.codes[name][None]], np.int32)[column.codes])

    @cached_property
    def _raw(self) -> Mapping[str, Groups]:
        """Every column's cells by class, asked for once."""
        if self.raw is not None:
            return self.raw
        if self.target not in self.columns:
            raise UnknownName.among("column", self.target, self.columns)
        questions = [list(dict.fromkeys([name, self.target])) for name in self.columns]
        return dict(zip(self.columns, self.engine.counted(questions), strict=True))

    @cached_property
    def _by_class(self) -> dict[str, InMemory]:
        """Every column with the class, by label."""
        found = {}
        for name, groups in self._raw.items():
            columns = {n: column.by_text().without(self.gone.get(n, ())) for n, column in groups.columns.items()}
            found[name] = InMemory(columns, times=groups.times)
        return found

    def _known(self, name: str) -> Recode:
        """Negative where the cell is missing."""
        column = self._raw[name].columns[name]
        cells = zip(column.distinct.tolist(), map(text_of, column.distinct), strict=True)
        empty = [c for c, text in cells if not is_missing(c) and (text is None or text in self.gone.get(name, ()))]
        return Recode(name, ((empty, MISSING),) if empty else (), MISSING, 0, has_nan(column))


def has_nan(column: Column) -> bool:
    """Whether some cell may be missing by being a float that is not a number."""
    return column.distinct.dtype.kind == "f" and bool((column.codes < 0).any())


def key_of(name: str, column: Column, places: Codes, gap: int, values: int) -> Key:
    """How to ask for a column: as it stands if it has few distinct cells, else as codes that the engine makes.

    `places` has the code of each distinct cell, `gap` is that of a missing one.
    """
    if len(column.distinct) <= values + 1:
        return name
    if column.distinct.dtype.kind in "iuf":
        return Recode(name, _steps(column.distinct, places), gap, gap, has_nan(column))
    cells: dict[int, list[Any]] = {}
    for cell, place in zip(column.distinct.tolist(), places.tolist(), strict=True):
        if not is_missing(cell):
            cells.setdefault(place, []).append(cell)
    return Recode(name, tuple((some, code) for code, some in cells.items()), gap, gap, False)


def _steps(cells: NDArray[Any], places: Codes) -> tuple[tuple[Any, int], ...]:
    """The largest number of every run of one code, in the order of numbers: that occur, so that nothing is rounded."""
    order = np.argsort(cells)
    codes = places[order]
    ends = np.flatnonzero(np.append(codes[1:] != codes[:-1], True))
    return tuple((cells[order[end]].item(), int(codes[end])) for end in ends)


def distinct_texts(table: Any, needed: Sequence[str], also: Sequence[str] = ()) -> tuple[Table, Counts]:
    """Columns of texts that have to be there, others if they are, and how often each row stands there.

    Of a table that stays where it is, each distinct row once.
    """
    with located(table) as engine:
        columns = read_table(table) if engine is None else dict.fromkeys(engine.columns, ())
        for name in needed:
            if name not in columns:
                raise UnknownName.among("column", name, columns)
        if engine is None:
            return columns, np.ones(len(next(iter(columns.values()), ())), np.int64)
        wanted = dict.fromkeys([*needed, *(name for name in also if name in columns)])
        found = engine.counted([list(wanted)])[0]
        return texts_of(found.columns), found.times
