# SPDX-License-Identifier: Apache-2.0
"""Which numbers lead to a node?  Theorem 3.1 for many classes, and for attributes that are tied together.

A prefix has a *score* per class: the logarithms, or points, of all tables that it completes. What follows depends on
these and on the prefix's *context*, the values that a table still waits for. Within a context, with certain classes
possible, the scores that lead to a node are a *zone*: every difference of two of them lies in an interval. Of two
classes that is one interval of log-odds. Its ends are shortest paths from the node on, one for each two classes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import inf
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from oddly.diagram.certificate import from_margin
from oddly.diagram.passes.semirings import Ints, Levels
from oddly.diagram.together import DepthStates, Leads, pairs, together
from oddly.errors import Unsupported
from oddly.lowering import Families, Family, frontiers
from oddly.lowering.score import ALWAYS, IMPOSSIBLE, NEVER, Score, Term
from oddly.model import Variable

Unit = Literal["log-odds", "points", "lead"]
"""Differences of logarithms; a scorecard's points; how many points one class of a scoreboard is ahead of another."""


@dataclass(frozen=True, repr=False)
class Interval:
    """Where a number may lie."""

    low: float
    high: float
    includes_low: bool
    includes_high: bool

    def __contains__(self, number: float) -> bool:
        above = number > self.low or (self.includes_low and number == self.low)
        return above and (number < self.high or (self.includes_high and number == self.high))

    def __repr__(self) -> str:
        for digits in range(4, 18):  # as many as it takes to tell the ends apart
            low, high = f"{self.low:.{digits}g}", f"{self.high:.{digits}g}"
            if low != high:
                break
        return f"{'[' if self.includes_low else '('}{low}, {high}{']' if self.includes_high else ')'}"


@dataclass(frozen=True, repr=False)
class Region:
    """Which scores lead to a node, in one context?"""

    node: int
    context: Mapping[str, str]
    """The values that must be remembered at this depth, by attribute."""
    possible: tuple[str, ...]
    """The classes that the prefix leaves possible; the others have no score."""
    zone: Mapping[str, Mapping[str, Interval]]
    """By class and another one: the logarithm of the ratio of their shares, or the difference of their points. Scores
    lead to the node iff all of these lie in their intervals."""
    interval: Interval | None
    """Of two classes: that of the second label against the first, or None if one is impossible."""
    unit: Unit

    def __repr__(self) -> str:
        where = ", ".join(f"{name}={value}" for name, value in self.context.items())
        return f"Region: node {self.node}{' where ' if where else ''}{where}: {self.sentence()}"

    def sentence(self) -> str:
        """What must hold of the scores, in words."""
        if len(self.possible) < 2:
            return f"only {self.possible[0]} is possible" if self.possible else "nothing is possible"
        bounds = [
            f"{self._difference(a, b)} in {self.zone[a][b]}"
            for a, b in combinations(self.possible if self.interval is None else self.possible[::-1], 2)
            if (self.zone[a][b].low, self.zone[a][b].high) != (-inf, inf)
        ]
        return ", ".join(bounds) or "any score"

    def _difference(self, a: str, b: str) -> str:
        if self.unit == "lead":
            return f"lead of {a} over {b}"
        if self.unit == "points":
            return "points"
        return f"log {a}/{b}" if self.interval is None else f"log-odds of {a}"


