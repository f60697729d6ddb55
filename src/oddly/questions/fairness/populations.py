# SPDX-License-Identifier: Apache-2.0
"""Whom decisions are about: everybody a distribution allows for, or the rows of a table."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import compress, product
from math import prod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from oddly.algebra.domain import Domain
from oddly.algebra.groups import ValueGroups
from oddly.diagram import ODD
from oddly.diagram.combine import combine
from oddly.distribution.joint import Joint
from oddly.distribution.masses import edge_masses, label_masses
from oddly.distribution.measure import Mixture, Truth, known_places, measure_of, small_enough
from oddly.errors import ModelError, UnknownName, UnknownValue
from oddly.questions.fairness.parity import Masses, Shares, Values
from oddly.questions.fairness.partitions import Grouped, partition
from oddly.runtime import stopped

MOST_GROUPS = 1000
Rows = Mapping[str, Sequence[str | None]]


@dataclass(frozen=True)
class GroupQuestion:
    """A diagram, the attributes that make groups, and the decision they are compared by."""

    odd: ODD
    asked: tuple[str | ValueGroups, ...]
    label: int
    domain: Domain
    """Who there is."""

    @property
    def protected(self) -> tuple[str, ...]:
        """The variables whose values make the groups."""
        return tuple(dict.fromkeys(one if isinstance(one, str) else one.of for one in self.asked))

    def distributed(self, under: Any, exact: bool | None) -> Grouped:
        """Everybody, as probable as a model says."""
        wide = self._widened(under)
        measure = measure_of(self.odd, under, wide.variables)
        assert isinstance(measure, Mixture | Joint)
        count = prod(len(v.values) for v in wide.variables if v.name in self.protected)
        if count > MOST_GROUPS:
            raise stopped(f"{count:,} groups", f"{MOST_GROUPS:,}", "fewer protected attributes")
        if exact is None:
            exact = small_enough([wide], count)
        own = self.odd.source.model.class_name if self.odd.source else measure.class_name
        true = self._true_classes(measure.classes) if measure.class_name and measure.class_name == own else None
        inside = self.domain.cut(wide)
        cells = Distributed(inside, measure, self.protected, self.label, true, exact, len(self.odd.labels))
        return Grouped(cells, tuple(partition(one, {v.name: v for v in wide.variables}) for one in self.asked))

    def tabled(self, under: Any, rows: Rows, target: str | None) -> Grouped:
        """The rows of a table, and whether the label would be right for each if its class is there."""
        name = f"the rows of {os.fspath(under)}" if isinstance(under, str | os.PathLike) else "the rows"
        for column in (*self.odd.columns, *self.protected):
            if column not in rows:
                raise UnknownName.among("column", column, rows)
        codes = self.odd.encode({column: list(rows[column]) for column in self.odd.columns})
        true, known = self._truth(rows, target)
        inside = self.domain.inside.decide(codes) == 1
        rows, codes = {name: list(compress(cells, inside)) for name, cells in rows.items()}, codes[inside]
        true, known = (None if of is None else of[inside] for of in (true, known))
        labelled = self.odd.decide(codes) == self.label
        columns = {p: self._texts(p, rows, codes) for p in self.protected}
        if not len(labelled):
            where = "" if self.domain.words is None else f" within {self.domain.words}"
            raise ModelError(f"{name}: there are none{where}")
        cells = TablePopulation(name, columns, codes, self.odd, labelled, true, known)
        variables = {v.name: v for v in self.odd.variables}
        return Grouped(cells, tuple(partition(one, variables, columns) for one in self.asked))

    def _widened(self, under: Any) -> ODD:
        """The diagram, with the protected variables of the network that it does not read."""
        odd = self.odd
        model = under.model if isinstance(under, Truth) else odd.source and odd.source.model
        inside = model.others if model else {}
        for name in self.protected:
            if name in self.odd.order:
                continue
            if name not in inside:
                raise UnknownName.among("attribute", name, self.odd.order)
            level = np.zeros((1, len(inside[name].values)), np.uint32)
            odd = combine(odd, ODD((inside[name],), ("any",), (level,), 0, (0,)), lambda i, _: i)
        return odd

    def _texts(self, name: str, rows: Rows, codes: NDArray[Any]) -> NDArray[Any]:
        """A protected column, by the attribute's values if it is one; a missing cell is a group of its own."""
        if name in self.odd.order:
            values = np.array(self.odd.variables[self.odd.order.index(name)].values, object)
            return np.asarray(values[codes[:, self.odd.columns.index(name)]])
        return np.array(["?" if cell is None else cell for cell in rows[name]], object)

    def _truth(self, rows: Rows, target: str | None) -> Iterable[NDArray[np.bool_] | None]:
        """Whether the label would be right for each row, and whether that is known; None without such a column."""
        model = self.odd.source.model if self.odd.source else None
        name = target if target is not None else model.class_name if model is not None else None
        if name is None or (target is None and name not in rows):
            return None, None
        if name not in rows:
            raise UnknownName.among("column", name, rows)
        classes = model.class_values if model is not None else self.odd.labels
        for i, cell in enumerate(rows[name], start=1):
            if cell is not None and cell not in classes:
                raise UnknownValue.of(name, cell, classes, f"row {i}")
        right = self._true_classes(classes)
        if right is None:
            return None, None
        return np.array([(cell in right, cell is not None) for cell in rows[name]], bool).reshape(-1, 2).T

    def _true_classes(self, classes: Sequence[str]) -> frozenset[str] | None:
        """The class values for which the label is right: its own, or all but the other label's."""
        label = self.odd.labels[self.label]
        if label in classes:
            return frozenset([label])
        others = [other for other in self.odd.labels if other != label]
        return frozenset(classes) - {others[0]} if len(others) == 1 and others[0] in classes else None


