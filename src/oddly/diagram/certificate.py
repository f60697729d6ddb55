# SPDX-License-Identifier: Apache-2.0
"""Does every decision of the diagram follow from the real numbers?

The least sum on any path to the positive sink and the greatest on any path to the negative one say how close any
instance comes to the threshold (they are the ends of the root's equivalence interval, Theorem 2.1). They are
taken over the finished diagram, so the pass also checks the diagram itself: a wrong edge would show as a
positive sum in the negative sink. If the rounding error of the weights is smaller than both distances, every
decision is the decision of the real numbers. A sum of exactly zero is settled another way: the weights that
meet there must cancel exactly, which their exponents over the coprime base show, and then the next sum must
clear the error.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf

import numpy as np
from numpy.typing import NDArray

from oddly.diagram import kernels
from oddly.diagram.passes import (
    FAR,
    FARTHER,
    Ints,
    Levels,
    Weights,
    near,
    second_shortest,
    shortest,
    tight_paths,
)
from oddly.score import FINITE, Score


@dataclass(frozen=True, repr=False)
class Certificate:
    """Whether the diagram decides as the real numbers do, and by what margin."""

    proven: bool
    closest: float
    """The least distance of any instance from the threshold, in log-odds or points; infinite if none is finite."""
    ties: int
    """How many instances lie exactly on the threshold."""
    bits: int
    """The width of the whole numbers that were added."""
    error: float
    """The most that rounding can have moved any instance, in log-odds or points."""
    interval: tuple[float, float]
    """The priors (log-odds), or intercepts (points), that leave every decision as it is: [low, high), and
    (low, high] where ties are negative. The root's equivalence interval, Theorem 2.1."""

    def __bool__(self) -> bool:
        return self.proven

    def __repr__(self) -> str:
        word = "proven" if self.proven else "NOT proven"
        ties = f", {self.ties:,} instances exactly on it" if self.ties else ""
        return (
            f"Certificate: {word}; the closest instance is {self.closest:.3g} from the threshold{ties}; "
            f"rounding moves none by more than {self.error:.3g} ({self.bits}-bit sums)"
        )


def certify(levels: Levels, score: Score) -> Certificate:
    """Check a finished diagram against its score; raises AssertionError on a wrong diagram, which is our bug."""
    low, high = score.error
    error = float(max(-low, high) * score.unit)
    if score.prior.state != FINITE:
        return Certificate(True, inf, 0, score.bits, error, (-inf, inf))
    weights = _finite(score)
    least, greatest = _margins(levels, score, weights)
    prior, strict = score.prior.weight, score.start != score.prior.weight
    positive = None if least is None else prior + least
    negative = None if greatest is None else prior + greatest
    if (positive is not None and positive < strict) or (negative is not None and negative >= strict):
        raise AssertionError(f"the diagram contradicts its score: positive from {positive}, negative to {negative}")
    tied = 0 in (positive, negative)
    ties, true_ties, following = _ties(levels, score, weights, int(not strict)) if tied else (0, True, None)
    proven = not score.rounded or (
        true_ties
        and _clears(following if positive == 0 else positive, high)
        and _clears(_negated(following if negative == 0 else negative), -low)
    )
    distances = [abs(d) for d in (positive, negative) if d is not None]
    closest = float(min(distances) * score.unit) if distances else inf
    ends = (-inf if least is None else -least, inf if greatest is None else -greatest)
    interval = (_in_model_terms(score, ends[0]), _in_model_terms(score, ends[1]))
    return Certificate(proven, closest, ties, score.bits, error, interval)


def agrees(levels: Levels, score: Score) -> bool | None:
    """Does a diagram decide as a score does, its own or another's?  None where rounding leaves it open.

    Both must rule out the same sides on the same edges: only sums are looked at. One pass, no building.
    """
    if score.prior.state != FINITE:
        return None
    low, high = score.error
    strict = score.start != score.prior.weight
    least, greatest = _margins(levels, score, _finite(score))
    positive = None if least is None else score.prior.weight + least
    negative = None if greatest is None else score.prior.weight + greatest
    if _clears(positive, high) and _clears(_negated(negative), -low):
        return True
    if (positive is not None and positive < low) or (negative is not None and negative >= high + strict):
        return False
    return None


