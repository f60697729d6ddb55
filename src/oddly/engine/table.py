# SPDX-License-Identifier: Apache-2.0
"""Every instance decided one by one, in a table, and the table folded into a diagram.

The way for networks with hidden variables whose attributes are few. Probabilities come in float64, and nearly always
settle an instance. One that is closer to the threshold than rounding allows is decided once more in whole numbers,
and only then is a tie called a tie.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import exp, inf, log, log1p, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.diagram.certificate import Certificate
from oddly.engine.slices import Slice, Slices
from oddly.engine.two_ended import Built, Level
from oddly.lowering.distinct import ascending
from oddly.lowering.score import Impossible
from oddly.model import NetworkClassifier, Probabilistic
from oddly.model.elimination import class_blocks
from oddly.runtime import Watch, more_memory, stopped

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Labels = NDArray[np.integer[Any]]

MOST_INSTANCES = 1 << 26
BATCH = 1 << 12  # instances decided at a time in whole numbers
MOST_EXPONENT = 700  # of e, for which floats have room
BYTES_EACH = 8  # of an instance: a decision, and while folding a number or two


@dataclass(frozen=True)
class TableProof:
    """How the instances of a table were decided."""

    instances: int
    ties: int
    """Instances exactly on the threshold, or of which two classes are exactly the most probable."""
    closest: float
    """The least distance of any instance from the threshold, or of its two most probable classes, in log-odds."""
    impossible: int
    """Instances of probability zero."""
    exact: int
    """Instances that only whole numbers could decide."""
    error: float
    """What rounding can have moved any other, in log-odds."""

    @property
    def certificate(self) -> Certificate:
        return Certificate(True, self.closest, self.ties, 64, self.error, None)


Decided = tuple[list[Level], int, TableProof]
"""The levels of a diagram, its root, and how its instances were decided."""


def cells(model: Probabilistic) -> int:
    """How many instances a table has: attributes that decide nothing have no part in it."""
    classifier = model.as_network
    matters = that_matter(classifier)
    return prod(len(v.values) for v in classifier.variables if v.name in matters)


def check_cells(instances: int, memory: int) -> None:
    """TooLarge where a table of so many instances does not fit."""
    allowed = min(MOST_INSTANCES, memory // BYTES_EACH)
    if instances > allowed:
        more = "" if instances > MOST_INSTANCES else more_memory(2 * BYTES_EACH * instances)
        raise stopped(f"{instances:,} instances to decide one by one", f"{allowed:,}", "fewer attributes", more)


def decide_table(
    model: Probabilistic, order: Sequence[int], impossible: Impossible = "negative", watch: Watch | None = None
) -> Decided:
    """The levels and the root of the model's diagram, the attributes in this order of places, and how it was proven.

    Where the most probable of many classes is taken, an impossible instance goes to the first one listed.
    """
    watch = watch or Watch()
    watch.attributes = len(order)
    classifier = model.as_network
    matters = that_matter(classifier)
    slices = Slices(classifier, tuple(i for i in order if classifier.attributes[i] in matters), watch.max_memory)
    check_cells(slices.instances, watch.max_memory)
    judge = _Judge(slices, impossible)
    decisions = np.empty(slices.instances, np.uint8 if len(classifier.labels) <= 256 else np.uint16)
    for part in slices:
        labels = judge.labels(part)
        done = part.start + len(labels)
        decisions[part.start : done] = labels
        watch.lists(len(order) * done // slices.instances, BYTES_EACH * slices.instances, 0)
    levels, root = fold(decisions, slices.arities, watch)
    sizes = [len(classifier.variables[i].values) for i in order]
    levels, root = with_idle(levels, root, [classifier.attributes[i] not in matters for i in order], sizes)
    return levels, root, judge.proof(prod(sizes))


def that_matter(classifier: NetworkClassifier) -> set[str]:
    """The attributes that bear on the class, or on what is possible."""
    return {name for block in class_blocks(classifier) for p in block for name in p.names}


@dataclass
class _Judge:
    """Decides slices, and keeps count."""

    slices: Slices
    impossible: Impossible
    ties: int = 0
    closest: float = inf
    ruled_out: int = 0
    redone: int = 0

    @property
    def classifier(self) -> NetworkClassifier:
        return self.slices.classifier

    @cached_property
    def positive(self) -> int:
        return self.classifier.class_values.index(self.classifier.positive or "")

    @cached_property
    def slack(self) -> float:
        """Sides that differ by less, relatively, may be equal: four times what rounding can do to either.

        To the roundings of a slice come those of a sum of classes, of a product with the threshold, and its own.
        """
        return 4.0 * (self.slices.roundings + len(self.classifier.class_values) + 4) * 2.0**-53

    def proof(self, instances: int) -> TableProof:
        """For so many instances: those that differ only in what decides nothing were decided together."""
        closest = 0.0 if self.ties else self.closest
        each = instances // self.slices.instances
        counts = (self.ties * each, closest, self.ruled_out * each, self.redone * each)
        return TableProof(instances, *counts, 2 * self.slack)

    def labels(self, part: Slice) -> Labels:
        """The place of each instance's label."""
        ruled_out = ~np.asarray(part.possible.any(axis=0))
        self.ruled_out += int(ruled_out.sum())
        if self.classifier.positive is None:
            first, second, labels, met = _most_probable(part.joint, part.possible)
        else:
            first, second, labels, met = self._against_the_rest(part.joint, part.possible)
            labels[ruled_out] = self.impossible == "positive"
        lesser, larger, floor = np.minimum(first, second), np.maximum(first, second), self.slices.floor
        sure = met & (larger - lesser > self.slack * larger) & (larger > floor)
        known = sure & (lesser > floor)
        self.closest = min(self.closest, _distance(lesser[known], larger[known]))
        if floor:  # a side that underflowed leaves open how close it comes
            near = floor * exp(self.closest) if self.closest < MOST_EXPONENT else inf
            sure &= known | (larger > near)
        again = np.flatnonzero(met & ~sure)
        for batch in (again[i : i + BATCH] for i in range(0, len(again), BATCH)):
            labels[batch] = self._exactly(batch + part.start)
        return labels

    def _against_the_rest(self, joint: Floats, can: Bools) -> tuple[Floats, Floats, Labels, Bools]:
        """Both sides times their part of the threshold, the label, and where neither is zero, so that sizes matter."""
        at, p = self.positive, self.classifier.threshold
        first = joint[at] * float(1 - p)
        second = (joint[:at].sum(axis=0) + joint[at + 1 :].sum(axis=0)) * float(p)
        some = can[at] & (p < 1)
        others = np.delete(can, at, axis=0).any(axis=0) & (p > 0)
        met = some & others
        alone = some & ~others if self.classifier.ties == "negative" else some | ~others
        return first, second, np.where(met, first > second, alone).astype(np.uint16), met

    def _exactly(self, places: NDArray[np.intp]) -> Labels:
        """The labels of some instances, by their places in the table; all of them have two sides to compare."""
        masses = self.slices.exactly(places)
        if self.classifier.positive is None:
            first, second = np.sort(masses, axis=1)[:, :-3:-1].T
            labels: NDArray[Any] = masses.argmax(axis=1)
        else:
            p, own = self.classifier.threshold, masses[:, self.positive]
            first, second = own * (p.denominator - p.numerator), (masses.sum(axis=1) - own) * p.numerator
            labels = first > second if self.classifier.ties == "negative" else first >= second
        tied = np.asarray(first == second, bool)
        self.redone += len(places)
        self.ties += int(tied.sum())
        sides = np.minimum(first, second), np.maximum(first, second)
        self.closest = min(self.closest, _distance(*(side[~tied] for side in sides)))
        return labels.astype(np.intp)


