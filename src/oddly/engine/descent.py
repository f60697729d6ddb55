# SPDX-License-Identifier: Apache-2.0
"""Families become a diagram in C++: the arrays of `frontier`, faster."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly import native
from oddly.engine.breakpoints import Breakpoints
from oddly.engine.compiled import too_long
from oddly.engine.frontier import Growth, Ints, States
from oddly.engine.two_ended import Level
from oddly.lowering import Families
from oddly.runtime import Watch


def fits(families: Families) -> bool:
    """Whether the kernels can hold the sums and the classes."""
    return families.kind == np.int64 and families.classes <= native.MOST_CLASSES


def build(families: Families, watch: Watch) -> tuple[list[Level], int]:
    """As `frontier.build`, for families that fit."""
    with too_long():
        rows, root = _Growth(families, watch).levels()
        levels = native.kernels.finish(rows, len(families.labels), root) if rows else []
    for level in levels:
        watch.nodes(len(level))
    return levels, 0 if rows else root


class _Growth(Growth):
    """Every state by itself, found again through a table; breakpoints are grown as ever."""

    def descend(self, depth: int, states: States, breaks: list[Breakpoints] | None = None) -> tuple[States, Ints]:
        step, reach = self.steps[depth], self.reach
        context, live, sums, rows = native.kernels.descend(
            *_arrays(states),
            *step.arrays,
            reach.least[depth + 1],
            _bytes(reach.lasting[depth + 1]),
            reach.strict.astype(np.uint8),
            np.array(self.families.labels_of),
            self.families.fallback,
            self.labels,
            None if breaks is None else self._by_pair(breaks),
        )
        return States(context, live.view(bool), sums), rows

    def _by_pair(self, breaks: Sequence[Breakpoints]) -> list[tuple[int, int, NDArray[np.int64], NDArray[np.int64]]]:
        return [(i, j, b.numbers, b.starts) for (i, j), b in zip(self.pairs, breaks, strict=True)]


def _arrays(states: States) -> tuple[NDArray[np.int64], NDArray[np.uint8], Any]:
    return states.context, _bytes(states.live), np.ascontiguousarray(states.sums)


def _bytes(flags: NDArray[np.bool_]) -> NDArray[np.uint8]:
    return np.ascontiguousarray(flags).view(np.uint8)
