# SPDX-License-Identifier: Apache-2.0
"""Which instances keep their decision whatever k attributes change?  One diagram for every k.

Two routes to the same diagrams. In general, an instance survives k + 1 changes iff, whichever attribute changes and to
whatever value, it survives k: set each attribute to each value in turn, and take what all of these have in common.

Where one weight per value is added up, an instance of margin m survives iff m is at least the sum of its k largest
losses d, where d is the weight of its value minus the least weight of the attribute. The sum of the k largest is the
minimum over λ of kλ + Σ max(d − λ, 0), taken where λ is the k-th largest d (or 0). So an instance survives iff, for
some λ among the possible losses, m − kλ − Σ max(d − λ, 0) >= 0: each of these is a sum of one weight per value again,
which the engine compiles, and the union is a few products. Whole numbers throughout, which the certificate of the
diagram has proven to decide as the model does.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal, get_args

import numpy as np

from oddly.algebra.domain import Domain
from oddly.diagram import ODD
from oddly.diagram.combine import combine, is_label
from oddly.engine import build
from oddly.errors import UnknownName, Unsupported
from oddly.lowering.score import ALWAYS, FINITE, NEVER, Score, Term

Route = Literal["auto", "sums", "products"]
NATIVE = 1 << 123  # sums the kernels hold; wider ones are Python's


def survivors_within(domain: Domain, label: str) -> Iterator[ODD]:
    """The same of the inputs of a domain, where only a change to another of its inputs counts.

    An input survives k changes iff none of the domain that is decided otherwise is within k changes of it. Whatever lies
    between may be outside, so the sets grow in the space of all inputs, and are cut to the domain in the end.
    """
    odd, place = domain.odd, domain.odd.label_index(label)
    labels = (f"not {label}", label)
    ours = combine(odd, domain.inside, lambda i, inside: int(i == place and inside), labels)
    here = combine(odd, domain.inside, lambda i, inside: int(i == place or not inside), labels)
    found = ours
    while found.count(label):
        yield found
        here = _whatever_changes(here)
        found = combine(ours, here, lambda i, j: int(i and j))


def survivors(odd: ODD, label: str, route: Route = "auto") -> Iterator[ODD]:
    """The instances decided `label` that stay so whatever k attributes change: diagrams for k = 0, 1, 2, …

    Their last label says that it survives. They end with the first one that no instance survives; without end if
    every instance is decided alike.
    """
    if route not in get_args(Route):
        raise UnknownName.among("route", route, get_args(Route))
    if route == "sums" and not is_additive(odd):
        raise Unsupported("route='sums' needs one weight per value that decides between two labels; try 'products'")
    fast = route != "products" and is_additive(odd)
    here, changes = is_label(odd, label), 0
    while here.count(label):
        yield here
        changes += 1
        here = _additive(odd, label, changes) if fast else _whatever_changes(here)


def is_additive(odd: ODD) -> bool:
    """Whether the fast route is open: one weight per value, proven to decide as the model does."""
    if not isinstance(odd.source, Score) or not odd.certificate.proven:
        return False
    return odd.source.finite or odd.source.outcomes[1:3] == (0, 1)  # else the threshold is 0 or 1


# ---- any diagram ----


def _whatever_changes(here: ODD) -> ODD:
    """What `here` has in common with itself, each attribute in turn set to each of its values."""
    found = here
    for depth, arity in enumerate(here.arities):
        for value in range(arity) if arity > 1 else ():
            found = combine(found, _set(here, depth, value), lambda i, j: int(i and j))
    return found


def _set(odd: ODD, depth: int, value: int) -> ODD:
    """The decision if one attribute had this value, whichever it has."""
    level = np.repeat(odd.levels[depth][:, [value]], odd.arities[depth], axis=1)
    return replace(odd, levels=(*odd.levels[:depth], level, *odd.levels[depth + 1 :]))


# ---- sums of one weight per value ----


def _additive(odd: ODD, label: str, changes: int) -> ODD:
    """A union over λ of sums; see above. m − Σ max(d − λ, 0) is the base plus Σ min(d, λ)."""
    assert isinstance(odd.source, Score)
    losses, base = _losses(odd.source, odd.labels.index(label))
    labels = (f"not {label}", label)
    nowhere = tuple(np.zeros((1, arity), np.uint32) for arity in odd.arities)
    found = ODD(odd.variables, labels, nowhere, 0, odd.places)
    for cut in _cuts(losses, changes):
        needed = changes * cut - base
        kept = [[min(d, cut) for d in row] for row in losses]
        if needed <= sum(map(max, kept)):
            built = build(_reaching(odd.source, kept, needed))
            part = ODD(odd.variables, labels, built.levels, built.root, odd.places)
            found = combine(found, part, lambda i, j: int(i or j))
    return found


def _losses(score: Score, positive: int) -> tuple[list[list[int]], int]:
    """What changing each value can lose at most, and what is left of the margin if all do; survival is >= 0."""
    sign = 1 if positive else -1
    prior, rows = _weights(score)
    weights = [[sign * weight for weight in row] for row in rows]
    start = prior if positive else -prior - 1  # a sum below zero is at most −1
    losses = [[w - min(row) for w in row] for row in weights]
    return losses, start + sum(min(row) for row in weights)


def _weights(score: Score) -> tuple[int, list[list[int]]]:
    """The prior and the weights, where a value that rules out a side weighs more than all sums can.

    Of the two sides, the one that decides impossible instances outweighs the other.
    """
    reach = abs(score.start) + sum(max(abs(t.weight) for t in terms) for terms in score.terms) + 1
    more = (len(score.terms) + 2) * reach
    stronger = ALWAYS if score.outcomes[-1] else NEVER
    never, always = (-reach, more) if stronger == ALWAYS else (-more, reach)

    def weight(number: int, state: int) -> int:
        if state == FINITE:
            return number
        return always if state & ALWAYS and (stronger == ALWAYS or not state & NEVER) else never

    return weight(score.start, score.prior.state), [[weight(t.weight, t.state) for t in terms] for terms in score.terms]


def _cuts(losses: list[list[int]], changes: int) -> list[int]:
    """The λ that can be the k-th largest loss of some instance, and 0."""
    largest = sorted((max(row) for row in losses), reverse=True)
    if changes > len(largest):
        return [0]
    return sorted({0, *(d for row in losses for d in row if d <= largest[changes - 1])})


def _reaching(score: Score, kept: list[list[int]], needed: int) -> Score:
    """Where Σ kept >= needed."""
    start = Term(score.prior.weight - score.start - needed)  # such that their start is −needed
    terms = tuple(tuple(Term(d) for d in row) for row in kept)
    bits = 64 if 2 * sum(map(max, kept)) + abs(needed) < NATIVE else 256
    return replace(score, prior=start, terms=terms, bits=bits)
