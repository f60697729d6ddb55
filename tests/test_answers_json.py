# SPDX-License-Identifier: Apache-2.0
"""JSON by types: what each type is told as, whatever the value."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal, NotRequired, TypedDict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddly.answers import UNTOLD, As, Count, JsonName, Rounded, TypedJson, Unbounded, as_json, told

SIZES = [0, 1, 2**53 - 1, 2**53, 10**40]


@dataclass(frozen=True)
class Inner:
    kind: ClassVar[Literal["inner"]] = "inner"
    share: Annotated[Fraction, "a comment"]


@dataclass(frozen=True)
class Whole(TypedJson):
    count: Count
    others: Annotated[tuple[str, ...], JsonName("any")]
    chance: Rounded | None
    parts: Mapping[str, Inner | None]
    diagram: Annotated[Any, UNTOLD] = None
    _secret: int = field(default=0)

    @property
    @told
    def half(self) -> float:
        return self.count / 2

    @cached_property
    @told
    def pairs(self) -> tuple[tuple[str, Count], ...]:
        return tuple((name, len(name)) for name in self.others)

    @told
    def _listed(self) -> list[int]:
        return [1, 2]

    @property
    def not_told(self) -> int:
        raise AssertionError("nobody asked")


class Entries(TypedDict):
    size: int
    more: NotRequired[Count]


def test_an_object_is_told_by_its_public_fields_and_what_is_marked():
    whole = Whole(6, ("a", "bc"), Fraction(1, 3), {"x": Inner(Fraction(1, 4)), "y": None}, diagram=object())
    assert whole.to_json() == {
        "count": "6",
        "any": ["a", "bc"],
        "chance": 1 / 3,
        "parts": {"x": {"kind": "inner", "share": "0.25"}, "y": None},
        "half": 3.0,
        "pairs": [["a", "1"], ["bc", "2"]],
        "listed": [1, 2],
    }
    assert whole.to_json(exact=True)["chance"] == "1/3"
    assert whole.to_json(listed=[7])["listed"] == [7]


@pytest.mark.parametrize("size", SIZES)
def test_the_type_decides_and_not_the_size(size):
    assert as_json(size, Count) == str(size)
    assert as_json(size, int) == size
    assert type(as_json(size, int)) is int
    assert as_json({"a": size}, Mapping[str, Count | None]) == {"a": str(size)}
    assert as_json(Fraction(size), Fraction) == str(size)
    assert type(as_json(Fraction(size), Rounded)) is float


def test_infinities_are_null_and_no_number_of_numpy_is_left():
    assert as_json((float("inf"), -float("inf"), 0.5), tuple[Unbounded, ...]) == [None, None, 0.5]
    assert as_json(Fraction(10**400), Rounded) is None
    counts = Annotated[Any, As(tuple[Count, ...], list)]
    assert json.dumps(as_json(np.array([1, 2]), counts)) == '["1", "2"]'
    assert json.dumps(as_json([np.int64(3), np.float64(0.5)], tuple[int, float])) == "[3, 0.5]"


def test_an_entry_that_need_not_be_there_may_be_missing():
    assert as_json({"size": 1}, Entries) == {"size": 1}
    assert as_json({"size": 1, "more": 2}, Entries) == {"size": 1, "more": "2"}


@given(st.fractions())
def test_an_exact_text_reads_back_as_the_same_number(number):
    assert Fraction(as_json(number, Rounded, exact=True)) == number
    assert as_json(number, Rounded) == float(number)


def test_what_has_no_json_is_refused():
    with pytest.raises(TypeError, match="no JSON for object"):
        as_json(object())
