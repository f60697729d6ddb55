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


Boundary = tuple[Fraction, int]
"""Between two intervals: at a number that lies above it (0), or below it (1)."""


@dataclass(frozen=True, init=False)
class Bins:
    """Cut points that turn a number into one of finitely many values: the first value lies below all cuts.

    `closed` says which end of an interval belongs to it: "left" is [a, b), where a number equal to a cut counts
    as above it, and "right" is (a, b]. Where it is a side per cut, the same cut may stand twice, left and right: then
    the number itself is an interval. `whole`: the number is a whole one, and intervals that hold none are no values.

    >>> Bins(["0.5", 2]).labels, Bins(["0.5", 2]).place("0.5"), Bins(["0.5", 2], "right").place("0.5")
    (('<0.5', '[0.5, 2)', '>=2'), 1, 0)
    >>> Bins([1, 2, 2], ["right", "left", "right"]).labels
    ('<=1', '(1, 2)', '2', '>2')
    """

    cuts: tuple[Fraction, ...]
    closed: Closed | tuple[Closed, ...]
    missing: tuple[str, ...] | None = field(default=None, compare=False, repr=False)
    """The texts that stand for a missing cell beside these numbers, such as -999; None: the usual ones, such as NA."""
    whole: bool = False

    def __init__(
        self,
        cuts: Sequence[Number],
        closed: Closed | Sequence[Closed] = "left",
        missing: Sequence[str] | None = None,
        whole: bool = False,
    ) -> None:
        if isinstance(cuts, str) or not isinstance(cuts, Iterable):
            raise ModelError(f"bins: expected a list of cut points, found {cuts!r}")
        numbers = tuple(exact(as_written(cut), "cut point") for cut in cuts)
        sides = _sides(closed, len(numbers))
        if not isinstance(whole, bool):
            raise ModelError(f"bins: whole is true or false, found {whole!r}")
        if any(a >= b for a, b in pairwise(zip(numbers, sides, strict=True))):  # at one cut "left" comes before "right"
            raise ModelError(f"bins: cut points rise, found {', '.join(map(written, numbers))}")
        keep(self, cuts=numbers, closed=sides if len(set(sides)) > 1 else (*sides, closed or "left")[0], whole=whole)
        keep(self, missing=None if missing is None else tuple(missing))

    @property
    def boundaries(self) -> list[Boundary]:
        """The cuts, each with the side on which it lies itself, rising."""
        sides = [self.closed] * len(self.cuts) if isinstance(self.closed, str) else self.closed
        return [(cut, int(side == "right")) for cut, side in zip(self.cuts, sides, strict=True)]

    @property
    def labels(self) -> tuple[str, ...]:
        """A readable name per interval."""
        ends = [None, *self.boundaries, None]
        return tuple(_interval(low, high) for low, high in pairwise(ends))

    def place(self, number: Number) -> int:
        """The interval a number lies in. A float counts as its shortest decimal: 0.1 is a tenth, as in a file."""
        found = exact(as_written(number), "number")
        if self.closed == "left":
            return bisect_right(self.cuts, found)
        if self.closed == "right":
            return bisect_left(self.cuts, found)
        return bisect_left(self.boundaries, (found, 1))


def _sides(closed: object, many: int) -> tuple[Closed, ...]:
    """On which side each of so many cuts lies itself."""
    sides: object = (closed,) * many if isinstance(closed, str) and closed in get_args(Closed) else closed
    if not isinstance(sides, tuple | list) or len(sides) != many or any(side not in get_args(Closed) for side in sides):
        raise ModelError(f"bins: closed is 'left' or 'right', or one of these per cut, found {closed!r}")
    return tuple(sides)


def _interval(low: Boundary | None, high: Boundary | None) -> str:
    """The numbers between two boundaries, as a person writes them; None is without end."""
    if low is None or high is None:
        end, signs = (high, ("<", "<=")) if low is None else (low, (">=", ">"))
        return "any" if end is None else signs[end[1]] + written(end[0])
    if low[0] == high[0]:
        return written(low[0])
    return f"{'[('[low[1]]}{written(low[0])}, {written(high[0])}{')]'[high[1]]}"


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


def one_more(values: tuple[str, ...]) -> tuple[str, ...]:
    """The values with another one, for what is skipped."""
    name = "skipped"
    while name in values:
        name = f"({name})"
    return (*values, name)


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
