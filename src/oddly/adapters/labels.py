# SPDX-License-Identifier: Apache-2.0
"""Other libraries' values as the texts a model has: 1, 1.0 and "1" are all written 1."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from oddly.errors import Unsupported
from oddly.learning import is_missing
from oddly.model import MISSING_VALUE


def label(value: Any) -> str:
    """A value as a model writes it, and as rows of data are matched.

    >>> label(1.0), label(True), label(0.5), label(float("nan"))
    ('1', 'True', '0.5', '?')
    """
    value = plain(value)
    if is_missing(value):
        return MISSING_VALUE
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def labels(values: Iterable[Any], where: str) -> tuple[str, ...]:
    """The texts of several values, which must stay apart as texts."""
    found: dict[str, Any] = {}
    for value in values:
        text = label(value)
        if text in found:
            raise Unsupported(f"{where}: {found[text]!r} and {plain(value)!r} are both written {text!r}")
        found[text] = plain(value)
    return tuple(found)


def plain(value: Any) -> Any:
    """A NumPy scalar as the Python value it stands for."""
    return value.item() if isinstance(value, np.generic) else value
