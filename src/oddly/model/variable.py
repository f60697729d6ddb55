# SPDX-License-Identifier: Apache-2.0
"""A named variable with finitely many values, which may be intervals of a number; of a class, which one is positive."""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Literal, get_args

from oddly.errors import ModelError, UnknownValue
from oddly.model.numbers import Number, as_written, exact, probability, written

Closed = Literal["left", "right"]

MISSING_VALUE = "?"
"""The label of a missing cell, in a variable for which that is a value of its own."""

BESIDE_NUMBERS = frozenset(["nan", "-nan", "na", "n/a", "n.a.", "#n/a", "#na", "<na>", "nat", "null", "(null)", "nil"])
BESIDE_NUMBERS |= {"none", "missing", "-", "--", "\N{EN DASH}", "\N{EM DASH}", "."}
"""The texts, in small letters, that say a cell is missing where all others are numbers; among labels they may be labels."""


@dataclass(frozen=True, init=False)
class Bins:
    """Cut points that turn a number into one of finitely many values: the first value lies below all cuts.

    `closed` says which end of an interval belongs to it: "left" is [a, b), where a number equal to a cut counts
    as above it, and "right" is (a, b].

    >>> Bins(["0.5", 2]).labels, Bins(["0.5", 2]).place("0.5"), Bins(["0.5", 2], "right").place("0.5")
    (('<0.5', '[0.5, 2)', '>=2'), 1, 0)
    """

    cuts: tuple[Fraction, ...]
    closed: Closed
    missing: tuple[str, ...] | None = field(default=None, compare=False, repr=False)
    """The texts that stand for a missing cell beside these numbers, such as -999; None: the usual ones, such as NA."""

    def __init__(self, cuts: Sequence[Number], closed: Closed = "left", missing: Sequence[str] | None = None) -> None:
        if isinstance(cuts, str) or not isinstance(cuts, Iterable):
            raise ModelError(f"bins: expected a list of cut points, found {cuts!r}")
        numbers = tuple(exact(as_written(cut), "cut point") for cut in cuts)
        if any(a >= b for a, b in pairwise(numbers)):
            raise ModelError(f"bins: cut points rise, found {', '.join(map(written, numbers))}")
        if closed not in get_args(Closed):
            raise ModelError(f"bins: closed is 'left' or 'right', found {closed!r}")
        keep(self, cuts=numbers, closed=closed, missing=None if missing is None else tuple(missing))

    @property
    def labels(self) -> tuple[str, ...]:
        """A readable name per interval."""
        if not self.cuts:
            return ("any",)
        below, above, pattern = ("<", ">=", "[{}, {})") if self.closed == "left" else ("<=", ">", "({}, {}]")
        cuts = [written(cut) for cut in self.cuts]
        between = (pattern.format(a, b) for a, b in pairwise(cuts))
        return (below + cuts[0], *between, above + cuts[-1])

    def place(self, number: Number) -> int:
        """The interval a number lies in. A float counts as its shortest decimal: 0.1 is a tenth, as in a file."""
        side = bisect_right if self.closed == "left" else bisect_left
        return side(self.cuts, exact(as_written(number), "number"))


@dataclass(frozen=True)
class Variable:
    """A name and its values, in order.

    >>> Variable("U", ("+ve", "-ve"))
    U in {+ve, -ve}
    """

    name: str
    values: tuple[str, ...]
    bins: Bins | None = None
    """For intervals of a number: where they are cut. A value for missing cells may follow them, and labels of special ones."""

    def index(self, value: object) -> int:
        """The place of a value among the values; of a number, the place of its interval."""
        text = value if isinstance(value, str) else str(value)
        if text in self.values:
            return self.values.index(text)
        if self.bins is not None:
            with suppress(ModelError):
                return self.bins.place(value)  # type: ignore[arg-type]
        raise UnknownValue.of(self.name, value, self.values)

    def __repr__(self) -> str:
        return f"{self.name} in {{{', '.join(self.values)}}}"


class Described:
    """A variable with its numbers."""

    name: str
    values: tuple[str, ...]
    bins: Bins | None

    @property
    def variable(self) -> Variable:
        return Variable(self.name, self.values, self.bins)


def variable(name: object, values: object, what: str, bins: Bins | None = None) -> Variable:
    """A checked variable; `what` says in an error what it was meant to be."""
    if not isinstance(name, str) or not name:
        raise ModelError(f"{what}: expected a name, found {name!r}")
    _printable(name, what)
    if isinstance(values, str) or not isinstance(values, Sequence | Iterable):
        raise ModelError(f"{what} {name}: expected a list of values, found {values!r}")
    values = tuple(values)
    for value in values:
        if not isinstance(value, str):
            raise ModelError(f"{what} {name}: values are texts, found {value!r}")
        _printable(value, f"{what} {name}")
    if not values:
        raise ModelError(f"{what} {name}: it has no values")
    distinct(values, f"{what} {name}", "value")
    if bins is not None and len(values) <= len(bins.cuts):
        make = f"{len(bins.cuts)} cut points make {len(bins.cuts) + 1} values"
        raise ModelError(f"{what} {name}: {make}, found {len(values)}")
    if bins is not None:
        _unmistakable(values, bins, f"{what} {name}")
    return Variable(name, values, bins)


def _unmistakable(values: Sequence[str], bins: Bins, where: str) -> None:
    """A cell is a label or a number. A label that is a number of another interval could be meant either way."""
    for i, value in enumerate(values):
        try:
            place = bins.place(value)
        except ModelError:
            continue
        if place != i:
            found = f"the value {value!r} is a number too, and one that lies in the interval of {values[place]!r}"
            raise ModelError(f"{where}: {found}.  Give it a name that is no number.")


def _printable(text: str, where: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ModelError(f"{where}: {text!r} is no Unicode text: it holds half of a surrogate pair") from None


def distinct(names: Sequence[str], where: str, what: str) -> None:
    """Refuse a name that stands twice."""
    for name, times in Counter(names).items():
        if times > 1:
            raise ModelError(f"{where}: the {what} {name!r} stands twice")


def keep(thing: object, **fields: object) -> None:
    """Set the fields of a frozen value, once, as it is made."""
    for name, value in fields.items():
        object.__setattr__(thing, name, value)


Ties = Literal["positive", "negative"]


def checked_positive(positive: str | None, target: Variable) -> str | None:
    """The positive value: the first of two if none is named, None for "the most probable of many"."""
    if positive is None:
        return target.values[0] if len(target.values) == 2 else None
    if positive not in target.values:
        raise UnknownValue.of(target.name, positive, target.values, "positive")
    return positive


def checked_ties(ties: str) -> str:
    if ties not in get_args(Ties):
        raise ModelError(f"ties: expected 'positive' or 'negative', found {ties!r}")
    return ties


def decision(positive: str | None, target: Variable, threshold: Number, ties: str) -> dict[str, object]:
    """The fields of a decision by probability, checked."""
    if len(target.values) < 2:
        raise ModelError(f"class {target.name}: a classifier needs two class values, found {len(target.values)}")
    wanted, limit = checked_positive(positive, target), probability(threshold, "threshold")
    return {"positive": wanted, "threshold": limit, "ties": checked_ties(ties)}


def two_labels(positive: str, values: tuple[str, ...]) -> tuple[str, str]:
    """(negative, positive): the other value's name where there is only one other."""
    others = [v for v in values if v != positive]
    return (others[0] if len(others) == 1 else f"not {positive}", positive)
