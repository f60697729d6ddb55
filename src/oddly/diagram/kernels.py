# SPDX-License-Identifier: Apache-2.0
"""The compiled passes over diagrams and rows, in the terms of this room."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from oddly import native
from oddly.lowering import AttributeStep
from oddly.lowering.score import Score
from oddly.native import AVAILABLE

if TYPE_CHECKING:
    from oddly.diagram.together import DepthStates

__all__ = ["AVAILABLE", "MOST_CLASSES", "add_up", "all_margins", "combine", "least_leads", "margins", "meet", "walk"]

MOST_CLASSES = native.MOST_CLASSES
_CODES = (np.uint8, np.int8, np.int32, np.int64)


def combine(
    left: Sequence[NDArray[np.uint32]],
    left_root: int,
    right: Sequence[NDArray[np.uint32]],
    right_root: int,
    outcome: NDArray[np.uint8],
    labels: int,
    watch: object,
) -> list[NDArray[np.uint32]]:
    """The levels of the diagram that maps labels (i, j) of two diagrams to outcome[i, j]; its root is 0."""
    left_labels, right_labels = outcome.shape
    flat = np.ascontiguousarray(outcome, np.uint8).ravel()
    return native.kernels.combine(
        list(left), list(right), left_root, right_root, left_labels, right_labels, flat, labels, watch
    )


def margins(
    levels: Sequence[NDArray[np.uint32]], weights: Sequence[Sequence[int | None]], wide: bool
) -> tuple[int | None, int | None]:
    """The least sum of weights to the positive sink and the greatest to the negative one."""
    return native.kernels.margins(list(levels), *_flat(weights), wide)


def all_margins(
    levels: Sequence[NDArray[np.uint32]], weights: Sequence[Sequence[int | None]]
) -> list[NDArray[np.int64]]:
    """The same for every node of every depth, two columns, for sums of 64 bits; beyond ±2^61: no path."""
    return native.kernels.all_margins(list(levels), *_flat(weights))


def meet(
    level: NDArray[np.uint32],
    node: NDArray[np.int64],
    context: NDArray[np.int64],
    alive: NDArray[np.bool_],
    step: AttributeStep,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """One depth of a diagram and its families walked together: children, and the states below; see `together`."""
    level, alive = np.ascontiguousarray(level), np.ascontiguousarray(alive)
    children, node, context, still = native.kernels.meet(level, node, context, alive.view(np.uint8), *step.arrays)
    return children, node, context, still.view(bool)


def least_leads(
    meetings: Sequence["DepthStates"],
    steps: Sequence[AttributeStep],
    ends: NDArray[np.bool_],
    alive: NDArray[np.bool_],
    winner: int,
) -> list[int]:
    """For every class, the least that the winner gains on it on the way to these ends; 2^62 if none is reached."""
    contexts, children = [m.context for m in meetings], [m.children for m in meetings if m.children is not None]
    weights = [step.arrays[1] for step in steps]
    alive = np.ascontiguousarray(alive)
    return native.kernels.least_leads(contexts, children, weights, ends.view(np.uint8), alive.view(np.uint8), winner)


def _flat(weights: Sequence[Sequence[int | None]]) -> tuple[NDArray[np.uint64], NDArray[np.uint8]]:
    flat = [w for ws in weights for w in ws]
    return native.halves([w or 0 for w in flat]), np.array([w is not None for w in flat], np.uint8)


def add_up(codes: NDArray[Any], score: Score, ranks: NDArray[np.intp]) -> NDArray[np.uint8]:
    """The label of each row, from the weights."""
    if len(score.terms) != len(ranks):
        raise ValueError("the score has other attributes than the rows")
    return native.kernels.add_up(
        _fitting(codes),
        ranks.tolist(),
        score.start,
        score.prior.state,
        [[t.weight for t in terms] for terms in score.terms],
        [[t.state for t in terms] for terms in score.terms],
        [max(outcome, 0) for outcome in score.outcomes],
    )


def walk(codes: NDArray[Any], levels: Sequence[NDArray[np.uint32]], ranks: NDArray[np.intp]) -> NDArray[np.uint8]:
    """The label of each row, through the diagram."""
    return native.kernels.walk(_fitting(codes), ranks.tolist(), list(levels))


def _fitting(codes: NDArray[Any]) -> NDArray[Any]:
    """The codes in a type the kernels know."""
    return np.require(codes if codes.dtype in _CODES else codes.astype(np.int64), requirements="A")
