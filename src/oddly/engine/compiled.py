# SPDX-License-Identifier: Apache-2.0
"""The two-ended algorithm in C++: the arrays of `two_ended`, faster."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from oddly import native
from oddly.engine.two_ended import Level
from oddly.errors import TooLarge
from oddly.runtime import Watch


def build(start: int, weights: Sequence[Sequence[int]], watch: Watch) -> tuple[list[Level], int]:
    """As `two_ended.build`, for at least one attribute and sums below 2^124."""
    with too_long():
        return native.kernels.build(*_arguments(start, weights), watch), 0


def widths(start: int, weights: Sequence[Sequence[int]], first: int, last: int, watch: Watch) -> list[int]:
    """The widths of the levels first..last; those of other levels may read 0."""
    with too_long():
        return native.kernels.widths(*_arguments(start, weights), first, last, watch)


@contextmanager
def too_long() -> Iterator[None]:
    """The kernels number what they find in 32 bits."""
    try:
        yield
    except ValueError as error:
        if "2^32" not in str(error):
            raise
        raise TooLarge(f"{error}.  Try order=oddly.best_of(100).") from None


def _arguments(
    start: int, weights: Sequence[Sequence[int]]
) -> tuple[NDArray[np.uint64], NDArray[np.uint64], list[int], bool]:
    reach = abs(start) + sum(max(map(abs, ws)) for ws in weights)
    flat = native.halves([w for ws in weights for w in ws])
    return native.halves([start]), flat, [len(ws) for ws in weights], reach >= 1 << 61
