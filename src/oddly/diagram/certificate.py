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

from dataclasses import dataclass
from fractions import Fraction
from math import inf, isinf, isnan

import numpy as np
from numpy.typing import NDArray

from oddly import native
from oddly.diagram.passes.best import second_least, tied_paths
from oddly.diagram.passes.semirings import MAX_PLUS, MIN_PLUS, SOME, Ints, Levels, Semiring, Weights, least_for
from oddly.diagram.passes.sweep import by_depth, down, up
from oddly.lowering import Families
from oddly.lowering.score import ALWAYS, FINITE, IMPOSSIBLE, NEVER, Score
from oddly.model.numbers import as_float
from oddly.runtime import room


@dataclass(frozen=True, repr=False)
class Certificate:
    """Whether the diagram decides as the real numbers do, and by what margin.

    >>> import oddly
    >>> found = oddly.compile(oddly.examples.pregnancy()).certificate
    >>> found.proven, found.ties, found.closest > found.error
    (True, 0, True)
    """

    proven: bool
    closest: float
    """The least distance of any instance from the threshold, in log-odds or points; infinite if none is finite,
    and NaN where all are decided in whole numbers and distances were not worked out."""
    ties: int
    """How many instances lie exactly on the threshold."""
    bits: int
    """The width of the whole numbers that were added."""
    error: float
    """The most that rounding can have moved any instance, in log-odds or points."""
    interval: tuple[float, float] | None
    """The priors (log-odds), or intercepts (points), that leave every decision as it is: [low, high), and
    (low, high] where ties are negative. The root's equivalence interval, Theorem 2.1. None where the prior is
    certain, 0 or 1: then no instance says what another prior would do. None where there is no such prior."""
    many: bool = False
    """Whether the most of many classes wins, so that the next one takes the place of the threshold."""

    def __bool__(self) -> bool:
        return self.proven

    def __repr__(self) -> str:
        word = "proven" if self.proven else "NOT proven"
        moved = f"rounding moves none by more than {self.error:.3g} ({self.bits}-bit sums)"
        if isnan(self.closest):
            moved = "how close the others come was not worked out"
        return f"Certificate: {word}; {self._nearest()}; {moved}"

    def _nearest(self) -> str:
        number = f"{self.ties:,}" if self.ties else "no"
        many = f"{number} instance{'s' if self.ties > 1 else ''}"
        if isnan(self.closest):
            return f"{many} exactly on the threshold"
        line = "another class" if self.many else "the threshold"
        if isinf(self.closest):
            return f"no instance is at a finite distance from {line}"
        ties = f", {many} exactly {'between two' if self.many else 'on it'}" if self.ties else ""
        return f"the closest instance is {self.closest:.3g} from {line}{ties}"


def certify(levels: Levels, score: Score, root: int = 0) -> Certificate:
    """Check a finished diagram against a score; AssertionError if it decides otherwise.

    A diagram that was not built from this score, but from another of the same model, may differ where rounding
    decides: then nothing is proven.
    """
    if [level.shape[1] for level in levels] != [len(terms) for terms in score.terms]:
        raise AssertionError("the diagram and its score have different attributes")
    _check_ruled_out(levels, root, score)
    low, high = score.error
    error = as_float(max(-low, high) * score.unit)
    if score.prior.state != FINITE:
        return Certificate(True, inf, 0, score.bits, error, None)
    weights = _finite(score)
    least, greatest = _margins(levels, score, weights, root)
    prior, strict = score.prior.weight, score.start != score.prior.weight
    positive = None if least is None else prior + least
    negative = None if greatest is None else prior + greatest
    off = (positive is not None and positive < strict) or (negative is not None and negative >= strict)
    if off and _contradicted(positive, negative, score.error, strict):
        raise AssertionError(f"the diagram contradicts its score: positive from {positive}, negative to {negative}")
    tied = not off and 0 in (positive, negative)
    ties, true_ties, following = _ties(levels, score, weights, int(not strict)) if tied else (0, True, None)
    proven = not score.rounded or (
        not off
        and true_ties
        and _clears(following if positive == 0 else positive, high)
        and _clears(_negated(following if negative == 0 else negative), -low)
    )
    distances = [abs(d) for d in (positive, negative) if d is not None]
    # a threshold of 0 or 1: every finite instance is decided alike, however far it is
    if isinf(score.threshold) and not isinstance(score.against, Fraction):
        return Certificate(not off, inf, 0, score.bits, error, (-inf, inf))
    closest = as_float(min(distances) * score.unit) if distances else inf
    interval = (_held_against(score, least, -inf), _held_against(score, greatest, inf))
    return Certificate(proven, closest, ties, score.bits, error, interval)


def _check_ruled_out(levels: Levels, root: int, score: Score) -> None:
    """AssertionError if an instance that some side is impossible for is decided otherwise than that says."""
    if score.finite:
        return
    reached = np.zeros((len(levels[0]) if levels else 2, 4), bool)
    reached[root, score.prior.state] = True
    for level, terms, below in zip(levels, score.terms, [*map(len, levels[1:]), 2], strict=False):
        following = np.zeros((below, 4), bool)
        for column, term in zip(level.T, terms, strict=True):
            for state in range(4):
                following[column[reached[:, state]], state | term.state] = True
        reached = following
    for state in (NEVER, ALWAYS, IMPOSSIBLE):
        if reached[1 - score.outcomes[state], state]:
            raise AssertionError("the diagram contradicts its score where a probability of zero decides")


