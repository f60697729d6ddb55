# SPDX-License-Identifier: Apache-2.0
"""What does a probabilistic model decide on rows in which some cells are unknown?  Those are summed out.

Logarithms in floating point decide wherever they are clear; a row too close to the threshold is worked out in exact
fractions. So the decisions are those of the model's own numbers, and no diagram has to be built.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import inf, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.model import Probabilistic
from oddly.model.contraction import Potential, summed_out

Rows = NDArray[np.integer[Any]]
"""Value indices by row and attribute; -1 is unknown."""

CLASS = "class"  # the name of its axis; attributes' are their places
CLOSE = 1e-9  # posteriors this near to the threshold, or to each other, are not left to floating point


@dataclass(frozen=True, eq=False)
class ConditionalTable:
    """An attribute's probabilities given the class, then the parents' values: exact fractions, the value last."""

    parents: tuple[int, ...]
    table: NDArray[Any]

    @cached_property
    def floats(self) -> NDArray[np.float64]:
        return self.table.astype(np.float64)

    @cached_property
    def logs(self) -> NDArray[np.float64]:
        """Of the fractions, not of the floats: no probability is too small to have one."""
        return np.reshape([_log(p) for p in self.table.flat], self.table.shape)


@dataclass(frozen=True, eq=False)
class Scorer:
    """A model whose attributes depend on the class and on one another, all of them asked for."""

    model: Probabilistic
    positive: str | None
    """The value that is held against the threshold; None if the most probable one is taken."""
    prior: tuple[Fraction, ...]
    nodes: tuple[ConditionalTable, ...]

    @classmethod
    def of(cls, model: Probabilistic, positive: str | None) -> "Scorer":
        """The tables of a learned model, as arrays."""
        inside = model.as_network
        place = {name: i for i, name in enumerate(inside.attributes)}
        nodes = []
        for name in inside.attributes:
            node = inside.network.node(name)
            sizes = [len(inside.network.node(parent).values) for parent in node.parents]
            table = _array(node.table).reshape(*sizes, len(node.values))
            nodes.append(ConditionalTable(tuple(place[parent] for parent in node.parents[1:]), table))
        return cls(model, positive, inside.network.node(model.class_name).table[0], tuple(nodes))

    def decide(self, rows: Rows) -> tuple[NDArray[np.intp], int]:
        """The place of each row's label, and how many rows are impossible under every class.

        Of a positive value, 1 is positive; otherwise it is the place among the class values.

        An impossible row gets the negative label, or the first of many: all of them tie at zero.
        """
        logs = self._logs(rows)
        best = logs.max(axis=1, keepdims=True)
        weights = np.exp(logs - np.where(np.isfinite(best), best, 0))
        shares = weights / np.maximum(weights.sum(axis=1, keepdims=True), np.finfo(float).tiny)
        clear, found = self._by_shares(shares)
        impossible = ~np.isfinite(best[:, 0])
        found[impossible] = 0
        exactly: dict[bytes, int] = {}
        for i in np.flatnonzero(~clear & ~impossible):
            key = rows[i].tobytes()
            if key not in exactly:
                exactly[key] = self._exactly(rows[i])
            found[i] = exactly[key]
        return found, int(impossible.sum())

    def joint(self, row: Rows, exact: bool = True) -> list[Any]:
        """Pr(class value, known cells) for each class value."""
        known = {str(i): int(v) for i, v in enumerate(row) if v >= 0}
        prior = np.array(self.prior, object if exact else float)
        tables = [Potential((CLASS,), prior)]
        for i, node in enumerate(self.nodes):
            names = (CLASS, *map(str, node.parents), str(i))
            tables.append(Potential(names, node.table if exact else node.floats).at(known))
        return list(summed_out(tables, {CLASS}).table)

    def _logs(self, rows: Rows) -> NDArray[np.float64]:
        logs = np.tile([_log(p) for p in self.prior], (len(rows), 1))
        for i, node in enumerate(self.nodes):
            known = np.concatenate([node.logs, np.zeros((*node.logs.shape[:-1], 1))], axis=-1)  # where -1 looks
            at: tuple[Any, ...] = (slice(None), *(rows[:, p] for p in node.parents), rows[:, i])
            logs += known[at].T
        if any(node.parents for node in self.nodes):
            holes = np.flatnonzero((rows < 0).any(axis=1))
            distinct, back = np.unique(rows[holes], axis=0, return_inverse=True)
            found = np.array([self._summed(row) for row in distinct]).reshape(-1, len(self.prior))
            logs[holes] = found[back.ravel()]
        return logs

    def _summed(self, row: Rows) -> list[float]:
        """The logarithms of a row with holes; exact before the logarithm where floats come near their end."""
        sums = self.joint(row, exact=False)
        if max(sums) < 1e-200:
            sums = self.joint(row)
        return [_log(Fraction(p)) for p in sums]

    def _by_shares(self, shares: NDArray[np.float64]) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
        """Which rows are clear by their posteriors, and the label of each."""
        model = self.model
        if self.positive is None:
            top = np.sort(shares, axis=1)
            return top[:, -1] - top[:, -2] > CLOSE, shares.argmax(axis=1)
        margin = shares[:, model.class_values.index(self.positive)] - float(model.threshold)
        return np.abs(margin) > CLOSE, (margin > 0).astype(np.intp)

    def _exactly(self, row: Rows) -> int:
        joint, model = self.joint(row), self.model
        if self.positive is None or not any(joint):
            return joint.index(max(joint)) if self.positive is None else 0
        margin = joint[model.class_values.index(self.positive)] - model.threshold * sum(joint)
        return int(margin > 0 or (margin == 0 and model.ties == "positive"))


def _log(p: Fraction) -> float:
    return log(p.numerator) - log(p.denominator) if p else -inf


def _array(rows: Iterable[Iterable[Fraction]]) -> NDArray[Any]:
    return np.array([list(row) for row in rows], object)
