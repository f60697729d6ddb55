# SPDX-License-Identifier: Apache-2.0
"""A combination of features as a diagram.

It is made from the top down: a node is what remains of the expression once the attributes above are known.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from oddly.algebra.expressions import Expression, Feature, Some, expression
from oddly.diagram import ODD
from oddly.diagram.canonical import canonical
from oddly.errors import UnknownName
from oddly.model import Variable
from oddly.runtime import LimitArguments, current, limited, poll, stopped

MOST = 1_000_000
"""Nodes of an expression's diagram, unless more are allowed."""


def expression_diagram(
    features: str | Expression, over: Any, order: Sequence[str] | None = None, **limits: Unpack[LimitArguments]
) -> ODD:
    """A combination of features as a diagram, to count, to draw and to combine with others.

    `over` is a diagram or a model, whose order it takes and, of two, whose labels; or variables, with labels "no"
    and "yes". Attributes that are not mentioned do not matter.

    >>> import oddly
    >>> expression_diagram("U=+ve or (B=+ve and S=-ve)", oddly.examples.pregnancy())
    ODD: 8 nodes over 8 instances of U, B, S: 5 yes, 3 no
    """
    with limited(limits):
        variables = tuple(getattr(over, "variables", over))
        columns = list(over.columns) if isinstance(over, ODD) else [v.name for v in variables]
        variables = _arranged(variables, order)
        labels = tuple(getattr(over, "labels", ()))
        labels = labels if len(labels) == 2 else ("no", "yes")
        tree = expression(features, variables) if isinstance(features, str) else features
        levels, root = _built(tree, variables)
        places = tuple(columns.index(v.name) for v in variables)
        return ODD(variables, labels, levels, root, places)


def _arranged(variables: Sequence[Variable], order: Sequence[str] | None) -> tuple[Variable, ...]:
    by_name = {v.name: v for v in variables}
    if order is None:
        return tuple(variables)
    for name in [*order, *by_name]:
        if name not in by_name or list(order).count(name) != 1:
            raise UnknownName(f"order: expected each of {', '.join(by_name)} once; {name} is not")
    return tuple(by_name[name] for name in order)


def _built(tree: Expression, variables: Sequence[Variable]) -> tuple[tuple[NDArray[np.uint32], ...], int]:
    """From the top down, a node per remainder; then nodes that decide alike become one."""
    rest = _Remainders({v.name: k for k, v in enumerate(variables)})
    states = [rest.of(tree)]
    size, levels, most = 0, [], current().max_nodes or MOST
    for k, v in enumerate(variables):
        last = k == len(variables) - 1
        number = {0: 0, 1: 1} if last else {}
        rows = [[rest.after(state, k, value) for value in range(len(v.values))] for state in states]
        levels.append(np.array([[number.setdefault(s, len(number)) for s in row] for row in rows], np.uint32))
        states = list(number)
        size += len(rows)
        poll("features", k + 1, len(variables))
        if size > most:
            where = f"{size:,} nodes at attribute {k + 1} of {len(variables)}"
            raise stopped(where, "", "another order=", f"max_nodes={4 * most:_}")
    return canonical(levels, 0 if levels else states[0], 2, [None] * len(levels))


class _Remainders:
    """Expressions by number, equal ones sharing theirs: 0 never holds, 1 always does."""

    def __init__(self, depth: Mapping[str, int]) -> None:
        self.depth = depth
        self.parts: list[Any] = [None, None]
        """(depth, allowed values) of a feature, or (absorbing number, numbers of its parts): 0 for all, 1 for some."""
        self.top = [len(depth), len(depth)]
        """The least depth that each mentions."""
        self.numbers: dict[Any, int] = {}
        self.known: dict[tuple[int, int], int] = {}

    def of(self, tree: Expression) -> int:
        if isinstance(tree, Feature):
            return self._feature(self.depth[tree.variable.name], tree.allowed)
        return self._joined(int(isinstance(tree, Some)), [self.of(part) for part in tree.parts])

    def after(self, number: int, depth: int, value: int) -> int:
        """What remains once the attribute of the least depth is known."""
        if self.top[number] > depth:
            return number
        if (number, value) not in self.known:
            kind, parts = self.parts[number]
            if kind == "feature":
                found = int(parts[1][value])
            else:
                found = self._joined(kind, [self.after(part, depth, value) for part in parts])
            self.known[number, value] = found
        return self.known[number, value]

    def _joined(self, absorbing: int, numbers: Sequence[int]) -> int:
        """All of them, or some of them: features of one attribute become one, equal parts too."""
        allowed: dict[int, tuple[bool, ...]] = {}
        others: set[int] = set()
        for number in numbers:
            if number == absorbing:
                return absorbing
            kind, parts = self.parts[number] if number > 1 else (absorbing, ())
            for part in parts if kind == absorbing else [number]:
                if self.parts[part][0] != "feature":
                    others.add(part)
                    continue
                depth, values = self.parts[part][1]
                with_it = zip(allowed.get(depth, values), values, strict=True)
                allowed[depth] = tuple((a or b) if absorbing else (a and b) for a, b in with_it)
        merged = [self._feature(depth, values) for depth, values in allowed.items()]
        if absorbing in merged:
            return absorbing
        found = frozenset([*others, *merged]) - {1 - absorbing}
        if len(found) < 2:
            return next(iter(found), 1 - absorbing)
        return self._number((absorbing, found), min(self.top[part] for part in found))

    def _feature(self, depth: int, allowed: tuple[bool, ...]) -> int:
        if all(allowed) or not any(allowed):
            return int(allowed[0])
        return self._number(("feature", (depth, allowed)), depth)

    def _number(self, parts: Any, top: int) -> int:
        if parts not in self.numbers:
            self.numbers[parts] = len(self.parts)
            self.parts.append(parts)
            self.top.append(top)
        return self.numbers[parts]
