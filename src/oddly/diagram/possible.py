# SPDX-License-Identifier: Apache-2.0
"""Which instances can happen at all?  Those of probability above zero under a model, as a diagram.

An instance is possible iff some class, with some values of the hidden variables that are carried along, leaves no
factor of the model at zero. So a node is the set of those that are still *alive*, with the values that an unfinished factor
still waits for: of a naive Bayes the set of classes still alive. Sets that can no longer die out are one node, and so are
those that have.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.diagram.canonical import canonical
from oddly.lowering.distinct import distinct
from oddly.model import Probabilistic, Variable
from oddly.model.elimination import supports
from oddly.runtime import current, poll, room, stopped

POSSIBLE = ("impossible", "possible")
MOST = 2_000_000
"""States on the way, unless more nodes are allowed."""

Level = NDArray[np.uint32]
Alive = NDArray[np.bool_]
"""[states, parts]: a part is a class, with some values of hidden variables."""
Table = tuple[tuple[int, ...], Alive]
"""A factor's scope, and where it is not zero; the last axis is the parts."""
Context = Mapping[int, NDArray[Any]]
"""Values of attributes above, by depth, one for each state."""


def possible(model: Probabilistic, variables: Sequence[Variable]) -> tuple[tuple[Level, ...], int]:
    """The levels and the root of a diagram over these attributes, labels "impossible" and "possible".

    Cost: a state per set of classes and values waited for, and per value of an attribute; a few in practice.

    >>> from oddly import examples
    >>> levels, root = possible(examples.pregnancy(), examples.pregnancy().variables)
    >>> [len(level) for level in levels]  # nothing is impossible
    [1, 1, 1]
    """
    (_, alive), *tables = _tables(model, variables)
    alive = alive[None]
    if not variables:
        return (), int(alive.any())
    last = {a: max(scope[-1] for scope, _ in tables if a in scope) for scope, _ in tables for a in scope}
    safe, states = _immortal(tables, len(variables), alive.shape[1]), 0
    context: Context = {}
    levels: list[Level] = []
    for k, v in enumerate(variables):
        states += len(alive)
        _check(states, k, len(variables), len(alive) * len(v.values) * (alive.shape[1] + 8 * len(context)))
        values = {a: column[:, None] for a, column in context.items()} | {k: np.arange(len(v.values))[None, :]}
        below = _read(alive, tables, values, k)
        shape = below.shape[:2]
        alive = below.reshape(-1, below.shape[2])
        if k + 1 == len(variables):
            levels.append(np.asarray(alive.any(axis=1), np.uint32).reshape(shape))
            break
        kept = {a: np.broadcast_to(c, shape).reshape(-1) for a, c in values.items() if last.get(a, 0) > k}
        alive, context, which = _states(alive, kept, safe[k + 1])
        levels.append(which.reshape(shape).astype(np.uint32))
    return canonical(levels, 0, len(POSSIBLE), [None] * len(levels))


def _tables(model: Probabilistic, variables: Sequence[Variable]) -> list[Table]:
    """The factors over a diagram's attributes, in its order, their values in its order; the first has no attribute."""
    classifier = model.as_network
    found = []
    for factor in supports(classifier, [v.name for v in variables]):
        table = factor.table != 0
        for axis, attribute in enumerate(factor.scope):
            own = classifier.network.node(variables[attribute].name).variable
            table = table.take([own.index(value) for value in variables[attribute].values], axis)
        found.append((factor.scope, np.asarray(table, bool)))
    return found


def _immortal(tables: Sequence[Table], depths: int, parts: int) -> Alive:
    """By depth, the parts that nothing from there on can rule out."""
    safe = np.ones((depths + 1, parts), bool)
    for scope, table in tables:
        safe[: scope[-1] + 1] &= table.all(axis=tuple(range(len(scope))))
    return safe


def _read(alive: Alive, tables: Sequence[Table], values: Context, k: int) -> Alive:
    """[states, values, parts]: what is alive after an attribute, all factors that it completes being known."""
    found: Alive = np.broadcast_to(alive[:, None, :], (len(alive), values[k].shape[1], alive.shape[1]))
    for scope, table in tables:
        if scope[-1] == k:
            found = found & table[tuple(values[a] for a in scope)]
    return found


def _states(alive: Alive, context: Context, safe: Alive) -> tuple[Alive, Context, NDArray[np.int64]]:
    """The distinct states, and which of them every row is; what is settled waits for nothing."""
    sure: Alive = np.asarray((alive & safe).any(axis=1))
    dead: Alive = ~np.asarray(alive.any(axis=1))
    alive = np.where((dead | sure)[:, None], sure[:, None], alive)
    context = {a: np.where(dead | sure, 0, column) for a, column in context.items()}
    first, which = distinct([*context.values(), *_words(alive)])
    return alive[first], {a: column[first] for a, column in context.items()}, which


def _words(alive: Alive) -> list[NDArray[np.int64]]:
    """The sets as bits, in columns of 64."""
    packed = np.packbits(alive, axis=1)
    wide = np.zeros((len(packed), -(-packed.shape[1] // 8) * 8), np.uint8)
    wide[:, : packed.shape[1]] = packed
    return list(wide.view(np.int64).T)


def _check(states: int, depth: int, depths: int, memory: int) -> None:
    poll("possible", depth, depths)
    room(3 * memory)
    most = current().max_nodes or MOST
    if states > most:
        needed = f"{states:,} states at attribute {depth + 1} of {depths}, to see which inputs are possible"
        raise stopped(needed, f"{most:,}", f"max_nodes={4 * states:_}")
