# SPDX-License-Identifier: Apache-2.0
"""Answers that speak: a sentence as `repr`, the verdict as truth value, and JSON for programs."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from fractions import Fraction
from math import isfinite
from typing import Any

import numpy as np

from oddly.model.numbers import written


@dataclass(frozen=True, repr=False)
class Answer(ABC):
    """What a question returns. A subclass says its `sentence`, and its `verdict` where it has one."""

    @abstractmethod
    def sentence(self) -> str:
        """The answer in words: verdict, scope, size, one example, what would change it."""

    def verdict(self) -> bool:
        """Whether what was asked holds; an answer that is no yes or no is always true."""
        return True

    def to_json(self) -> dict[str, Any]:
        """The public fields, as json.dumps takes them; counts are decimal strings."""
        return {f.name: as_json(getattr(self, f.name)) for f in fields(self) if not f.name.startswith("_")}

    def __repr__(self) -> str:
        return self.sentence()

    def __bool__(self) -> bool:
        return self.verdict()


def as_json(value: Any) -> Any:
    """A value as JSON: exact fractions as text, infinities as null, whole numbers beyond 2^53 as text."""
    if isinstance(value, Answer):
        return value.to_json()
    if isinstance(value, bool | str) or value is None:
        return value
    if isinstance(value, Fraction):
        return written(value)
    if isinstance(value, int | np.integer):
        return int(value) if abs(int(value)) < 1 << 53 else str(int(value))
    if isinstance(value, float | np.floating):
        return float(value) if isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(k): as_json(v) for k, v in value.items()}
    if isinstance(value, np.ndarray):
        return [as_json(v) for v in value.tolist()]
    if isinstance(value, Sequence):
        return [as_json(v) for v in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: as_json(getattr(value, f.name)) for f in fields(value) if not f.name.startswith("_")}
    raise TypeError(f"no JSON for {type(value).__name__}")


def of_instances(count: int, total: int) -> str:
    """A count in its scope, as a person would say it.

    >>> of_instances(0, 8), of_instances(8, 8), of_instances(5, 8)
    ('none of 8 instances', 'all 8 instances', '5 of 8 instances')
    """
    if total == 1:
        return "the only instance" if count else "no instance"
    if count == 0:
        return f"none of {total:,} instances"
    return f"all {total:,} instances" if count == total else f"{count:,} of {total:,} instances"


def as_features(instance: Mapping[str, str]) -> str:
    """An instance in the user's own words.

    >>> as_features({"U": "+ve", "B": "-ve"})
    'U=+ve, B=-ve'
    """
    return ", ".join(f"{name}={value}" for name, value in instance.items())