def intervals(levels: Levels, score: Score) -> list[NDArray[np.float64]]:
    """The equivalence interval [low, high) of every node (Theorem 3.1), in log-odds or points, depth by depth.

    A prefix of finite weight whose log-odds lie in a node's interval leads to that node.
    """
    weights = _finite(score)
    if kernels.AVAILABLE and score.bits == 64:
        margins = [(level[:, 0], level[:, 1]) for level in kernels.all_margins(levels, weights)]
    else:
        least = shortest(levels, weights, 1, 2)[:-1]
        greatest = shortest(levels, _mirrored(weights), 0, 2)[:-1]
        margins = [(low, -high) for low, high in zip(least, greatest, strict=True)]
    return [np.stack([_from_margin(score, low, -inf), _from_margin(score, high, inf)], axis=1) for low, high in margins]


def _from_margin(score: Score, sums: Ints, none: float) -> NDArray[np.float64]:
    """Where a prefix must be for these remaining sums to end at the threshold."""
    far = FARTHER if sums.dtype == object else FAR
    missing = np.asarray(abs(sums) > far // 2, bool)
    units = np.where(missing, 0, -sums)
    scaled = (
        np.array([float(int(u) * score.unit) for u in units]) if sums.dtype == object else units * float(score.unit)
    )
    return np.where(missing, none, scaled + score.threshold)


def _margins(levels: Levels, score: Score, weights: Weights) -> tuple[int | None, int | None]:
    """The least sum of weights to the positive sink and the greatest to the negative one."""
    if not levels:
        return (0, None) if score.start >= 0 else (None, 0)
    if kernels.AVAILABLE and score.bits <= 128:
        return kernels.margins(levels, weights, wide=score.bits > 64)
    least = near(shortest(levels, weights, 1, 2)[0])
    greatest = near(shortest(levels, _mirrored(weights), 0, 2)[0])
    return least, _negated(greatest)


def _ties(levels: Levels, score: Score, weights: Weights, label: int) -> tuple[int, bool, int | None]:
    """How many instances sum to zero, whether all do so truly, and the next sum after zero on their side."""
    if not levels:
        return 1, True, None
    ways = weights if label == 1 else _mirrored(weights)
    nearest = shortest(levels, ways, label, 2)
    exact, paths, true_ties = _walk_ties(levels, score, ways, nearest)
    following = second_shortest(levels, ways, nearest) if score.rounded else None
    if following is not None:
        following = score.prior.weight + (following if label == 1 else -following)
    return paths, true_ties and exact == 0, following


def _walk_ties(levels: Levels, score: Score, ways: Weights, nearest: Sequence[Ints]) -> tuple[int, int, bool]:
    """Follow the paths that sum to zero: their exact value at the sink, their number, and whether all agree."""
    exact = np.full(1, score.prior.exact, object)
    paths = np.ones(1, object)
    true_ties, depth = True, -1
    for at, value, nodes, children in tight_paths(levels, ways, nearest):
        if at > depth:
            here, routes, depth = exact, paths, at
            exact, paths = np.full(len(nearest[at + 1]), None, object), np.zeros(len(nearest[at + 1]), object)
        arriving = here[nodes] + score.terms[at][value].exact
        known = exact[children]
        fresh = np.array([k is None for k in known], bool)
        true_ties &= bool(np.all(fresh | (known == arriving)))
        exact[children] = arriving
        true_ties &= bool(np.all(exact[children] == arriving))
        np.add.at(paths, children, routes[nodes])
    sink = int(np.flatnonzero(paths)[0])
    return int(exact[sink]), int(paths[sink]), true_ties


def _finite(score: Score) -> list[list[int | None]]:
    return [[t.weight if t.state == FINITE else None for t in terms] for terms in score.terms]


def _mirrored(weights: Weights) -> list[list[int | None]]:
    return [[_negated(w) for w in ws] for ws in weights]


def _negated(number: int | None) -> int | None:
    return None if number is None else -number


def _clears(distance: int | None, error: Fraction) -> bool:
    return distance is None or distance > error


def _in_model_terms(score: Score, units: float) -> float:
    return units if units in (-inf, inf) else float(int(units) * score.unit) + score.threshold
