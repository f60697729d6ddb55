# SPDX-License-Identifier: Apache-2.0
"""What must any card change, once its points for the attributes above some depth are set?

Beginnings with equal points so far are treated alike by whatever follows. So for each *ending*, the values of all
attributes below, a card accepts the beginnings from some number of points on: a cut of its own, given by its points
and the cut-off. Letting every ending choose its best cut freely can only change less. With nothing below, the one empty
ending chooses the cut-off, and what it changes is what the card changes.

Endings that would choose alike are taken together. What a cut gains is linear in an ending's weights, one a class; so
endings with equal decisions and proportional weights share their best cut, and the least over cuts of a sum is never less
than the sum of the leasts: an ending may be split in two whose weights add up to its own, and what is found stays a
bound. With two classes all weights between two others are sums of multiples of these, so a few of each kind do for all.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oddly.diagram import ODD
from oddly.lowering import distinct
from oddly.questions.scorecard.search import LEAST
from oddly.runtime import stopped

Floats = NDArray[np.float64]
Signs = NDArray[np.int8]

KEPT = 3  # of the endings with equal decisions and different weights
MOST_BYTES = 100_000_000  # held for a depth


@dataclass(frozen=True, eq=False)
class Endings:
    """The endings below a depth, in groups, each with its own number for every class and node."""

    gains: Floats
    """By class and node, and by group: what accepting it there gains, negative where the classifier rejects it."""

    def gained(self, so_far: Floats) -> Floats:
        """What accepting each group gains, from how probable every class and node is along the last axis."""
        return np.asarray(so_far @ self.gains)

    @property
    def groups(self) -> int:
        return int(self.gains.shape[1])

    @property
    def cost(self) -> int:
        """About how many numbers are looked at for one sum of points."""
        return self.gains.size // 8 + self.groups


@dataclass(frozen=True, eq=False)
class Independent(Endings):
    """Endings that are as probable after every node."""

    signs: Signs
    """By node and group: 1 where the classifier accepts, −1 where it does not."""
    masses: Floats
    """By class and group."""

    @classmethod
    def of(cls, signs: Signs, masses: Floats) -> "Endings":
        order = np.argsort(signs.sum(axis=1, dtype=np.int64), kind="stable")
        if (np.diff(signs[order], axis=0) >= 0).all():
            return Chain(np.zeros((0, 0)), signs, masses, order, (signs < 0).sum(axis=0))
        return cls((masses[:, None, :] * signs).reshape(-1, signs.shape[1]), signs, masses)


@dataclass(frozen=True, eq=False)
class Chain(Independent):
    """The same where every node accepts all that an earlier one does, as those of a sum do: partial sums are enough."""

    order: NDArray[np.intp]
    """The nodes, by what they accept."""
    rejecting: NDArray[np.intp]
    """By group: how many nodes reject it, the first ones."""

    def gained(self, so_far: Floats) -> Floats:
        by_class = so_far.reshape(*so_far.shape[:-1], len(self.masses), -1)
        sums = np.zeros((*by_class.shape[:-1], len(self.order) + 1))
        np.cumsum(by_class[..., self.order], axis=-1, out=sums[..., 1:])
        found = (sums[..., -1:] - 2 * sums[..., self.rejecting]) * self.masses
        return np.asarray(found.sum(axis=-2))

    @property
    def groups(self) -> int:
        return int(self.masses.shape[1])

    @property
    def cost(self) -> int:
        return 2 * len(self.masses) * (len(self.order) + self.groups)


def endings(odd: ODD, parts: Sequence[tuple[list[Floats], float]], independent: bool) -> list[Endings]:
    """By depth, those below it: after the first attribute, after the second, down to the empty one.

    `parts` has for every class a number per depth, node and value, and its weight. `independent` says that a number
    does not depend on the node.
    """
    signs, masses = np.array([[-1], [1]], np.int8), np.array([[weight] for _, weight in parts], np.float64)
    found = [Independent.of(signs, masses) if independent else Endings(np.outer(masses, signs).reshape(-1, 1))]
    for depth in reversed(range(1, len(odd.levels))):
        level, rows = odd.levels[depth], [rows[depth] for rows, _ in parts]
        if level.size * found[-1].groups * (1 if independent else 8 * len(parts)) > MOST_BYTES:
            raise stopped(f"too many different endings after {depth} of {len(odd.levels)} attributes", "")
        if independent:
            signs, masses = _longer(level, rows, signs, masses)
            found.append(Independent.of(signs, masses))
        else:
            found.append(Endings(_unfolded(level, rows, found[-1].gains)))
    return found[::-1]


def read_backwards(odd: ODD) -> ODD | None:
    """The same decisions read from the last attribute to the first; None if that takes many more nodes.

    A node is then the set of endings that decide alike everywhere: of a sum, there are as many as nodes or one more.
    """
    most = 4 * max(odd.widths, default=0) + 16
    signs, levels = np.array([[-1], [1]], np.int8), []
    for depth in reversed(range(1, len(odd.levels))):
        level = odd.levels[depth]
        wide = np.stack([signs[column] for column in level.T], axis=2)
        first, which = distinct([*np.packbits(wide.reshape(len(level), -1) > 0, axis=0)])
        if len(first) > most:
            return None
        levels.append(which.reshape(wide.shape[1:]).astype(np.uint32))
        signs = wide.reshape(len(level), -1)[:, first]
    if odd.levels:
        levels.append((signs[odd.levels[0][odd.root]].T > 0).astype(np.uint32))
    return ODD(odd.variables[::-1], odd.labels, tuple(levels), 0 if levels else odd.root, odd.places[::-1])


def _longer(level: NDArray[np.uint32], rows: Sequence[Floats], signs: Signs, masses: Floats) -> tuple[Signs, Floats]:
    """One more value before each ending, in groups."""
    wide = np.concatenate([signs[column] for column in level.T], axis=1)
    by_value = [np.array([[row[0, v]] for row in rows]) for v in range(level.shape[1])]
    # what can happen never weighs nothing, however improbable it is: it must not be taken for impossible
    weights = [np.maximum(masses * p, LEAST * ((masses > 0) & (p > 0))) for p in by_value]
    return _grouped(wide, np.concatenate(weights, axis=1))


def _unfolded(level: NDArray[np.uint32], rows: Sequence[Floats], below: Floats) -> Floats:
    """Every ending on its own: one more value before each of those below."""
    by_class = below.reshape(len(rows), -1, below.shape[1])
    wide = [
        [row[:, [v]] * gains[column] for v, column in enumerate(level.T)]
        for row, gains in zip(rows, by_class, strict=True)
    ]
    found = np.block(wide)
    return np.asarray(found[:, np.any(found, axis=0)])


def _grouped(signs: Signs, masses: Floats) -> tuple[Signs, Floats]:
    """A few endings for all that are decided alike at every node; those without weight are left out."""
    possible = np.any(masses, axis=0)
    signs, masses = signs[:, possible], masses[:, possible]
    first, which = distinct([*np.packbits(signs > 0, axis=0)])
    order = np.argsort(which, kind="stable")
    groups = np.split(masses[:, order], np.cumsum(np.bincount(which))[:-1], axis=1)
    merged = [_merged(group) for group in groups]
    return np.repeat(signs[:, first], [group.shape[1] for group in merged], axis=1), np.concatenate(merged, axis=1)


def _merged(masses: Floats) -> Floats:
    """A few weights whose multiples add up to these."""
    if len(masses) == 1:
        return np.asarray(masses.sum(axis=1, keepdims=True))
    if masses.shape[1] <= KEPT:
        return masses
    if len(masses) == 2:
        return _between(masses)
    heavy = np.argsort(-masses.sum(axis=0), kind="stable")
    rest = masses[:, heavy[KEPT:]].sum(axis=1)
    return np.concatenate([masses[:, heavy[:KEPT]], np.diag(rest)[:, rest > 0]], axis=1)


def _between(masses: Floats) -> Floats:
    """Weights of two classes as multiples of the neighbouring ones among a few: the extremes, and some between."""
    weight = masses.sum(axis=0)
    share = masses[1] / weight
    order = np.argsort(share, kind="stable")
    share, weight = share[order], weight[order]
    sums = np.cumsum(weight)
    inner = np.searchsorted(sums, sums[-1] * np.arange(1, KEPT - 1) / (KEPT - 1))
    ends = np.unique(share[[0, *np.minimum(inner, len(share) - 1), -1]])
    if len(ends) == 1:
        return np.asarray(masses.sum(axis=1, keepdims=True))
    low = np.clip(np.searchsorted(ends, share, side="right") - 1, 0, len(ends) - 2)
    part = np.clip((share - ends[low]) / (ends[low + 1] - ends[low]), 0, 1)
    total = np.bincount(low, weight * (1 - part), len(ends)) + np.bincount(low + 1, weight * part, len(ends))
    return np.stack([total * (1 - ends), total * ends])
