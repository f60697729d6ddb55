# SPDX-License-Identifier: Apache-2.0
"""From models to whole numbers: scores where the paper's form fits, families where it does not.

Only the shares of the classes matter, so an entry's numbers are divided by that of its first possible class: what
all classes have in common is gone before logarithms are taken.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import singledispatch
from math import inf, lcm, log, prod
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from oddly.errors import ModelError, Unsupported
from oddly.lowering.exact import GUARD, fixed_logs, plain_logs
from oddly.lowering.families import Families, Family
from oddly.lowering.score import HEADROOM, Impossible, Score, lower
from oddly.model import Model, NaiveBayes, NetworkClassifier, Probabilistic, Scoreboard, Sum
from oddly.model.elimination import factors

WITNESSES = 1500  # distinct ratios; with more, a coprime base takes its time, and true ties have no witness at first
MOST_WITNESSES = 1 << 13  # with more, witnesses would fill the memory
DEAREST = 1 << 14  # distinct ratios times the words of the largest: some seconds for a coprime base
DEAR = 1 << 9  # distinct ratios times the words of the largest: some tenths of a second for a coprime base
Lowered = TypeVar("Lowered", Score, Families)
SETTLED = 1 << 20  # instances of a network that a table decides at once, should there be ties without a witness


@dataclass(frozen=True, eq=False)
class Ratios:
    """A table of shares: for every entry, each class's number divided by that of the first possible class."""

    scope: tuple[int, ...]
    alive: NDArray[np.bool_]
    place: NDArray[np.int64]
    """Where each number stands in `distinct`."""
    distinct: list[Fraction]


def lowered(model: Model, bits: int = 64, impossible: Impossible = "negative") -> Score | Families:
    """The model as integers that fit `bits` bits with room, in its own order of attributes."""
    model = model.naive or model
    return (lower if model.additive else lower_families)(model, bits, impossible)


def unrounded(source: Lowered) -> Lowered:
    """The points of a card or board without any rounding, however many bits that takes; logarithms stay as they are."""
    while source.rounded and source.model.unit == "points":
        finer = lowered(source.model, 2 * source.bits, source.impossible)
        source = cast(Lowered, finer.in_order([finer.index(name) for name in source.names]))
    return source


def lower_families(model: Model, bits: int = 64, impossible: Impossible = "negative") -> Families:
    """The model as families; what `lower` takes is refused, to keep one form for each."""
    if impossible not in ("negative", "positive"):
        raise ModelError(f"impossible: expected 'negative' or 'positive', found {impossible!r}")
    if model.positive is not None and len(model.class_values) > 2:
        raise Unsupported(
            f"{model.class_name} has {len(model.class_values)} values: whether {model.positive} reaches a threshold "
            "against all others together is no comparison of two sums"
        )
    return _families_of(model, bits, impossible)


@singledispatch
def _families_of(model: Model, bits: int, impossible: Impossible) -> Families:
    """Each kind registers its own way."""
    raise Unsupported(f"{type(model).__name__} is lowered to a score")


# ---- probabilities ----

Tables = Sequence[tuple[tuple[int, ...], NDArray[Any]]]
"""Places of attributes, and positive numbers or zeros, the classes along the last axis."""


@_families_of.register
def _lower_naive_bayes(model: NaiveBayes, bits: int, impossible: Impossible) -> Families:
    given = [np.array([a.given[c] for c in model.class_values], object).T for a in model.attributes]
    tables = [((), np.array(model.prior, object)), *(((i,), table) for i, table in enumerate(given))]
    return _lower_tables(model, bits, impossible, tables, tabled=False)


@_families_of.register
def _lower_network(model: NetworkClassifier, bits: int, impossible: Impossible) -> Families:
    tables = [(factor.scope, factor.table) for factor in factors(model)]
    tabled = prod(len(v.values) for v in model.variables) <= SETTLED
    return _lower_tables(model, bits, impossible, tables, tabled)


