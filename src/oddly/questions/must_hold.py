# SPDX-License-Identifier: Apache-2.0
"""Which features must hold of every instance that is decided so?

A combination of features is itself a diagram, made from the top down: a node is what remains of the expression once
the attributes above are known. The instances that break the rule are then the product of two diagrams.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.algebra.combine import combine
from oddly.algebra.expressions import Expression, Feature, Some, expression
from oddly.answers import Answer, as_features
from oddly.compiler import as_diagram
from oddly.diagram import ODD
from oddly.diagram.canonical import canonical
from oddly.distribution.listing import instances
from oddly.distribution.measure import Probability, measure_of, probability_of, shown
from oddly.engine import Progress
from oddly.errors import TooLarge, UnknownName
from oddly.model import Variable

EXCEPTION = "exception"
MOST = 1_000_000  # nodes of an expression's diagram, unless told otherwise


@dataclass(frozen=True, repr=False)
class Verdict(Answer):
    """Whether all instances of a decision satisfy an expression, and which do not."""

    holds: bool
    label: str
    expression: str
    instances: int
    """How many are decided so."""
    count: int
    """How many of these do not satisfy it."""
    under: str
    """The distribution of the probabilities."""
    probability: Probability
    """Of an instance that is decided so and does not satisfy it."""
    example: Mapping[str, str] | None
    """The most probable of these."""
    _exceptions: ODD = field(compare=False)

    @property
    def exceptions(self) -> ODD:
        """All of them, as a diagram with the labels "fine" and "exception"."""
        return self._exceptions

    def verdict(self) -> bool:
        return self.holds

    def sentence(self) -> str:
        """The verdict, its scope, and the exceptions with the most probable one."""
        if not self.instances:
            return f"Holds: no instance is decided {self.label}."
        some = f"{self.instances:,} instance{'' if self.instances == 1 else 's'} decided {self.label}"
        if self.holds:
            return f"Holds: {'the' if self.instances == 1 else 'all'} {some} satisfy {self.expression}."
        return (
            f"Does not hold: of {some}, {self.count:,} {'does' if self.count == 1 else 'do'} not satisfy {self.expression} (probability "
            f"{shown(self.probability)} under {self.under}). For example {as_features(self.example or {})}."
        )

    def to_json(self) -> dict[str, Any]:
        """The fields; counts of instances as decimal strings."""
        return {**super().to_json(), "instances": str(self.instances), "count": str(self.count)}


def must_hold(
    odd_or_model: Any,
    label: str,
    features: str | Expression | ODD,
    *,
    under: Any = None,
    max_nodes: int | None = None,
    max_memory: int | None = None,
    progress: Progress | None = None,
) -> Verdict:
    """Do all instances that are decided `label` satisfy this combination of features?

    The features are written as in `U=+ve or (B=+ve and S=-ve)` (`oddly.algebra.expressions` has the grammar), or
    given as a diagram whose last label stands for yes. `under` says which distribution weighs the exceptions, as in
    `oddly.count`. Cost: one node per reachable pair of the two diagrams' nodes; an expression's own diagram is small.

    >>> import oddly
    >>> must_hold(oddly.examples.pregnancy(), "yes", "S=+ve or (U=+ve and B=+ve)")
    Holds: all 5 instances decided yes satisfy S=+ve or (U=+ve and B=+ve).
    >>> must_hold(oddly.examples.pregnancy(), "yes", "S=+ve")
    Does not hold: of 5 instances decided yes, 1 does not satisfy S=+ve (probability 0.04211 under the model).
    For example U=+ve, B=+ve, S=-ve.
    """
    limits: dict[str, Any] = {"max_nodes": max_nodes, "max_memory": max_memory, "progress": progress}
    odd = as_diagram(odd_or_model, **limits)
    place = odd.label_index(label)
    rule = features if isinstance(features, ODD) else expression_diagram(features, odd, max_nodes=max_nodes or MOST)
    told = "the given diagram" if isinstance(features, ODD) else str(features).strip()
    yes = len(rule.labels) - 1
    exceptions = combine(
        odd,
        rule,
        lambda ours, theirs: int(ours == place and theirs != yes),
        ["fine", EXCEPTION],
        **limits,
    )
    own = under is None or (isinstance(under, str) and under == "model")
    measure = measure_of(odd, under, exceptions.variables) if own else measure_of(exceptions, under)
    count = exceptions.count(EXCEPTION)
    example = None
    if count:
        found = [next(instances(exceptions, EXCEPTION, by), None) for by in (measure, "uniform")]
        example = next(instance for instance, _ in filter(None, found))
    decided = odd.count(label) * exceptions.instances // odd.instances
    weight = probability_of(exceptions, EXCEPTION, measure)
    return Verdict(count == 0, label, told, decided, count, measure.name, weight, example, exceptions)


# ---- an expression as a diagram ----


def expression_diagram(
    features: str | Expression,
    over: Any,
    order: Sequence[str] | None = None,
    *,
    max_nodes: int = MOST,
) -> ODD:
    """A combination of features as a diagram, to count, to draw and to combine with others.

    `over` is a diagram or a model, whose order it takes and, of two, whose labels; or variables, with labels "no"
    and "yes". Attributes that are not mentioned do not matter. `max_nodes` stops with TooLarge.

    >>> import oddly
    >>> expression_diagram("U=+ve or (B=+ve and S=-ve)", oddly.examples.pregnancy())
    ODD: 8 nodes over 8 instances of U, B, S: 5 yes, 3 no
    """
    variables = tuple(getattr(over, "variables", over))
    columns = list(over.columns) if isinstance(over, ODD) else [v.name for v in variables]
    variables = _arranged(variables, order)
    labels = tuple(getattr(over, "labels", ()))
    labels = labels if len(labels) == 2 else ("no", "yes")
    tree = expression(features, variables) if isinstance(features, str) else features
    levels, root = _built(tree, variables, max_nodes)
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


def _built(
    tree: Expression, variables: Sequence[Variable], max_nodes: int
) -> tuple[tuple[NDArray[np.uint32], ...], int]:
    """From the top down, a node per remainder; then nodes that decide alike become one."""
    rest = _Remainders({v.name: k for k, v in enumerate(variables)})
    states = [rest.of(tree)]
    size, levels = 0, []
    for k, v in enumerate(variables):
        last = k == len(variables) - 1
        number = {0: 0, 1: 1} if last else {}
        rows = [[rest.after(state, k, value) for value in range(len(v.values))] for state in states]
        levels.append(np.array([[number.setdefault(s, len(number)) for s in row] for row in rows], np.uint32))
        states = list(number)
        size += len(rows)
        if size > max_nodes:
            raise TooLarge(
                f"{size:,} nodes at attribute {k + 1} of {len(variables)}.  Try another order=, or max_nodes={4 * max_nodes:_}."
            )
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
