# SPDX-License-Identifier: Apache-2.0
"""Which attributes depend on which, given the class: a tree (TAN) or up to k parents each (KDB).

TAN is Friedman, Geiger and Goldszmidt (1997): the maximum spanning tree of the conditional mutual information. KDB is
Sahami (1996): attributes in the order of what they say about the class, each with the k before it that say most about
it. Informations that agree to ten digits are equal, and the earlier column wins: rounding does not choose.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.learning.source import Coding, Counts, TableSource
from oddly.runtime import polled, stopped

DIGITS = 10
MOST_PAIRS = 1 << 22
"""Of two attributes' values; more are hardly learned from any data."""

Parents = list[tuple[int, ...]]
"""By attribute: the places of its parents among the attributes, rising."""


def tan(source: TableSource, codings: Sequence[Coding]) -> Parents:
    """A tree over the attributes, its root the first; an arc that would say nothing is left out.

    It grows from the root by the best arc out of it (Prim); what no arc reaches begins a tree of its own.
    """
    information = conditional_information(source, codings)

    def rank(i: int, j: int) -> tuple[float, int, int]:
        return -information[i, j], min(i, j), max(i, j)

    parents: Parents = [()] * len(codings)
    waiting = list(range(len(codings)))
    while waiting:
        at = min((j for j in waiting if parents[j]), key=lambda j: rank(parents[j][0], j), default=waiting[0])
        waiting.remove(at)
        for j in waiting:
            if information[at, j] > 0 and (not parents[j] or rank(at, j) < rank(parents[j][0], j)):
                parents[j] = (at,)
    return parents


def kdb(source: TableSource, codings: Sequence[Coding], tables: Sequence[Counts], k: int) -> Parents:
    """Up to k parents for each attribute, among those that say more about the class than it does."""
    n = len(codings)
    about_class = [information(table) for table in tables]
    between = conditional_information(source, codings) if k else np.zeros((n, n))
    parents: Parents = [()] * n
    before: list[int] = []
    for i in sorted(range(n), key=lambda i: (-about_class[i], i)):
        best = sorted(before, key=lambda j: (-between[i, j], j))[:k]
        parents[i] = tuple(sorted(j for j in best if between[i, j] > 0))
        before.append(i)
    return parents


def conditional_information(source: TableSource, codings: Sequence[Coding]) -> NDArray[np.float64]:
    """I(X; Y | class) in bits for every two attributes, from the rows where both are known."""
    n = len(codings)
    found = np.zeros((n, n))
    for one, other in combinations(codings, 2):
        if (pairs := len(one.values) * len(other.values)) > MOST_PAIRS:
            needed = f"columns {one.name} and {other.name}: {pairs:,} pairs of values"
            raise stopped(needed, f"{MOST_PAIRS:,}", "one without the other", "bins= for one of them")
    for i, j in polled(list(combinations(range(n), 2)), "pairs of columns"):
        counts = source.joint([codings[i], codings[j]])
        total = max(int(counts.sum()), 1)
        found[i, j] = found[j, i] = round(sum(_of_table(table) for table in counts) / total, DIGITS)
    return found


def information(counts: Counts) -> float:
    """I(X; Y) in bits, of a table of counts."""
    return float(round(_of_table(counts) / max(int(counts.sum()), 1), DIGITS))


def _of_table(counts: NDArray[Any]) -> float:
    """The mutual information of a table's rows and columns, times its total."""
    row, column = counts.sum(axis=1, keepdims=True), counts.sum(axis=0, keepdims=True)
    seen = counts > 0
    if not seen.any():
        return 0.0
    ratio = (counts * float(counts.sum()))[seen] / (row * column.astype(np.float64))[seen]
    return float((counts[seen] * np.log2(ratio)).sum())