def _lower_tables(model: Probabilistic, bits: int, impossible: Impossible, tables: Tables, tabled: bool) -> Families:
    """Tables of which the first has no attribute: it is the prior, and takes the threshold in."""
    classes = range(len(model.class_values))
    labels_of, order, fallback, threshold = tuple(classes), tuple(classes), 0, 0.0
    edge: Fraction | None = None
    if model.positive is not None:
        tables, p = _sides(model, tables), model.threshold
        fallback = int(impossible == "positive")
        order = (1, 0) if model.ties == "positive" else (0, 1)
        edge = p if p in (0, 1) else None
        threshold = log(p.numerator) - log(p.denominator - p.numerator) if edge is None else inf * (2 * p - 1)
    prior, *families, unit = _weighted(tables, bits, edge is not None, tabled)
    if edge is not None:
        prior, labels_of = _at_the_edge(prior, int(edge), order)
    about = (model, impossible, bits, prior, tuple(f for f in families if not _idle(f)))
    given = model.variables, tuple(range(len(model.variables)))
    return Families(*about, *given, unit, edge is None, order, labels_of, fallback, float(threshold))


def _sides(model: Probabilistic, tables: Tables) -> Tables:
    """The classes as (negative, positive), held against the threshold."""
    positive = model.class_values.index(model.positive or "")
    turned = [(scope, table[..., [1 - positive, positive]]) for scope, table in tables]
    if model.threshold not in (0, 1):
        turned[0] = ((), turned[0][1] * np.array([model.threshold, 1 - model.threshold], object))
    return turned


def _at_the_edge(prior: Family, threshold: int, order: tuple[int, ...]) -> tuple[Family, tuple[int, ...]]:
    """Threshold 0 or 1: weights do not matter, only what is possible does (see `oddly.lowering.score`).

    Pr >= 0 holds of everything possible, Pr > 0 of what is possible under the positive class; Pr >= 1 holds of
    what is impossible under the negative class, Pr > 1 of nothing.
    """
    favoured = 1 - threshold
    weights = np.zeros_like(prior.weights)
    weights[favoured] = 2  # its class wins if possible, and no tie
    decided = order[0] == favoured
    return replace(prior, weights=weights), (favoured, favoured) if decided else (0, 1)


def _weighted(tables: Tables, bits: int, without: bool, tabled: bool) -> list[Any]:
    """A family per table, and the unit; `without` numbers, all weights are 0. `tabled`: a table settles ties too."""
    ratios = [_ratios(scope, table) for scope, table in tables]
    if without:
        ratios = [replace(r, distinct=[Fraction(1)] * len(r.distinct)) for r in ratios]
    room = bits - HEADROOM - 2
    groups = [r.distinct for r in ratios]
    take = fixed_logs if _witnessed(groups, bits, tabled) else plain_logs
    logs, fraction_bits = take(groups, room)
    kind = np.int64 if bits <= 64 else object
    found: list[Any] = []
    for r, group in zip(ratios, logs, strict=True):
        weights = np.array([x.value for x in group], kind)[r.place]
        low, high = (np.array(side, object)[r.place] for side in ([x.low for x in group], [x.high for x in group]))
        exact = _objects([x.exponents for x in group])[r.place] if take is fixed_logs else None
        found.append(Family(r.scope, weights, r.alive, low, high, exact))
    return [*found, Fraction(1, 2) ** fraction_bits]


