# SPDX-License-Identifier: Apache-2.0
"""A diagram and a distribution, made ready for a proof about all cards: the weightiest attributes first, in floats.

Where one product of whole numbers weighs the instances, as the uniform distribution does, the floats are whole
numbers too, and nothing is rounded.
"""

from dataclasses import replace
from math import prod

import numpy as np

from oddly.compiler import compile
from oddly.diagram import ODD
from oddly.distribution.joint import Joint
from oddly.distribution.measure import Mixture
from oddly.errors import TooLarge
from oddly.lowering.score import Score
from oddly.questions.scorecard.cases import Unknowns
from oddly.questions.scorecard.endings import Floats, endings, read_backwards
from oddly.questions.scorecard.rows import CardRules
from oddly.questions.scorecard.search import grouped, numbered

ROUNDING = 2.0**-50  # of one step: four times what it is


class Setting:
    """What a proof about all cards looks at."""

    def __init__(self, odd: ODD, measure: Mixture | Joint) -> None:
        odd, measure = _weightiest_first(odd, measure)
        self.whole, (self.odd, self.parts) = _numbers(odd, measure)
        self.ends = endings(self.odd, self.parts, isinstance(measure, Mixture))
        self.rules = CardRules(self.odd, measure, self.ends)
        self.groups = [[grouped(column) for column in level.T] for level in self.odd.levels]
        self.rejected = self._rejected()

    def start(self) -> Floats:
        found = np.zeros((1, 1, len(self.parts), self.odd.widths[0]))
        found[..., self.odd.root] = 1
        return found.reshape(1, 1, -1)

    def step(self, depth: int, value: int, so_far: Floats) -> Floats:
        """How probable the beginnings are one attribute further down, if that has a value."""
        by_class = so_far.reshape(*so_far.shape[:2], len(self.parts), -1)
        by_child, first, children = self.groups[depth][value]
        numbers = np.stack([rows[depth][:, value] for rows, _ in self.parts])
        found = np.zeros((*by_class.shape[:3], self.odd.widths[depth + 1]))
        found[..., children] = np.add.reduceat((by_class * numbers)[..., by_child], first, axis=3)
        return found.reshape(*so_far.shape[:2], -1)

    def slack(self, budget: int) -> float:
        """More than rounding can have moved a bound, which is a sum of positive and negative shares of the whole."""
        if self.whole is not None:
            return 0.0
        sizes = [len(self.parts) * width for width in self.odd.widths]
        groups = [ends.groups for ends in self.ends]
        levels = sum(arity + 20 for arity in self.odd.arities)
        return float(ROUNDING * (levels + max(sizes) + max(groups) + budget * len(self.odd.levels) + 20))

    def _rejected(self) -> float:
        """What the instances that the classifier rejects weigh."""
        so_far = self.start()
        for depth, arity in enumerate(self.odd.arities):
            so_far = np.sum([self.step(depth, value, so_far) for value in range(arity)], axis=0)
        weights = np.array([weight for _, weight in self.parts])
        return float(so_far.reshape(len(self.parts), -1)[:, 0] @ weights)


def _weightiest_first(odd: ODD, measure: Mixture | Joint) -> tuple[ODD, Mixture | Joint]:
    """The same with its attributes in an order in which bounds grow early, where there is one at hand."""
    if isinstance(measure, Joint):
        return odd, measure
    again: ODD | None = odd
    if isinstance(odd.source, Score):
        again = _descending(odd, odd.source)
    elif _heavier_below(odd):
        again = read_backwards(odd)
    if again is None or sorted(again.order) != sorted(odd.order):
        return odd, measure
    places = [odd.order.index(name) for name in again.order]
    products = [replace(p, rows=tuple(p.rows[i] for i in places)) for p in measure.products]
    return again, replace(measure, products=tuple(products))


def _descending(odd: ODD, score: Score) -> ODD | None:
    try:
        return compile(score.model, "descending", impossible=score.impossible, max_nodes=4 * odd.size + 1000)
    except TooLarge:
        return None


def _heavier_below(odd: ODD) -> bool:
    """Whether the last attributes decide more than the first ones."""
    spreads = [(max(row) - min(row)) * len(row) for row in Unknowns.of(odd).positives]
    half = len(spreads) // 2
    return sum(spreads[-half:]) > sum(spreads[:half]) if half else False


def _numbers(odd: ODD, measure: Mixture | Joint) -> tuple[int | None, tuple[ODD, list[tuple[list[Floats], float]]]]:
    """What all instances weigh together, if in whole numbers that floats can hold, and the weights of `numbered`."""
    if isinstance(measure, Mixture):
        products = [p for p in measure.products if p.mass]
        if len(products) == 1:
            rows = products[0].integers()[0]
            whole = prod(int(sum(row)) for row in rows)
            if whole < 1 << 53:
                wide = [
                    np.broadcast_to(row.astype(float), level.shape) for row, level in zip(rows, odd.levels, strict=True)
                ]
                return whole, (odd, [(wide, 1.0)])
    return None, numbered(odd, measure)
