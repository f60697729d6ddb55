# SPDX-License-Identifier: Apache-2.0
"""Weights of ±∞: the few extra nodes they bring, and where those stand.

A prefix that has ruled out a side is in one of three states besides the finite sums (see `oddly.lowering.score`). What it
still decides depends only on which sides the rest can rule out, so at every depth its node is told from the
others, and found equal to them, without looking at the diagram: two prefixes are the same node iff they decide
alike after every *kind* of suffix. Nodes of a level stand in the order: states that refuse, finite sums
ascending, states that accept.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from oddly.engine.two_ended import Level
from oddly.lowering.score import ALWAYS, FINITE, IMPOSSIBLE, NEVER, Score, Term


@dataclass(frozen=True)
class Depth:
    """Where the nodes of one depth stand."""

    width: int
    finite: int
    """The first node of a finite sum."""
    states: dict[int, int]
    """The node of each state that is reached."""


def finite_weights(terms: Sequence[Term]) -> list[int]:
    """The distinct finite weights of an attribute: values of equal weight share an edge while building."""
    return list(dict.fromkeys(t.weight for t in terms if t.state == FINITE))


def depths(score: Score, finite_widths: Sequence[int]) -> list[Depth]:
    """The places of all nodes, given how many finite ones each depth above the sinks has."""
    if score.finite:
        return [Depth(width, 0, {}) for width in (*finite_widths, len(score.labels))]
    before = list(accumulate(score.terms, _read, initial=frozenset({score.prior.state})))
    after = list(accumulate(reversed(score.terms), _read, initial=frozenset({FINITE})))[::-1]
    ends = _ends(score, after)
    each = zip(before, after, finite_widths, ends, strict=False)
    found = [_depth(score, above, below, width, end if width else {}) for above, below, width, end in each]
    sinks = {s: score.outcomes[s] for s in before[-1] if s != FINITE}
    return [*found, Depth(len(score.labels), 0, sinks)]


def assemble(score: Score, finite: Sequence[Level]) -> list[Level]:
    """The levels of the diagram from those of its finite part, every value with an edge of its own."""
    if score.finite and all(level.shape[1] == len(terms) for level, terms in zip(finite, score.terms, strict=True)):
        return list(finite)  # nothing to add: the usual case, and the large one
    where = depths(score, [len(level) for level in finite])
    return [_level(*each) for each in zip(score.terms, finite, where, where[1:], strict=False)]


def _level(terms: Sequence[Term], finite: Level, here: Depth, below: Depth) -> Level:
    weights = finite_weights(terms)
    if not here.states and len(weights) == len(terms) and below.finite == 0:
        return finite
    rows = np.empty((here.width, len(terms)), np.uint32)
    sums = slice(here.finite, here.finite + len(finite))
    others = {state: node for state, node in here.states.items() if not sums.start <= node < sums.stop}
    for v, term in enumerate(terms):
        if term.state == FINITE and len(finite):
            rows[sums, v] = finite[:, weights.index(term.weight)] + np.uint32(below.finite)
        elif len(finite):
            rows[sums, v] = below.states[term.state]
        for state, node in others.items():
            rows[node, v] = below.states[state | term.state]
    return rows


def _depth(
    score: Score, before: Iterable[int], after: Iterable[int], finite_width: int, ends: dict[tuple[int, ...], int]
) -> Depth:
    """Place the states of one depth around its finite nodes, whose outermost decide as `ends` says."""
    refusing, accepting = [NEVER], [ALWAYS]
    (accepting if score.outcomes[IMPOSSIBLE] else refusing).insert(0, IMPOSSIBLE)
    decides = {s: tuple(score.outcomes[s | t] for t in sorted(after)) for s in before if s != FINITE}
    node: dict[tuple[int, ...], int] = {}
    free = 0
    for s in (*refusing, FINITE, *accepting):
        if s == FINITE:
            finite = free
            free += finite_width
            node |= {how: finite + (finite_width - 1) * last for how, last in ends.items()}
        elif s in decides and decides[s] not in node and decides[s] not in ends:
            node[decides[s]] = free
            free += 1
    return Depth(free, finite, {s: node[how] for s, how in decides.items()})


def _ends(score: Score, after: Sequence[Iterable[int]]) -> list[dict[tuple[int, ...], int]]:
    """For each depth: how its lowest (0) and its highest (1) finite node decide after each kind of suffix,
    where all finite suffixes end alike; nodes between them decide both ways."""
    lows = [min(finite_weights(t), default=0) for t in score.terms]
    highs = [max(finite_weights(t), default=0) for t in score.terms]
    lowest, highest = (list(accumulate(ws, initial=score.start)) for ws in (lows, highs))
    found = []
    for k, kinds in enumerate(after[:-1]):
        ends = {}
        outcomes = (dict(enumerate(score.outcomes)) | {FINITE: sign} for sign in (0, 1))
        negative, positive = (tuple(by_state[s] for s in sorted(kinds)) for by_state in outcomes)
        if FINITE not in kinds or lowest[k] + (highest[-1] - highest[k]) < 0:
            ends[negative] = 0
        if FINITE in kinds and highest[k] + (lowest[-1] - lowest[k]) >= 0:
            ends[positive] = 1
        found.append(ends)
    return found


def _read(states: frozenset[int], terms: Sequence[Term]) -> frozenset[int]:
    """The states that one more attribute can lead to."""
    return frozenset(s | t.state for s in states for t in terms)
