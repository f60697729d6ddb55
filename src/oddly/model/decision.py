# SPDX-License-Identifier: Apache-2.0
"""What every model says about its decision: the positive label, the other one, and where a tie goes."""

from typing import Literal, get_args

from oddly.errors import ModelError, UnknownValue
from oddly.model.variable import Variable

Ties = Literal["positive", "negative"]


def checked_positive(positive: str | None, target: Variable) -> str | None:
    """The positive value: the first of two if none is named, None for "the most probable of many"."""
    if positive is None:
        return target.values[0] if len(target.values) == 2 else None
    if positive not in target.values:
        raise UnknownValue.of(target.name, positive, target.values, "positive")
    return positive


def checked_ties(ties: str) -> Ties:
    for known in get_args(Ties):
        if ties == known:
            return known  # type: ignore[no-any-return]
    raise ModelError(f"ties: expected 'positive' or 'negative', found {ties!r}")


def two_labels(positive: str, values: tuple[str, ...]) -> tuple[str, str]:
    """(negative, positive): the other value's name where there is only one other."""
    others = [v for v in values if v != positive]
    return (others[0] if len(others) == 1 else f"not {positive}", positive)
