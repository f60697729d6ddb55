# SPDX-License-Identifier: Apache-2.0
"""One sweep over a diagram, for every kind of number: up from the sinks, down from the root, through every edge.

`semirings` says what numbers are added up with where paths meet and multiplied with along them, `digits` has whole
numbers of any size, `sweep` is the walk over the levels, and `best` names the paths that a least sum takes.
"""

from oddly.diagram.passes.best import BestPaths, second_least, tied_paths, tight
from oddly.diagram.passes.semirings import (
    FLOATS,
    MAX_PLUS,
    MAX_TIMES,
    MIN_PLUS,
    SOME,
    WHOLES,
    Ints,
    Levels,
    Numbers,
    Rows,
    Semiring,
    System,
    Weights,
    least_for,
)
from oddly.diagram.passes.sweep import (
    by_depth,
    count,
    counts_for,
    down,
    edge_sums,
    path_sums,
    sums_for,
    through,
    up,
    value_counts,
    value_sums,
    walk,
)

__all__ = [
    "FLOATS",
    "MAX_PLUS",
    "MAX_TIMES",
    "MIN_PLUS",
    "SOME",
    "WHOLES",
    "BestPaths",
    "Ints",
    "Levels",
    "Numbers",
    "Rows",
    "Semiring",
    "System",
    "Weights",
    "by_depth",
    "count",
    "counts_for",
    "down",
    "edge_sums",
    "least_for",
    "path_sums",
    "second_least",
    "sums_for",
    "through",
    "tied_paths",
    "tight",
    "up",
    "value_counts",
    "value_sums",
    "walk",
]
