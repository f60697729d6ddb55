# SPDX-License-Identifier: Apache-2.0
"""Which texts say that a cell is missing?

Empty cells and `?` do in every column. NA, nan, null, - and their like do where all other cells are numbers: among labels
they may be labels, Namibia's for one. Or the caller says which texts do, numbers such as -999 included.

Learning looks at a column and classifying at a variable. They agree: a column of numbers makes a variable of numbers, and
in any other column such a text was learned as a label, which comes first.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from oddly.errors import ModelError
from oddly.learning.cells import is_number
from oddly.model import MISSING_VALUE, Variable
from oddly.model.numbers import exact
from oddly.model.variable import BESIDE_NUMBERS


@dataclass(frozen=True)
class Gaps:
    """The texts that stand for missing cells, besides empty ones and `?`."""

    own: tuple[str, ...] | None = None
    """In every column, as the caller says; None: the usual ones, beside numbers."""

    @classmethod
    def of(cls, texts: object) -> "Gaps":
        """What a caller wrote, checked."""
        if texts is None:
            return cls()
        if isinstance(texts, str) or not isinstance(texts, Iterable):
            raise ModelError(f"missing_text: expected a list of texts, such as ['NA', '-999'], found {texts!r}")
        return cls(tuple(dict.fromkeys(str(text).strip() for text in texts)))

    def __contains__(self, text: object) -> bool:
        """Whether a text stands for a missing cell, beside numbers; numbers are equal however they are written."""
        if not isinstance(text, str):
            return False
        if self.own is None:
            return text.lower() in BESIDE_NUMBERS
        return text in self.own or (bool(self._numbers) and _number(text) in self._numbers)

    def among(self, texts: Sequence[str]) -> tuple[str, ...]:
        """Which of a column's distinct texts stand for missing cells.

        >>> Gaps().among(["1", "2.5", "NA"]), Gaps().among(["BW", "ZA", "NA"]), Gaps(("ZA",)).among(["BW", "ZA", "NA"])
        (('NA',), (), ('ZA',))
        """
        found = tuple(text for text in texts if text in self)
        if self.own is not None or not found or len(found) == len(texts):
            return found if self.own is not None else ()
        gone = set(found)
        return found if all(is_number(text) for text in texts if text not in gone) else ()

    @cached_property
    def _numbers(self) -> frozenset[Fraction]:
        return frozenset(n for text in self.own or () if (n := _number(text)) is not None)


USUAL = Gaps()


def gaps_of(variable: Variable) -> Gaps:
    """The texts that stand for a missing cell of a variable: the usual ones if its values are numbers, or its own.

    >>> "NA" in gaps_of(Variable("age", ("1", "2"))), "NA" in gaps_of(Variable("land", ("BW", "ZA")))
    (True, False)
    """
    if variable.bins is not None:
        return Gaps(variable.bins.missing)
    values = [value for value in variable.values if value != MISSING_VALUE]
    return USUAL if values and all(map(is_number, values)) else Gaps(())


def is_gap(cell: object, variable: Variable) -> bool:
    """Whether a cell, read as a text, says that the variable's value is missing."""
    return cell is None or (cell not in variable.values and cell in gaps_of(variable))


def _number(text: str) -> Fraction | None:
    with suppress(ModelError):
        return exact(text, "number") if is_number(text) else None
    return None
