# SPDX-License-Identifier: Apache-2.0
"""Some instances, drawn at random from those of a decision.

One pass upward weighs what each node can still reach; then all draws walk down together, each choosing a value in
proportion to what lies beyond it. Whole numbers make uniform draws exact at any size: a draw is a rank among all
instances, and what is left of it below a chosen edge is again a rank. Draws by the model use float64.
"""

import random
from collections.abc import Mapping, Sequence
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from oddly.algebra.domain import Domain, Within, domain_of
from oddly.compiler import as_diagram
from oddly.diagram import ODD
from oddly.diagram.passes.semirings import WHOLES, Numbers
from oddly.diagram.passes.sweep import by_depth, up
from oddly.distribution.joint import Joint
from oddly.distribution.measure import DataRows, Known, known_places, measure_of
from oddly.errors import ModelError, Unsupported
from oddly.runtime import LimitArguments, limited

Codes = NDArray[np.intp]
Random = np.random.Generator
Given = Mapping[str, str] | None
Table = Sequence[Numbers]
"""By depth, a number per value, or per node and value."""


def sample(
    odd_or_model: Any,
    k: int,
    label: str | None = None,
    under: Any = "uniform",
    *,
    given: Given = None,
    within: Within = None,
    seed: int = 0,
    **limits: Unpack[LimitArguments],
) -> list[dict[str, str]]:
    """Draw k instances, from those decided `label` if one is named, that agree with `given`, and that are `within` a domain.

    All alike ("uniform", exactly), by the "model", or from a table of rows; with replacement, and the same seed
    draws the same. Cost: one pass per class, then k steps per attribute.

    >>> import oddly
    >>> {instance["S"] for instance in sample(oddly.examples.pregnancy(), 100, "no")}
    {'-ve'}
    """
    with limited(limits):
        odd = as_diagram(odd_or_model)
        return in_words(odd, sample_indices(odd, k, label, under, given=given, within=within, seed=seed))


def sample_indices(
    odd: ODD,
    k: int,
    label: str | None = None,
    under: Any = "uniform",
    given: Given = None,
    within: Within = None,
    seed: int = 0,
) -> Codes:
    """The same as value indices, columns in the model's order, as `odd.decide` takes them."""
    if k < 0:
        raise ModelError(f"expected how many to draw, found {k}")
    domain = domain_of(within, odd)
    wanted = np.zeros(len(domain.product.labels), np.int64)
    wanted[slice(len(odd.labels)) if label is None else odd.label_index(label)] = 1
    codes = _drawn(domain, k, wanted, under, known_places(given, odd), seed)
    if codes is None:
        told = "" if label is None else f" that is decided {label}"
        told += "" if domain.words is None else f" within {domain.words}"
        none = "none has a probability above zero that a float can hold"
        raise Unsupported(f"there is no instance to draw{told}: {none}")
    return codes[:, np.argsort(odd.places)]


def in_words(odd: ODD, codes: NDArray[np.integer[Any]]) -> list[dict[str, str]]:
    """Value indices, in the model's order, as instances."""
    by_name = {v.name: v for v in odd.variables}
    texts = [np.array(by_name[name].values, object) for name in odd.columns]
    columns = [values[column] for values, column in zip(texts, codes.T, strict=True)]
    return [dict(zip(odd.columns, row, strict=True)) for row in zip(*columns, strict=True)] or [{} for _ in codes]


