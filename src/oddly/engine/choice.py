# SPDX-License-Identifier: Apache-2.0
"""By sums, or instance by instance?  Sums serve unless a class is held against several others at once, or hidden
variables tie so much together that a table of all instances is the smaller one."""

from math import prod

from oddly.engine.table import fits
from oddly.lowering import Families, Outline, lowered
from oddly.lowering.score import Score
from oddly.model import Model, NaiveBayes, NetworkClassifier
from oddly.model.contraction import MOST_ENTRIES
from oddly.model.elimination import class_blocks

LARGE = 1 << 13  # entries of a family; each costs a logarithm
SMALL = 1 << 22  # instances that a table decides in seconds


def needs_table(model: Model) -> bool:
    """Whether instances are to be decided one by one."""
    if not isinstance(model, NaiveBayes | NetworkClassifier):
        return False
    if model.positive is not None and len(model.class_values) > 2:
        return True  # against all others together: no comparison of two sums
    if isinstance(model, NaiveBayes):
        return False
    arities = [len(v.values) for v in model.variables]
    largest = max((prod(arities[i] for i in scope) for scope in _scopes(model)), default=1)
    return (largest > LARGE and fits(model, SMALL)) or (largest > MOST_ENTRIES // 2 and fits(model))


def outline(model: NaiveBayes | NetworkClassifier) -> Score | Families | Outline:
    """What an order can go by where there are no sums: at least, which attributes are tied together."""
    if isinstance(model, NaiveBayes):
        return lowered(model.replace(positive=None))
    return Outline(model.variables, tuple(_scopes(model)))


def _scopes(model: NetworkClassifier) -> list[tuple[int, ...]]:
    """The attributes of each block that bears on the class."""
    found = []
    for block in class_blocks(model):
        names = {name for potential in block for name in potential.names}
        found.append(tuple(i for i, name in enumerate(model.attributes) if name in names))
    return [scope for scope in found if scope]