def _witnessed(groups: Sequence[Sequence[Fraction]], bits: int, tabled: bool) -> bool:
    """Whether a coprime base is worth its time: nearly always where 64 bits did not settle all."""
    many = sum(map(len, groups))
    largest = max(n.bit_length() for group in groups for f in group for n in (f.numerator, f.denominator))
    work = many * (1 + largest // 64)
    if bits > 64:
        return many <= MOST_WITNESSES and work <= DEAREST
    return many <= WITNESSES and work <= (DEAR if tabled else DEAREST)


def _ratios(scope: tuple[int, ...], table: NDArray[Any]) -> Ratios:
    alive = np.asarray(table > 0, bool)
    first = np.argmax(alive, axis=-1)
    reference = np.take_along_axis(table, first[..., None], axis=-1)
    places: dict[tuple[int, int], int] = {(1, 1): 0}
    distinct = [Fraction(1)]
    place = np.zeros(alive.shape, np.int64)
    flat, numbers, references = place.reshape(-1), table.reshape(-1), np.broadcast_to(reference, table.shape)
    for at, (number, over, possible) in enumerate(
        zip(numbers.tolist(), references.reshape(-1).tolist(), alive.reshape(-1).tolist(), strict=True)
    ):
        if possible and number != over:
            ratio = Fraction(number) / over
            key = (ratio.numerator, ratio.denominator)
            if key not in places:
                places[key] = len(distinct)
                distinct.append(ratio)
            flat[at] = places[key]
    return Ratios(scope, alive, place, distinct)


def _idle(family: Family) -> bool:
    """Whether a family says nothing: the same for all classes, and nothing impossible."""
    return not family.weights.any() and bool(family.alive.all()) and (family.exact is None or not family.exact.any())


# ---- points ----


@_families_of.register
def _lower_scoreboard(model: Scoreboard, bits: int, impossible: Impossible) -> Families:
    points = [np.array(a.points, object).reshape(len(a.values), -1) for a in model.attributes]
    written = [((), np.array(model.intercept, object)), *(((i,), table) for i, table in enumerate(points))]
    classes = tuple(range(len(model.class_values)))
    return _lower_points(model, bits, impossible, [(s, table - table[..., :1]) for s, table in written], classes)


@_families_of.register
def _lower_sum(model: Sum, bits: int, impossible: Impossible) -> Families:
    """The points of each table go to the positive class; tables over the same attributes are one."""
    by_scope: dict[tuple[int, ...], Any] = {(): np.array(model.intercept - model.cutoff, object)}
    for table in model.tables:
        places = model.scope(table)
        scope = tuple(sorted(places))
        points = table.array.transpose(np.argsort(places))
        by_scope[scope] = by_scope[scope] + points if scope in by_scope else points
    tables = [(s, np.stack([points * 0, points], axis=-1)) for s, points in by_scope.items()]
    return _lower_points(model, bits, impossible, tables, (1, 0) if model.ties == "positive" else (0, 1))


def _lower_points(model: Model, bits: int, impossible: Impossible, tables: Tables, order: tuple[int, ...]) -> Families:
    """Points times their common denominator; rounded, with the error known, where that would not fit."""
    scale = lcm(*(p.denominator for _, table in tables for p in table.flat))
    reach = sum(max(abs(p) for p in table.flat) for _, table in tables)
    room = bits - HEADROOM - 2
    rounded = bool(reach * scale >= 1 << room)
    unit = Fraction(1, scale)
    if rounded:
        unit = Fraction(2) ** (int(reach).bit_length() + len(tables).bit_length() - room)
    kind = np.int64 if bits <= 64 else object
    prior, *families = [_points(scope, table, unit, scale, kind) for scope, table in tables]
    given = model.variables, tuple(range(len(model.variables)))
    about = (model, impossible, bits, prior, tuple(families), *given, unit, rounded, order)
    return Families(*about, tuple(range(len(order))), 0)


def _points(scope: tuple[int, ...], table: NDArray[Any], unit: Fraction, scale: int, kind: Any) -> Family:
    weights = [round(p / unit) for p in table.flat]
    errors = [(w - p / unit) * (1 << GUARD) for w, p in zip(weights, table.flat, strict=True)]
    sides = [e.__floor__() for e in errors], [e.__ceil__() for e in errors], [int(p * scale) for p in table.flat]
    low, high, exact = (_objects(numbers).reshape(table.shape) for numbers in sides)
    return Family(scope, np.array(weights, kind).reshape(table.shape), np.ones(table.shape, bool), low, high, exact)


def _objects(numbers: Sequence[int]) -> NDArray[Any]:
    found = np.empty(len(numbers), object)
    found[:] = numbers
    return found