def _drawn(domain: Domain, k: int, wanted: NDArray[np.int64], under: Any, known: Known, seed: int) -> Codes | None:
    """Value indices in the diagram's order; None where nothing can be drawn."""
    rng = np.random.default_rng(seed)
    measure, odd = measure_of(domain.odd, under).knowing(known), domain.product
    if isinstance(measure, DataRows):
        fitting = measure.of(wanted[odd.decide(measure.codes[:, np.argsort(odd.places)])] > 0)
        if not fitting.mass:
            return None
        drawn = rng.integers(0, int(fitting.mass), k)
        places = drawn if fitting.times is None else np.searchsorted(np.cumsum(fitting.times), drawn, side="right")
        return fitting.codes[places].astype(np.intp)
    if isinstance(measure, Joint):
        unfolded = measure.unfolded(odd)
        return _mixed(unfolded.odd, k, wanted, unfolded.rows, unfolded.weights, rng)
    if len(measure.products) == 1:
        rows, _ = measure.products[0].integers()
        return _walk(odd, k, _reachable(odd, wanted, rows), rows, rng)
    products = measure.products
    return _mixed(odd, k, wanted, [p.floats() for p in products], [float(p.weight) for p in products], rng)


def _mixed(
    odd: ODD, k: int, wanted: NDArray[np.int64], tables: Sequence[Table], priors: Sequence[float], rng: Random
) -> Codes | None:
    """First the class, or product, that each draw comes from, then the draws of each."""
    masses = [_reachable(odd, wanted, rows) for rows in tables]
    weights = np.array([prior * m[0][odd.root] for prior, m in zip(priors, masses, strict=True)])
    if not weights.any():
        return None
    which = rng.choice(len(weights), k, p=weights / weights.sum())
    codes = np.empty((k, len(odd.variables)), np.intp)
    for i in np.unique(which):
        part = _walk(odd, int((which == i).sum()), masses[i], tables[i], rng)
        assert part is not None
        codes[which == i] = part
    return codes


def _reachable(odd: ODD, wanted: NDArray[np.int64], rows: Table) -> list[Numbers]:
    """Per depth and node, what all its paths to a wanted label weigh."""
    return by_depth(up(odd.levels, wanted, rows, WHOLES.over(rows[0].dtype if rows else np.int64)))


def _walk(odd: ODD, k: int, masses: Table, rows: Table, rng: Random) -> Codes | None:
    """k draws, from the root down, all at once."""
    if not masses[0][odd.root]:
        return None
    exact = masses[0].dtype.kind != "f"
    codes = np.empty((k, len(rows)), np.intp)
    nodes = np.full(k, odd.root)
    ranks = _below(masses[0][nodes], rng)
    for depth, (level, row, below) in enumerate(zip(odd.levels, rows, masses[1:], strict=True)):
        if depth and not exact:  # a float has 53 bits to spend, so every attribute takes a fresh one
            ranks = _below(masses[depth][nodes], rng)
        codes[:, depth] = _chosen(level[nodes], row if row.ndim == 1 else row[nodes], below, ranks)
        nodes = level[nodes, codes[:, depth]]
        if exact:
            ranks //= row[codes[:, depth]]
    return codes


def _chosen(children: NDArray[np.uint32], row: Numbers, below: Numbers, ranks: Numbers) -> Codes:
    """The value whose share each rank falls into; ranks become what is left of them, in place.

    A row has a number per value, for all draws or for each.
    """
    value = np.full(len(ranks), -1, np.intp)
    last = np.zeros(len(ranks), np.intp)  # of the possible values: for a float rounded up to the very end
    for v, p in enumerate(row.T):
        mass = below[children[:, v]] * p
        open_ = value < 0
        here = open_ & np.asarray(ranks < mass, bool)
        value[here] = v
        last[np.asarray(mass > 0, bool)] = v
        passed = open_ & ~here
        ranks[passed] -= mass[passed]
    return np.where(value < 0, last, value)


def _below(totals: Numbers, rng: Random) -> Numbers:
    """For each total a number from 0 up to it, each as likely as the others."""
    if totals.dtype == object:
        draw = random.Random(int(rng.integers(1 << 62))).randrange
        return np.array([draw(total) for total in totals] + [None], object)[:-1]
    return rng.integers(0, totals) if totals.dtype.kind == "i" else rng.random(len(totals)) * totals
