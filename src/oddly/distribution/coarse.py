# SPDX-License-Identifier: Apache-2.0
"""How probable is an event, if the distribution knows only coarser values than the diagram that says what it is?

A model that cuts a number into bins says nothing about how a bin's probability divides. So the diagram is walked over the
model's own values: each of them leads to the *set* of nodes that its cells lead to, and an instance of the model's values
ends in a set of labels. Where that is one label, its probability counts for it; where it is several, the probability of
the event lies between that of the instances wholly inside it and of those at least partly inside. Over all distributions
with the same probabilities of the model's values these ends are sharp. (An upward pass with the least and the most of a
bin's cells would be too narrow: which cell is the worst depends on what is read below.)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.answers import Rounded
from oddly.diagram import ODD
from oddly.distribution.masses import label_masses
from oddly.distribution.measure import Probability, of_model, small_enough
from oddly.errors import Unsupported
from oddly.lowering.distinct import as_met
from oddly.model import Model, Variable
from oddly.model.shared import meets
from oddly.runtime import polled, room

Nodes = NDArray[np.uint32]
NONE = np.iinfo(np.uint32).max  # no node: fills up rows of nodes
ROUNDINGS = 2.0**-53  # the relative error of each step in floats


@dataclass(frozen=True)
class Between:
    """Where a probability lies; both ends are the same where it is settled."""

    low: Rounded
    """It is no less."""
    high: Rounded
    """It is no more."""

    @property
    def settled(self) -> bool:
        return self.low == self.high


@dataclass(frozen=True)
class Chance:
    """How probable an event is under a model, of what the diagram has values for; and how probable the rest is."""

    event: Between
    outside: Between


def under_model(odd: ODD, model: Model, name: str) -> Chance:
    """How probable the diagram's second label is, given it or the first, under a model with values of its own."""
    own = [_own(model, v, name) for v in odd.variables]
    measure = of_model(model, own, name)
    walked, sets = over(odd, own)
    exact = small_enough([walked], len(measure.classes))
    masses = label_masses(walked, measure, exact)
    return _bounds([sum(column) for column in zip(*masses, strict=True)], sets, _error(walked) if not exact else 0.0)


def _own(model: Model, v: Variable, name: str) -> Variable:
    """The attribute as the model values it."""
    found = {**{own.name: own for own in model.variables}, **model.others}.get(v.name)
    if found is None:
        raise Unsupported(f"{name} has no attribute {v.name}, so it says nothing about its probabilities")
    return found


def over(odd: ODD, variables: Sequence[Variable]) -> tuple[ODD, list[frozenset[int]]]:
    """The diagram over other values of the same attributes, and the set of labels that each of its own labels is.

    A label is called by its place, and by -1 any but the first two, and what the diagram has no value for. Cost: as many nodes as there are sets of
    the diagram's that some values lead to; no more than it has itself, where each value lies in one of its own.
    """
    columns = [meets(v, own) for v, own in zip(odd.variables, variables, strict=True)]
    split = next((k for k, found in enumerate(columns) if any(places[1:] or places == [-1] for places in found)), None)
    first = len(columns) if split is None else split  # from here on values are split, or left out
    levels = [level[:, [at for (at,) in found]] for level, found in zip(odd.levels[:first], columns, strict=False)]
    widths = [*map(len, odd.levels), len(odd.labels)]
    here = np.arange(widths[first], dtype=np.uint32)[:, None] if odd.levels else np.array([[odd.root]], np.uint32)
    for depth in polled(range(first, len(columns)), "levels"):
        level, outside, below = odd.levels[depth], widths[depth], widths[depth + 1]
        more = np.vstack([level, np.full((1, level.shape[1]), below, np.uint32)])  # what is outside stays outside
        more = np.hstack([more, np.full((outside + 1, 1), below, np.uint32)])
        room(12 * here.size * len(columns[depth]) * max(map(len, columns[depth])))
        here, where = _distinct([_sets(more[here][:, :, at].reshape(len(here), -1)) for at in columns[depth]])
        levels.append(where.reshape(len(columns[depth]), -1).T.astype(np.uint32))
    sets = [frozenset(int(at) if at < 2 else -1 for at in row) for row in here]
    labels = tuple(" or ".join(map(str, sorted(found))) for found in sets)
    return ODD(tuple(variables), labels, tuple(levels), odd.root if odd.levels else 0, odd.places), sets


def _sets(rows: Nodes) -> Nodes:
    """Every row as a set: rising, each node once, and no more columns than the largest needs."""
    rows = np.sort(rows, axis=1)
    rows[:, 1:][rows[:, 1:] == rows[:, :-1]] = NONE
    rows.sort(axis=1)
    return rows[:, : int((rows != NONE).sum(axis=1).max(initial=1))]


def _distinct(parts: Sequence[Nodes]) -> tuple[Nodes, NDArray[np.int64]]:
    """The different sets among them, and which one each is."""
    widest = max(part.shape[1] for part in parts)
    padded = [np.pad(part, ((0, 0), (0, widest - part.shape[1])), constant_values=NONE) for part in parts]
    rows = np.concatenate(padded)
    return as_met(np.where(rows == NONE, rows[:, :1], rows))


def _bounds(masses: Sequence[Any], sets: Sequence[frozenset[int]], error: float) -> Chance:
    """The ends: what can be inside is, or is outside of what is asked, or else not inside; and the other way round."""

    def mass(having: int | None, only: frozenset[int] | None = None) -> Any:
        kept = (m for m, s in zip(masses, sets, strict=True) if (s == only if only is not None else having in s))
        return sum(kept, Fraction(0) if not error else 0.0)

    total = sum(masses)
    if not total - mass(None, frozenset({-1})):
        raise Unsupported("nothing is possible that both sides have values for")
    inside, alone = mass(1), mass(None, frozenset({1}))
    low, high = _share(alone, alone + mass(0)), _share(inside, inside + mass(None, frozenset({0})))
    if not any(s > {1} or s > {0} for s, m in zip(sets, masses, strict=True) if m):  # nothing is split: no two ways
        return Chance(Between(low, low), Between(*[_share(mass(-1), total)] * 2))
    outside = Between(_share(mass(None, frozenset({-1})), total) * (1 - error), _share(mass(-1), total) * (1 + error))
    return Chance(Between(low * (1 - error), min(high * (1 + error), 1)), outside)


def _share(part: Any, whole: Any) -> Probability:
    return part / whole if whole else 0


def _error(odd: ODD) -> float:
    """At most the relative error of a ratio of two sums over all paths, in floats."""
    return 2 * (sum(arity + 1 for arity in odd.arities) + 8) * ROUNDINGS
