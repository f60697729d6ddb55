# SPDX-License-Identifier: Apache-2.0
"""Which instances get this decision, the most probable first?

Best-first search for prefixes of instances, each held at the most that any of its completions can weigh. With two
classes an instance weighs p + q, p and q being products along its path; what a node's paths to the label can still
contribute is a set of pairs (p, q), and of these only the upper hull can ever be best. One pass upward keeps the
hull of every node, so the bound of a prefix is exact, and the search goes straight from one answer to the next.
With more classes the bound is the largest of each, which only costs time. Instances whose probabilities agree to
about 13 digits may come in either order, always the same one.
"""

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite, prod
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from oddly.algebra.domain import Within, domain_of
from oddly.compiler import as_diagram
from oddly.diagram import ODD
from oddly.distribution.joint import Joint
from oddly.distribution.masses import masses_within
from oddly.distribution.measure import DataRows, Known, Measure, Mixture, known_places, measure_of
from oddly.errors import Unsupported
from oddly.model.numbers import as_float
from oddly.runtime import LimitArguments, handed, limited, poll, polled, room

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

MOST_CORNERS = 64  # of a hull; beyond that neighbours become one corner outside it, and bounds a little loose
SLACK = 1e-12  # a bound that falls by less has only been rounded


def instances(
    odd_or_model: Any,
    label: str | None = None,
    under: Any = None,
    *,
    given: Mapping[str, str] | None = None,
    within: Within = None,
    **limits: Unpack[LimitArguments],
) -> Iterator[tuple[dict[str, str], float]]:
    """Which instances are decided `label`?  Lazily, with their probabilities, the most probable first.

    All instances that agree with `given`, if no label is named; of those `within` a domain, if there is one. `under` is "model" (the default if it has a
    distribution), "uniform" (then in the order of the attributes' values), another model or a table of rows; the
    probabilities are given what is known, and the domain. Cost: one pass, then some steps per attribute and instance.

    >>> import oddly
    >>> found = instances(oddly.examples.pregnancy(), "no")
    >>> [(instance, round(p, 4)) for instance, p in found][0]
    ({'U': '-ve', 'B': '-ve', 'S': '-ve'}, 0.1112)
    """
    with limited(limits) as door:
        odd = as_diagram(odd_or_model)
        known = known_places(given, odd)
        measure = measure_of(odd, under)
        labels = odd.labels if label is None else (odd.labels[odd.label_index(label)],)
        domain = domain_of(within, odd)
        mass = measure.knowing(known).mass
        if mass and domain.members is not None:
            mass = Fraction(masses_within(domain, measure.knowing(known))[1])
        if not mass:
            what = "what is given" if domain.words is None else f"all that is asked for within {domain.words}"
            raise Unsupported(f"{what} is impossible under {measure.name}")
        wanted = np.array([name in labels for name in odd.labels] + [False] * (domain.members is not None))
        odd = domain.product
        if isinstance(measure, DataRows):
            found = iter(_by_frequency(odd, measure.knowing(known), wanted, mass))
        else:
            found = iter(_best_first(odd, measure.knowing(known), wanted, known, mass))
    names = sorted(range(len(odd.order)), key=lambda level: odd.places[level])
    while True:
        with handed(door):  # only while one is looked for: what the caller does meanwhile is not ours
            step = next(found, None)
        if step is None:
            return
        codes, p = step
        yield {odd.order[i]: odd.variables[i].values[codes[i]] for i in names}, p


def exactly(odd: ODD, instance: Mapping[str, str], measure: Measure) -> Fraction:
    """How probable is one instance?  In fractions.

    >>> import oddly
    >>> odd = oddly.compile(oddly.examples.pregnancy())
    >>> exactly(odd, {"U": "-ve", "B": "-ve", "S": "-ve"}, measure_of(odd, "uniform"))
    Fraction(1, 8)
    """
    return measure.knowing(known_places(instance, odd)).mass / measure.mass