def _most_probable(joint: Floats, can: Bools) -> tuple[Floats, Floats, Labels, Bools]:
    """The largest and the next, the class of the largest, and where more than one is possible."""
    best = joint.argmax(axis=0)[None]
    first = np.take_along_axis(joint, best, 0)[0]
    rest = joint.copy()
    np.put_along_axis(rest, best, -1.0, 0)
    met = can.sum(axis=0) > 1
    return first, rest.max(axis=0), np.where(met, best[0], can.argmax(axis=0)), met


def _distance(lesser: NDArray[Any], larger: NDArray[Any]) -> float:
    """The least logarithm of larger/lesser: of numbers near each other from how far they are apart."""
    gap = float(np.min((larger - lesser) / larger, initial=inf))
    if gap < 0.5:
        return -log1p(-gap)
    if lesser.dtype == object:
        return min((log(b) - log(a) for a, b in zip(lesser, larger, strict=True)), default=inf)
    return float(np.min(np.log(larger) - np.log(lesser), initial=inf))


# ---- from a table to a diagram: from the last attribute upward, equal rows are one node ----


def fold(decisions: NDArray[Any], arities: Sequence[int], watch: Watch | None = None) -> Built:
    """The levels and the root of the diagram that decides as the table does; the last attribute changes fastest.

    >>> levels, root = fold(np.array([0, 1, 0, 1]), [2, 2])
    >>> [level.tolist() for level in levels], root
    ([[[0, 0]], [[0, 1]]], 0)
    """
    levels: list[Level] = []
    nodes = decisions
    for arity in reversed(arities):
        level, nodes = ascending(nodes.reshape(-1, arity))
        levels.append(level.astype(np.uint32))
        if watch is not None:
            watch.nodes(len(level))
    return levels[::-1], int(nodes[0])


def with_idle(levels: Sequence[Level], root: int, idle: Sequence[bool], arities: Sequence[int]) -> Built:
    """The diagram with levels put in for attributes that decide nothing: every value leads to the same node below.

    >>> found, root = with_idle([np.array([[0, 1]], np.uint32)], 0, [True, False, True], [2, 2, 3])
    >>> [level.tolist() for level in found]
    [[[0, 0]], [[0, 1]], [[0, 0, 0], [1, 1, 1]]]
    """
    waiting, found = list(levels), list[Level]()
    labels = np.unique(waiting[-1]) if waiting else np.array([root])
    for skip, arity in zip(reversed(idle), reversed(arities), strict=True):
        if skip:
            nodes = np.arange(len(found[-1])) if found else labels
            found.append(np.repeat(nodes[:, None], arity, axis=1).astype(np.uint32))
        else:
            level = waiting.pop()
            above_labels = found and len(waiting) == len(levels) - 1  # now its children are one of a level each
            found.append(np.searchsorted(labels, level).astype(np.uint32) if above_labels else level)
    return found[::-1], 0 if found else root