def agrees(levels: Levels, score: Score) -> bool | None:
    """Does a diagram decide as a score does, its own or another's?  None where rounding leaves it open.

    Both must rule out the same sides on the same edges: only sums are looked at. One pass, no building.
    """
    if score.prior.state != FINITE:
        return None
    low, high = score.error
    strict = score.start != score.prior.weight
    least, greatest = _margins(levels, score, _finite(score), int(score.start >= 0))
    positive = None if least is None else score.prior.weight + least
    negative = None if greatest is None else score.prior.weight + greatest
    if _clears(positive, high) and _clears(_negated(negative), -low):
        return True
    return False if _contradicted(positive, negative, score.error, strict) else None


def _contradicted(positive: int | None, negative: int | None, error: tuple[Fraction, Fraction], strict: bool) -> bool:
    """Whether a sum is on the wrong side of zero by more than rounding can have moved it; a true sum is sum − error."""
    low, high = error
    wrong_positive = positive is not None and (positive <= low if strict else positive < low)
    wrong_negative = negative is not None and (negative > high if strict else negative >= high)
    return wrong_positive or wrong_negative


def intervals(levels: Levels, score: Score) -> list[NDArray[np.float64]]:
    """The equivalence interval [low, high) of every node (Theorem 3.1), in log-odds or points, depth by depth.

    A prefix of finite weight whose log-odds lie in a node's interval leads to that node. A node that only prefixes
    of infinite weight reach has none: its ends are NaN.
    """
    weights = _finite(score)
    room(32 * sum(map(len, levels)))
    if native.AVAILABLE and score.bits == 64:
        margins = [(level[:, 0], level[:, 1]) for level in native.kernels.all_margins(list(levels), *_flat(weights))]
    else:
        margins = list(zip(_sums(levels, weights, MIN_PLUS), _sums(levels, weights, MAX_PLUS), strict=True))[:-1]
    found = [np.stack([from_margin(score, low, -inf), from_margin(score, high, inf)], axis=1) for low, high in margins]
    finite = [[int(w is not None) for w in ws] for ws in weights]
    for ends, reached in zip(found, down(levels, 0, 2, finite, SOME), strict=False):
        ends[(reached == 0) | (score.prior.state != FINITE)] = np.nan
    return found


def _sums(levels: Levels, weights: Weights, most: Semiring) -> list[Ints]:
    """For every node of every depth the least sum to the positive sink, or the greatest to the negative one."""
    most = most.over(least_for(weights).kind)
    return by_depth(up(levels, most.at(int(most.zero > 0), 2), weights, most))


def from_margin(source: Score | Families, sums: Ints, none: float) -> NDArray[np.float64]:
    """Where a prefix must be for these remaining sums to end at the threshold; `none` where no sum remains."""
    missing = ~MIN_PLUS.over(sums.dtype).reached(sums)
    return np.where(missing, none, scaled(np.where(missing, 0, -sums), source.unit) + source.threshold)


def scaled(units: Ints, unit: Fraction) -> NDArray[np.float64]:
    """What so many units are worth."""
    if units.dtype == object:
        return np.array([as_float(int(u) * unit) for u in units], np.float64)
    return np.asarray(units * as_float(unit))


def _margins(levels: Levels, score: Score, weights: Weights, root: int = 0) -> tuple[int | None, int | None]:
    """The least sum of weights to the positive sink and the greatest to the negative one."""
    if not levels:
        return (0, None) if root == 1 else (None, 0)
    if native.AVAILABLE and score.bits <= 128:
        room(score.bits // 2 * max(map(len, levels)))  # two depths, two ends
        return native.kernels.margins(list(levels), *_flat(weights), score.bits > 64)
    least, greatest = (_sums(levels, weights, most)[0] for most in (MIN_PLUS, MAX_PLUS))
    found = [int(sums[0]) if MIN_PLUS.over(sums.dtype).reached(sums)[0] else None for sums in (least, greatest)]
    return found[0], found[1]


def _flat(weights: Weights) -> tuple[NDArray[np.uint64], NDArray[np.uint8]]:
    """As the kernels take them."""
    flat = [w for ws in weights for w in ws]
    return native.halves([w or 0 for w in flat]), np.array([w is not None for w in flat], np.uint8)


def _ties(levels: Levels, score: Score, weights: Weights, label: int) -> tuple[int, bool, int | None]:
    """How many instances sum to zero, whether all do so truly, and the next sum after zero on their side."""
    if not levels:
        return 1, score.prior.exact == 0, None
    sign = 1 if label == 1 else -1
    ways = [[None if w is None else sign * w for w in ws] for ws in weights]
    least = least_for(ways)
    nearest = by_depth(up(levels, least.at(label, 2), ways, least))
    exact = [np.array([t.exact for t in terms], object) for terms in score.terms]
    paths, true_ties = tied_paths(
        levels, ways, nearest, least, score.prior.exact, lambda depth, _, values: exact[depth][values]
    )
    following = second_least(levels, ways, nearest, least) if score.rounded else None
    return paths, true_ties, None if following is None else score.prior.weight + sign * following


def _finite(score: Score) -> list[list[int | None]]:
    return [[t.weight if t.state == FINITE else None for t in terms] for terms in score.terms]


def _negated(number: int | None) -> int | None:
    return None if number is None else -number


def _clears(distance: int | None, error: Fraction) -> bool:
    return distance is None or distance > error


def _held_against(score: Score, sums: int | None, none: float) -> float:
    """The prior, or intercept, at which these remaining sums end exactly at the threshold."""
    if sums is None:
        return none
    if isinstance(score.against, Fraction):
        return as_float(score.against - sums * score.unit)
    return as_float(-sums * score.unit) + score.against
