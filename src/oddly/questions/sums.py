# SPDX-License-Identifier: Apache-2.0
"""All the distinct sums of weights, and how many instances have each.

Two instances with the same true log-odds always get the same whole number (see `oddly.lowering.exact`). Two whose log-odds
differ by less than the rounding might too, so wherever sums meet, their exponents over the coprime base must agree;
if they do not, the precision is raised.
"""

from collections import Counter
from dataclasses import dataclass
from math import prod

import numpy as np

from oddly.diagram.passes.semirings import Ints
from oddly.errors import Unsupported
from oddly.lowering.models import unrounded
from oddly.lowering.score import FINITE, PRECISIONS, Score, lower
from oddly.runtime import polled


@dataclass(frozen=True)
class Sums:
    """Ascending sums of weights, the prior left out, in units of their score."""

    score: Score
    values: Ints
    ways: Ints
    """How many instances have each."""


def distinct_sums(score: Score, most: int) -> Sums | None:
    """The distinct sums over all finite instances; None if there are more than `most`."""
    score = unrounded(score)
    while score.bits <= PRECISIONS[-1]:
        try:
            return _listed(score, most)
        except _TooCoarse:
            score = lower(score.model, 2 * score.bits, score.impossible)
    raise Unsupported(f"{PRECISIONS[-1]} bits do not tell the sums of this model apart")


def ends_in(score: Score, start: int = FINITE) -> Counter[int]:
    """How many instances end in each state (see `oddly.lowering.score`) under a prior in this one."""
    found = Counter({start: 1})
    for terms in score.terms:
        grown: Counter[int] = Counter()
        for state, instances in found.items():
            for term in terms:
                grown[state | term.state] += instances
        found = grown
    return found


class _TooCoarse(Exception):
    """Two sums that differ were rounded to one."""


def _listed(score: Score, most: int) -> Sums | None:
    finite_weights = [[abs(t.weight) for t in terms if t.state == FINITE] for terms in score.terms]
    reach = abs(score.start) + sum(max(weights, default=0) for weights in finite_weights)
    many = prod(len(terms) for terms in score.terms) >= 1 << 62
    values: Ints = np.zeros(1, np.int64 if reach < 1 << 62 else object)
    ways: Ints = np.ones(1, object if many else np.int64)
    exact: Ints = np.zeros(1, object)
    for terms in polled(score.terms, "sums"):
        finite = [t for t in terms if t.state == FINITE]
        if not finite:
            return Sums(score, values[:0], ways[:0])
        grown = np.concatenate([values + t.weight for t in finite])
        by_value = np.argsort(grown, kind="stable")
        values = grown[by_value]
        new = np.append(True, values[1:] != values[:-1])
        if score.rounded:
            exact = np.concatenate([exact + t.exact for t in finite])[by_value]
            same = np.flatnonzero(~new)
            if np.any(exact[same] != exact[same - 1]):
                raise _TooCoarse
            exact = exact[new]
        values = values[new]
        if len(values) > most:  # every further attribute adds to the list
            return None
        ways = np.add.reduceat(np.tile(ways, len(finite))[by_value], np.flatnonzero(new))
    return Sums(score, values, ways)
