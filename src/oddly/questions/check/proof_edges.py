# SPDX-License-Identifier: Apache-2.0
"""A distribution as a certificate holds it: a diagram of its own, with a whole number on every edge.

At each attribute, in a diagram's order, a state and a value lead to states, each with a weight; the start is "". An
instance weighs the sum over its paths of the products of their weights, and is as probable as its share of what all
weigh. Of a naive Bayes model the states are its classes. Of a network they are what must be remembered of the values
above, with the class. Of rows they are how rows begin, and the last weight is how many are alike.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np

from oddly.diagram import ODD
from oddly.distribution.masses import Part, parts
from oddly.distribution.measure import DataRows, Measure
from oddly.model import Variable

START = ""
Edge = tuple[int, str, str, str, int]
"""The depth, a state, a value; where it leads, and the weight."""


def edges(measure: Measure, variables: Sequence[Variable]) -> dict[str, dict[str, dict[str, list[Any]]]]:
    """By attribute, state and value: the states that follow, with their weights.

    >>> import oddly
    >>> from oddly.distribution.measure import measure_of
    >>> odd = oddly.compile(oddly.examples.pregnancy())
    >>> edges(measure_of(odd, [{"U": "+ve", "B": "-ve", "S": "+ve"}]), odd.variables)
    {'B': {'': {'-ve': [['1', 1]]}}, 'U': {'1': {'+ve': [['1', 1]]}}, 'S': {'1': {'+ve': [['', 1]]}}}
    """
    found: dict[str, dict[str, dict[str, list[Any]]]] = {v.name: {} for v in variables}
    listed = _of_rows(measure, variables) if isinstance(measure, DataRows) else _of_parts(measure, variables)
    for depth, state, value, following, weight in listed:
        by_value = found[variables[depth].name].setdefault(state, {})
        by_value.setdefault(value, []).append([following, weight])
    return found


def _of_rows(table: DataRows, variables: Sequence[Variable]) -> Iterator[Edge]:
    """As many states as there are beginnings of rows."""
    rows, counts = table.tallied()
    before = [START] * len(rows)
    for depth, v in enumerate(variables):
        last = depth == len(variables) - 1
        _, first, place = np.unique(rows[:, : depth + 1], axis=0, return_index=True, return_inverse=True)
        after = [START if last else str(number + 1) for number in place.reshape(-1).tolist()]
        for row in first.tolist():
            yield depth, before[row], v.values[rows[row, depth]], after[row], int(counts[row]) if last else 1
        before = after


def _of_parts(measure: Any, variables: Sequence[Variable]) -> Iterator[Edge]:
    """A path of its own for each term of the sum that a distribution is."""
    zeros = tuple(np.zeros((1, len(v.values)), np.uint32) for v in variables)
    terms = list(parts(ODD(tuple(variables), ("anything",), zeros, 0, tuple(range(len(zeros)))), measure, exact=True))
    scale = lcm(*(term.weight.denominator for term in terms))
    for number, term in enumerate(terms, start=1):
        yield from _of_part(term, variables, str(number), term.weight * scale)


def _of_part(part: Part, variables: Sequence[Variable], number: str, weight: Fraction) -> Iterator[Edge]:
    for depth, (v, level, row) in enumerate(zip(variables, part.odd.levels, part.rows, strict=True)):
        here, last = np.broadcast_to(row, level.shape), depth == len(variables) - 1
        for node, place in zip(*np.nonzero(here), strict=True):
            state = f"{number}.{node}" if depth else START
            following = START if last else f"{number}.{level[node, place]}"
            yield depth, state, v.values[place], following, int(here[node, place]) * (1 if depth else int(weight))
