# SPDX-License-Identifier: Apache-2.0
# The compiled kernels; checked against the built module by `make lint`.

from collections.abc import Sequence
from typing import Any

from numpy import int64, uint8, uint32, uint64
from numpy.typing import NDArray

def build(
    start: NDArray[uint64],
    weights: NDArray[uint64],
    arities: Sequence[int],
    wide: bool,
    watch: object,
    patience: int = 8192,
) -> list[NDArray[uint32]]: ...
def widths(
    start: NDArray[uint64],
    weights: NDArray[uint64],
    arities: Sequence[int],
    wide: bool,
    first: int,
    last: int,
    watch: object,
) -> list[int]: ...
def combine(
    left: Sequence[NDArray[uint32]],
    right: Sequence[NDArray[uint32]],
    left_root: int,
    right_root: int,
    left_labels: int,
    right_labels: int,
    outcome: NDArray[uint8],
    labels: int,
    watch: object,
) -> list[NDArray[uint32]]: ...
def margins(
    levels: Sequence[NDArray[uint32]], weights: NDArray[uint64], finite: NDArray[uint8], wide: bool
) -> tuple[int | None, int | None]: ...
def all_margins(
    levels: Sequence[NDArray[uint32]], weights: NDArray[uint64], finite: NDArray[uint8]
) -> list[NDArray[int64]]: ...
def add_up(
    codes: NDArray[Any],
    columns: Sequence[int],
    start: int,
    start_state: int,
    weights: Sequence[Sequence[int]],
    states: Sequence[Sequence[int]],
    outcomes: Sequence[int],
) -> NDArray[uint8]: ...
def walk(codes: NDArray[Any], columns: Sequence[int], levels: Sequence[NDArray[uint32]]) -> NDArray[uint8]: ...
def descend(
    context: NDArray[int64],
    live: NDArray[uint8],
    sums: NDArray[int64],
    following: NDArray[int64],
    weights: NDArray[int64],
    alive: NDArray[uint8],
    least: NDArray[int64],
    lasting: NDArray[uint8],
    strict: NDArray[uint8],
    labels_of: NDArray[int64],
    fallback: int,
    labels: int,
    breaks: Sequence[tuple[int, int, NDArray[int64], NDArray[int64]]] | None,
) -> tuple[NDArray[int64], NDArray[uint8], NDArray[int64], NDArray[uint32]]: ...
def finish(levels: Sequence[NDArray[uint32]], labels: int, root: int) -> list[NDArray[uint32]]: ...
def meet(
    level: NDArray[uint32],
    node: NDArray[int64],
    context: NDArray[int64],
    alive_here: NDArray[uint8],
    following: NDArray[int64],
    weights: NDArray[int64],
    alive: NDArray[uint8],
) -> tuple[NDArray[int64], NDArray[int64], NDArray[int64], NDArray[uint8]]: ...
def least_leads(
    contexts: Sequence[NDArray[int64]],
    children: Sequence[NDArray[int64]],
    weights: Sequence[NDArray[int64]],
    ends: NDArray[uint8],
    alive: NDArray[uint8],
    winner: int,
) -> list[int]: ...