Found = Iterator[tuple[Sequence[int], float]]
_Prefix = tuple[float, tuple[int, ...], int, Floats]
"""What it can come to at most, negated for the heap; its values, its node, and its weight in each product."""


def _by_frequency(odd: ODD, table: DataRows, wanted: NDArray[np.bool_], mass: Fraction) -> Found:
    """The distinct rows of a table, the most frequent first, then by their values."""
    distinct, times = table.of(wanted[odd.decide(table.codes[:, np.argsort(odd.places)])]).tallied()
    for i in np.argsort(-times, kind="stable"):
        yield distinct[i].tolist(), float(times[i]) / float(mass)


def _best_first(odd: ODD, measure: Mixture | Joint, wanted: NDArray[np.bool_], known: Known, mass: Fraction) -> Found:
    odd, rows, start, common = _weighted(odd, measure)
    scale = as_float(common / mass)
    allowed = [[known.get(k, v) == v for v in range(arity)] for k, arity in enumerate(odd.arities)]
    bounds = _bounds(odd, rows, allowed, wanted, len(start))
    best = bounds[0].of(odd.root, start)
    heap: list[_Prefix] = [] if best is None else [(-best, (), odd.root, start)]
    while heap:
        poll("instances", 0, 0)
        key, codes, node, weight = heapq.heappop(heap)
        depth = len(codes)
        if depth == len(rows):
            # where floats do not reach that far, the one instance is weighed by itself
            exact = None if isfinite(scale) else measure.knowing(dict(enumerate(codes))).mass / mass
            yield codes, float(weight.sum()) * scale if exact is None else float(exact)
            continue
        steps: list[_Prefix] = []
        for value, child in enumerate(odd.levels[depth][node].tolist()):
            if allowed[depth][value]:
                reached = weight * rows[depth][:, node, value]
                bound = bounds[depth + 1].of(child, reached)
                if bound is not None:
                    steps.append((-bound, (*codes, value), child, reached))
        # The best child is as good as its parent. Were it to look worse for having been rounded, all prefixes
        # that tie with it would have to be tried before it.
        first = min(steps, key=lambda step: step[:2])
        for step in steps:
            inherits = step is first and step[0] <= key * (1 - SLACK)
            heapq.heappush(heap, (key, *step[1:]) if inherits else (max(step[0], key), *step[1:]))


def _weighted(odd: ODD, measure: Mixture | Joint) -> tuple[ODD, list[Floats], Floats, Fraction]:
    """The diagram, unfolded where it must be, its numbers, what each class starts with, and the common scale.

    The numbers are by class, node and value (all nodes are one where it does not matter), and scaled so that the
    largest of each depth is one.
    """
    if isinstance(measure, Joint):
        unfolded = measure.unfolded(odd)
        odd, start, common = unfolded.odd, unfolded.weights, unfolded.scale
        rows = [np.array(row) for row in zip(*unfolded.rows, strict=True)]
        tops = [Fraction(float(row.max())) for row in rows]
        rows = [row / float(top) for row, top in zip(rows, tops, strict=True)]
    else:
        products = [p for p in measure.products if p.mass]
        common = max(p.weight for p in products)
        start = [float(p.weight / common) for p in products]
        by_depth = list(zip(*(p.rows for p in products), strict=True))
        tops = [max(map(max, table)) for table in by_depth]
        given = zip(by_depth, tops, strict=True)
        rows = [np.array([[float(p / top) for p in row] for row in table])[:, None, :] for table, top in given]
    wide = zip(rows, odd.levels, strict=True)
    scaled = [np.broadcast_to(row, (len(start), len(level), row.shape[2])) for row, level in wide]
    return odd, scaled, np.array(start, float), common * prod(tops, start=Fraction(1))


# ---- what a node's paths can still contribute ----


@dataclass(frozen=True)
class _Bounds:
    """The corners of every node of a depth, one column each; node i has those from starts[i] to starts[i + 1]."""

    starts: Places
    corners: Floats

    def of(self, node: int, weight: Floats) -> float | None:
        """The most that a prefix of this weight can come to; None if it cannot come to the label."""
        low, high = self.starts[node], self.starts[node + 1]
        return float((weight @ self.corners[:, low:high]).max()) if high > low else None