# ---- under a distribution ----


@dataclass(frozen=True)
class Distributed:
    """Everybody there could be, as probable as a model says."""

    odd: ODD
    measure: Mixture | Joint
    protected: tuple[str, ...]
    label: int
    true_classes: frozenset[str] | None
    """The class values for which the label is right; None if the distribution has no classes."""
    exact: bool
    labels: int
    """How many labels count: one more is that of what is outside a domain."""

    @property
    def name(self) -> str:
        return self.measure.name

    def groups(self) -> list[Values]:
        values = [self.odd.variables[self.odd.order.index(name)].values for name in self.protected]
        return [dict(zip(self.protected, chosen, strict=True)) for chosen in product(*values)]

    def masses(self, group: Values) -> Masses:
        joint = [row[: self.labels] for row in label_masses(self.odd, self._of(group), self.exact)]
        everybody = sum(sum(row) for row in joint)
        labelled = sum(row[self.label] for row in joint)
        if self.true_classes is None:
            return Masses(everybody, labelled)
        true = [row for row, c in zip(joint, self.measure.classes, strict=True) if c in self.true_classes]
        zero = 0 * everybody
        hits = sum((row[self.label] for row in true), start=zero)
        return Masses(everybody, labelled, everybody, labelled, sum((sum(row) for row in true), start=zero), hits)

    def shares(self, group: Values) -> Shares:
        """One pass down and one up for each class."""
        by_class = edge_masses(self.odd, self._of(group), self.exact)
        found: dict[str, dict[str, tuple[Any, Any]]] = {}
        for k, v in enumerate(self.odd.variables):
            if v.name not in self.protected:
                cells = zip(v.values, *(of_class[k] for of_class in by_class), strict=True)
                kept = ((value, [row[: self.labels] for row in rows]) for value, *rows in cells)
                sums = {value: [sum(masses) for masses in zip(*rows, strict=True)] for value, rows in kept}
                found[v.name] = {value: (sum(row), row[self.label]) for value, row in sums.items()}
        return found

    def _of(self, group: Values) -> Mixture | Joint:
        return self.measure.knowing(known_places(group, self.odd))


# ---- on a table ----


@dataclass(frozen=True, eq=False)
class TablePopulation:
    """The people of a table, one a row."""

    exact: ClassVar[bool] = True
    name: str
    columns: Mapping[str, NDArray[Any]]
    """The protected attributes, as texts."""
    codes: NDArray[np.integer[Any]]
    """The diagram's attributes, as value indices in the model's order."""
    odd: ODD
    labelled: NDArray[np.bool_]
    true: NDArray[np.bool_] | None
    known: NDArray[np.bool_] | None
    """Whose class is known."""

    def groups(self) -> list[Values]:
        found = dict.fromkeys(zip(*(column.tolist() for column in self.columns.values()), strict=True))
        return [dict(zip(self.columns, values, strict=True)) for values in sorted(found, key=self._rank)]

    def masses(self, group: Values) -> Masses:
        inside = self._inside(group)
        everybody, labelled = _rows(inside), _rows(inside & self.labelled)
        if self.true is None or self.known is None:
            return Masses(everybody, labelled)
        known = inside & self.known
        true = known & self.true
        hits = _rows(true & self.labelled)
        return Masses(everybody, labelled, _rows(known), _rows(known & self.labelled), _rows(true), hits)

    def shares(self, group: Values) -> Shares:
        inside = self._inside(group)
        found = {}
        for j, name in enumerate(self.odd.columns):
            if name in self.columns:
                continue
            values = self.odd.variables[self.odd.order.index(name)].values
            some = (inside, inside & self.labelled)
            counts = (np.bincount(self.codes[rows, j], minlength=len(values)).tolist() for rows in some)
            found[name] = {v: (Fraction(a), Fraction(b)) for v, a, b in zip(values, *counts, strict=True)}
        return found

    def _inside(self, group: Values) -> NDArray[np.bool_]:
        inside = np.ones(len(self.labelled), bool)
        for name, value in group.items():
            inside &= self.columns[name] == value
        return inside

    def _rank(self, values: Sequence[str]) -> list[tuple[int, str]]:
        """Values of an attribute in its order, of other columns by the alphabet."""
        return [(self._places.get((n, v), 0), v) for n, v in zip(self.columns, values, strict=True)]

    @cached_property
    def _places(self) -> dict[tuple[str, str], int]:
        return {(v.name, value): i for v in self.odd.variables for i, value in enumerate(v.values)}


def _rows(chosen: NDArray[np.bool_]) -> Fraction:
    return Fraction(int(chosen.sum()))
