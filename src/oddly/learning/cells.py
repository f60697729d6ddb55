# SPDX-License-Identifier: Apache-2.0
"""One cell of a table: its text, whether it is missing, whether it is a number."""

import re
from decimal import Decimal
from math import isnan
from typing import Any

import numpy as np

MISSING = ("", "?")
"""The texts that say a cell is empty, once the spaces around them are gone."""

_NUMBER = re.compile(r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|inf(?:inity)?)", re.ASCII | re.IGNORECASE)


def is_missing(value: object) -> bool:
    """Whether a cell is empty, in the ways that tables say so: None, NaN, pandas' NA and NaT."""
    return (
        value is None
        or type(value).__name__ in ("NAType", "NaTType")
        or (isinstance(value, float | np.floating) and bool(value != value))
        or (isinstance(value, np.datetime64 | np.timedelta64) and bool(np.isnat(value)))
    )


def text_of(value: object) -> str | None:
    """A cell as a label, None if it is missing. A float is its shortest decimal, a whole one without a point.

    >>> text_of(" x "), text_of(1.0), text_of(True), text_of(np.float32(0.1)), text_of("?"), text_of(float("nan"))
    ('x', '1', 'True', '0.1', None, None)
    >>> text_of(1e17), text_of(-0.0), text_of(b"x")
    ('100000000000000000', '0', 'x')
    """
    if type(value) is str:  # by far the most
        text = value.strip()
        return None if text in MISSING else text
    if is_missing(value):
        return None
    if isinstance(value, float | np.floating) and value.is_integer():
        return str(int(Decimal(str(value))))  # not int(value): 1e23 is not what its nearest float is
    if isinstance(value, bytes):
        value = value.decode(errors="replace")
    text = str(value).strip()
    return None if text in MISSING else text


def natural(value: str) -> tuple[Any, ...]:
    """A sorting key that puts 2 before 10, in numbers and in names that contain them."""
    try:
        number = float(value)
    except ValueError:
        number = float("nan")
    if not isnan(number):
        return (0, number, value)
    return (1, [(int(p), "") if p.isdecimal() else (-1, p) for p in re.split(r"(\d+)", value)], value)


def is_number(text: str) -> bool:
    """Whether a text is a decimal number, as measurements are written; a fraction such as 1/2 reads as a label.

    >>> is_number("-1.5e3"), is_number("1/2"), is_number("3b")
    (True, False, False)
    """
    return _NUMBER.fullmatch(text) is not None