def _bounds(
    odd: ODD, rows: Sequence[Floats], allowed: Sequence[Sequence[bool]], wanted: NDArray[np.bool_], products: int
) -> list[_Bounds]:
    """From the sinks up: a wanted sink has the corner (1, 1), and a node the hull of all its children's."""
    found = [_Bounds(np.concatenate([[0], np.cumsum(wanted)]), np.ones((products, int(wanted.sum()))))]
    levels = polled(reversed(odd.levels), "levels")
    for level, row, allows in zip(levels, reversed(rows), reversed(allowed), strict=True):
        below = found[-1]
        each = below.corners.shape[1] / (len(below.starts) - 1)
        room(int(each * level.size) * (6 + 3 * products) * 8)  # places of a corner, and its coordinates thrice
        owners, corners = [], []
        for v in np.flatnonzero(allows):
            low, high = below.starts[level[:, v]], below.starts[level[:, v] + 1]
            owner = np.repeat(np.arange(len(level)), high - low)
            ends = np.cumsum(high - low)
            place = np.arange(len(owner)) + np.repeat(high - ends, high - low)
            owners.append(owner)
            corners.append(below.corners[:, place] * row[:, owner, v])
        found.append(_pruned(np.concatenate(owners), np.concatenate(corners, axis=1), len(level)))
    return found[::-1]


def _pruned(owner: Places, corners: Floats, width: int) -> _Bounds:
    """Of all the corners a node is given, those that can be the best."""
    if len(corners) == 2 and len(owner):
        owner, corners = _hull(owner, corners)
    else:
        nodes, where = np.unique(owner, return_inverse=True)
        top = np.zeros((len(corners), len(nodes)))
        for row, corner in zip(top, corners, strict=True):
            np.maximum.at(row, where, corner)
        owner, corners = nodes, top
    return _Bounds(np.searchsorted(owner, np.arange(width + 1)), corners)


def _hull(owner: Places, corners: Floats) -> tuple[Places, Floats]:
    """The upper right hull of each owner's corners, from the rightmost to the topmost.

    A corner that lies under the line between its neighbours goes; where several in a row go at once, all lie
    under the line between those that stay.
    """
    order = np.lexsort((-corners[1], -corners[0], owner))
    owner, (x, y) = owner[order], corners[:, order]
    while True:
        same = np.concatenate([[False], owner[1:] == owner[:-1]])
        keep = ~same | (y > np.concatenate([[0.0], y[:-1]]))
        if keep.all():
            break
        owner, x, y = owner[keep], x[keep], y[keep]
    while True:
        inner = np.flatnonzero(owner[2:] == owner[:-2]) + 1
        right, top = x[inner - 1], y[inner + 1]  # positive, and divided by, so that tiny corners do not vanish
        dx, dy = (right - x[inner]) / right, (y[inner] - y[inner - 1]) / top
        drop = inner[dy * (right - x[inner + 1]) / right <= dx * (top - y[inner - 1]) / top]
        if not len(drop):
            break
        owner, x, y = np.delete(owner, drop), np.delete(x, drop), np.delete(y, drop)
    return _coarser(owner, x, y)


def _coarser(owner: Places, x: Floats, y: Floats) -> tuple[Places, Floats]:
    """Where a node has too many corners, every two neighbours become the one to the upper right of both."""
    while (np.bincount(owner, minlength=1) > MOST_CORNERS).any():
        starts = np.searchsorted(owner, owner)
        many = np.bincount(owner)[owner] > MOST_CORNERS
        first = (np.arange(len(owner)) - starts) % 2 == 0
        paired = many & first & np.concatenate([owner[1:] == owner[:-1], [False]])
        y = np.where(paired, np.concatenate([y[1:], [0.0]]), y)
        keep = ~many | first
        owner, x, y = owner[keep], x[keep], y[keep]
    return owner, np.stack([x, y])
