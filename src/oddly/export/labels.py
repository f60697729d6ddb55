# SPDX-License-Identifier: Apache-2.0
"""Numbers as cells: which floats are labels of an attribute, and on which side of a cut a double lies."""

from fractions import Fraction
from math import inf, isinf, isnan

from oddly.learning.cells import is_number
from oddly.learning.cutting import is_finite
from oddly.learning.gaps import gaps_of
from oddly.model import Bins, Variable
from oddly.model.numbers import as_float
from oddly.model.variable import BESIDE_NUMBERS

GREATEST = 1.7976931348623157e308  # of the doubles


def float_labels(variable: Variable) -> dict[float, int]:
    """The place of each float that prints as a label, or, if it is whole, prints so without its point.

    >>> float_labels(Variable("x", ("1", "2.5", "one")))
    {1.0: 0, 2.5: 1}
    """
    labels = {value: i for i, value in enumerate(variable.values)}
    finite = [value for value in map(_as_float, labels) if not isinf(value)]
    printed = {value: labels[str(value)] for value in finite if str(value) in labels}
    whole = {float(value): i for value, i in labels.items() if _is_whole(value)}
    return whole | printed


def gap_texts(variable: Variable) -> tuple[tuple[str, ...], bool, tuple[Fraction, ...]]:
    """The texts that stand for a missing cell besides "" and "?", whether in letters of any size, and those that are numbers.

    >>> gap_texts(Variable("x", ("low", "high"), Bins([5], missing=["gone", "-999"])))
    (('gone', '-999'), False, (Fraction(-999, 1),))
    """
    gaps = gaps_of(variable)
    if gaps.own is None:
        return tuple(sorted(BESIDE_NUMBERS)), True, ()
    return gaps.own, False, tuple(Fraction(text) for text in gaps.own if is_number(text) and is_finite(text))


def float_gaps(variable: Variable) -> list[float]:
    """The floats that stand for a missing cell: those whose shortest decimal is one of its numbers."""
    near = [(number, as_float(number)) for number in gap_texts(variable)[2]]
    return [value for number, value in near if not isinf(value) and Fraction(repr(value)) == number]


def below(cut: Fraction, bins: Bins) -> tuple[float, bool]:
    """A double, and whether it lies below the cut itself: with it, all lesser doubles and no greater one do.

    A float counts as its shortest decimal, as in a file.

    >>> below(Fraction(1, 3), Bins(["1/3"])), below(Fraction(30), Bins([30]))
    ((0.3333333333333333, True), (30.0, False))
    """
    near = as_float(cut)
    if isinf(near):
        return (GREATEST, True) if near > 0 else (-GREATEST, False)
    shown = Fraction(repr(near))
    return near, bins.closed == "right" if shown == cut else shown < cut


def _as_float(label: str) -> float:
    try:
        value = float(label)
    except ValueError:
        return inf
    return inf if isnan(value) else value


def _is_whole(label: str) -> bool:
    """Whether a whole float shows as this label."""
    value = _as_float(label)
    return not isinf(value) and value.is_integer() and str(int(Fraction(repr(value)))) == label
