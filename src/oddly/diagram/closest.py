# SPDX-License-Identifier: Apache-2.0
"""Which instance comes closest to the threshold, among those that have a given value?  For all values at once.

Theorem 2.3 of Chan and Darwiche (2003) needs, for every value of an attribute, the least log-odds of a positive
instance that has it and the greatest of a negative one. The paper puts the attribute first and rebuilds the
diagram. Any order will do: best paths through every edge serve every value of every attribute (`passes.best`).
"""

from oddly.diagram import ODD
from oddly.diagram.passes.best import BestPaths
from oddly.diagram.passes.semirings import least_for
from oddly.lowering.score import FINITE, Score

Instance = tuple[int, ...]
"""The places of its values, attribute by attribute in the diagram's order."""


def closest(odd: ODD, score: Score, label: int) -> list[list[Instance | None]]:
    """By attribute and value: the instance of this label nearest to the threshold; None if there is none.

    Instances that a probability of zero decides are at no distance, and never meant. Cost: O(edges).
    """
    if score.prior.state != FINITE or not odd.levels:
        return [[None] * len(terms) for terms in score.terms]
    sign = 1 if label else -1  # negated, the greatest sum is the least
    weights = [[sign * t.weight if t.state == FINITE else None for t in terms] for terms in score.terms]
    least = least_for(weights)
    best = BestPaths(odd.levels, odd.root, least.at(label, 2), weights, least)
    edges = best.edges()
    instances = iter(map(tuple, best.paths([e for row in edges for e in row if e is not None]).tolist()))
    return [[None if edge is None else next(instances) for edge in row] for row in edges]