@dataclass(frozen=True, eq=False, repr=False)
class Regions(Sequence[Region]):
    """Which scores lead to the nodes of a depth?  A row for each node, context and set of possible classes that meet.

    Rows go by node. Regions of one context with the same classes possible are disjoint: the scores of a prefix lie in
    its own node's, and in no other.
    """

    labels: tuple[str, ...]
    unit: Unit
    remembered: tuple[Variable, ...]
    """The attributes above this depth whose values are the context."""
    node: NDArray[np.int64]
    context: NDArray[np.int64]
    """The place among all combinations of the remembered values, the last attribute's changing fastest."""
    possible: NDArray[np.bool_]
    """[rows, classes]"""
    least: NDArray[np.float64]
    """[rows, classes, classes]: how far the score of the first must be above that of the second, at least."""
    strict: NDArray[np.bool_]
    """[classes, classes]: whether it must be more than that, because ties go to the second."""

    @property
    def intervals(self) -> NDArray[np.float64]:
        """[rows, 2]: of two classes, the ends of the log-odds or points; NaN where one of them is impossible."""
        if len(self.labels) != 2:
            raise Unsupported(f"an interval is for two classes; of {len(self.labels)}, each region has a zone")
        ends = np.stack([self.least[:, 1, 0], 0.0 - self.least[:, 0, 1]], axis=1)
        return np.where(self.possible.all(axis=1, keepdims=True), ends, np.nan)

    def of(self, node: int) -> "Regions":
        """The rows of one node."""
        first, last = np.searchsorted(self.node, [node, node + 1])
        return self[int(first) : int(last)]

    def __len__(self) -> int:
        return len(self.node)

    @overload
    def __getitem__(self, row: int) -> Region: ...
    @overload
    def __getitem__(self, row: slice) -> "Regions": ...
    def __getitem__(self, row: int | slice) -> "Region | Regions":
        if isinstance(row, slice):
            arrays = (self.node[row], self.context[row], self.possible[row], self.least[row])
            return Regions(self.labels, self.unit, self.remembered, *arrays, self.strict)
        values = np.unravel_index(int(self.context[row]), [len(v.values) for v in self.remembered])
        context = {v.name: v.values[int(at)] for v, at in zip(self.remembered, values, strict=True)}
        among = np.flatnonzero(self.possible[row]).tolist()
        zone = {self.labels[i]: {self.labels[j]: self._between(row, i, j) for j in among if j != i} for i in among}
        interval = self._between(row, 1, 0) if len(among) == 2 == len(self.labels) else None
        return Region(int(self.node[row]), context, tuple(self.labels[i] for i in among), zone, interval, self.unit)

    def _between(self, row: int, i: int, j: int) -> Interval:
        low, high = float(self.least[row, i, j]), 0.0 - float(self.least[row, j, i])
        return Interval(low, high, low > -inf and not self.strict[i, j], high < inf and not self.strict[j, i])

    def __repr__(self) -> str:
        lines = [repr(region) for region in self[:SHOWN]] or ["no region"]
        return "\n".join([*lines, *([f"… and {len(self) - SHOWN:,} more"] if len(self) > SHOWN else [])])


SHOWN = 20  # rows of a repr


def regions(levels: Levels, root: int, source: Score | Families) -> list[Regions]:
    """The regions of every depth, in log-odds or points; in whole numbers until the end.

    Rounded weights move an end by no more than the certificate's error. Cost: for each two classes, a pass over the
    diagram split by context.
    """
    families = _as_families(source) if isinstance(source, Score) else source.remembering([])
    meetings = together(levels, root, families)
    least = [np.full((len(meeting), families.classes, families.classes), -inf) for meeting in meetings]
    for i, j in pairs(families):
        for bounds, sums in zip(least, Leads(meetings, families, i, j).nearest, strict=True):
            bounds[:, i, j] = _bounds(families, i, j, sums)
    fronts = frontiers(families.scopes, len(levels))
    return [_at_depth(families, *here) for here in zip(fronts[:-1], meetings[:-1], least[:-1], strict=True)]


def _bounds(families: Families, i: int, j: int, sums: Ints) -> NDArray[np.float64]:
    """How far class i must be above class j for these remaining sums not to lose it; the threshold is for the last."""
    return from_margin(families, sums, -inf) if i > j else 0.0 - from_margin(families, -sums, inf)


def _at_depth(families: Families, front: Sequence[int], meeting: DepthStates, least: NDArray[np.float64]) -> Regions:
    classes = range(families.classes)
    strict = np.array([[i != j and families.strict(i, j) for j in classes] for i in classes])
    model = families.model
    unit: Unit = "lead" if model.unit == "points" and model.positive is None else model.unit
    about = families.labels, unit, tuple(families.variables[a] for a in front)
    rows = np.lexsort((*meeting.alive.T, meeting.context, meeting.node))
    return Regions(*about, meeting.node[rows], meeting.context[rows], meeting.alive[rows], least[rows], strict)


def _as_families(score: Score) -> Families:
    """A score as families of one attribute each, over its two sides: the same whole numbers."""
    families = tuple(_family(score, (k,), terms) for k, terms in enumerate(score.terms))
    about = (score.model, score.impossible, score.bits, _family(score, (), [score.prior]), families)
    given = (score.variables, score.places, score.unit, score.rounded)
    order = (1, 0) if score.model.ties == "positive" else (0, 1)
    labels_of = (score.outcomes[NEVER], score.outcomes[ALWAYS])
    return Families(*about, *given, order, labels_of, score.outcomes[IMPOSSIBLE], score.threshold)


def _family(score: Score, scope: tuple[int, ...], terms: Sequence[Term]) -> Family:
    """What each value adds to the positive side; the negative one stays at zero."""

    def table(numbers: Sequence[int], kind: Any) -> NDArray[Any]:
        found = np.zeros((len(numbers), 2), kind)
        found[:, 1] = numbers
        return found if scope else found[0]

    alive = np.array([[not t.state & ALWAYS, not t.state & NEVER] for t in terms])
    weights = table([t.weight for t in terms], np.int64 if score.bits <= 64 else object)
    low, high = table([t.error_low for t in terms], object), table([t.error_high for t in terms], object)
    return Family(scope, weights, alive if scope else alive[0], low, high, table([t.exact for t in terms], object))
