# SPDX-License-Identifier: Apache-2.0
"""How far may a probability move before any decision changes, where variables are hidden?

While an entry p of a row with the sum s moves to q, the others in proportion, the part of Pr(class, instance) that goes
through the entry is multiplied by q/p and that of the others of its row by (s − q)/(s − p). So the lead of an
instance's label over another is a line in q, and the entry may move until the first line comes to zero. Floats with a
bound on their error say which instances can be first; among those whole numbers decide.
"""

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from itertools import product
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.model import Node
from oddly.questions.allowed.comparison import Candidates, ClassComparison, in_batches, slack, without
from oddly.questions.allowed.masses import Blocks, Cases, Listed, NetworkFamily, Places
from oddly.questions.allowed.ranges import Block, End, Range
from oddly.questions.allowed.slack import Entries
from oddly.runtime import poll

Floats = NDArray[np.float64]

LEAST = 2.0**-1000  # numbers below are taken for this one, and floats say nothing about them
NEAREST = 64  # instances that are looked at first: they rule most others out

Tell = Callable[[], object]
Side = tuple[int, int, int]
"""A row, a value in it, and 1 for falling or -1 for rising."""


def hidden_entries(source_of: Callable[[NetworkFamily], Listed], blocks: Blocks) -> Entries:
    """By variable, row and value; the class's own table is left out where it is the prior."""
    model, contest = blocks.classifier, ClassComparison(blocks.classifier)
    found: Entries = {}
    for done, family in enumerate(blocks.families):
        node = family.node
        if node.name == model.class_name and not node.parents and (model.positive is None or len(node.values) == 2):
            continue
        tell = partial(poll, "entries", done, len(blocks.families))
        table = Ends(source_of(family), contest, family, tell).table()
        rows = zip(model.row_names(node), table, strict=True)
        found[node.name] = {said: dict(zip(node.values, ranges, strict=True)) for said, ranges in rows}
    return found


@dataclass(frozen=True)
class Stop:
    """What stops an entry, and how far away."""

    away: Fraction
    included: bool
    """Whether going exactly that far is allowed."""
    block: Block

    @property
    def key(self) -> tuple[Fraction, bool]:
        return self.away, self.included


@dataclass(frozen=True, eq=False)
class Lead:
    """By other label and instance: how much of a lead its own label has.  Infinite where the other is impossible."""

    near: Floats
    """At least."""
    far: Floats
    """At most."""
    both: Floats
    """The two sides together."""
    part: Floats
    """By instance: the least of what part of both sides the lead is."""


class Ends:
    """The ranges of all entries of a variable's table, from the instances that matter."""

    def __init__(
        self, source: Listed, contest: ClassComparison, family: NetworkFamily, tell: Tell = lambda: None
    ) -> None:
        self.source, self.contest, self.family, self.tell = source, contest, family, tell
        self.node: Node = family.node
        classifier = contest.classifier
        self.known = {name: classifier.network.node(name).variable.index(v) for name, v in classifier.evidence}
        self.known |= {name: 0 for name in (*self.node.parents, self.node.name) if self._single(name)}
        sizes = [range(len(classifier.network.node(name).values)) for name in self.node.parents]
        self.rows = [dict(zip(self.node.parents, values, strict=True)) for values in product(*sizes)]
        self.slack = slack(source, contest, family)
        self.floor = source.blocks.slices.floor

    @cached_property
    def numbers(self) -> dict[tuple[int, int], tuple[float, float]]:
        """By row and value, an entry and the others of its row, for all that are to be looked at."""
        moving = ((r, u, row) for r, row in enumerate(self.node.table) for u in _moving(row))
        return {(r, u): (max(float(row[u]), LEAST), max(float(sum(row) - row[u]), LEAST)) for r, u, row in moving}

    def _single(self, name: str) -> bool:
        return len(self.contest.classifier.network.node(name).values) == 1

    def table(self) -> list[list[Range | None]]:
        """By row and value; None for an entry that is 0, or alone in its row: it cannot move."""
        reaches = self._reaches()
        first: dict[Side, Stop] = {}
        for cases in in_batches(self.source, [side.places for side in reaches.values()], self.family):
            for side, reach in reaches.items():
                stop = self._first(side, reach.places, cases)
                if stop is not None and (side not in first or stop.key < first[side].key):
                    first[side] = stop
        return [[self._range(r, u, reaches, first) for u in range(len(row))] for r, row in enumerate(self.node.table)]

    def _range(self, r: int, u: int, asked: Container[Side], first: Mapping[Side, Stop]) -> Range | None:
        row = self.node.table[r]
        now, total = row[u], sum(row, Fraction(0))
        if now in (0, total):
            return None
        if (r, u, 1) not in asked:  # of two, one falls as the other rises
            twin = next(v for v, p in enumerate(row) if p)
            low, high = first.get((r, twin, -1)), first.get((r, twin, 1))
        else:
            low, high = first.get((r, u, 1)), first.get((r, u, -1))
        return Range.between(
            End(now - low.away, low.included, low.block) if low else End(Fraction(0)),
            End(now + high.away, high.included, high.block) if high else End(total),
            now,
            "probability",
        )

    def _reaches(self) -> dict[Side, Candidates]:
        """What may stop each entry from falling, and from rising."""
        found: dict[Side, Candidates] = {}
        for (r, u), (now, rest) in self.numbers.items():
            found[r, u, 1], found[r, u, -1] = Candidates(now), Candidates(rest)
        for cases in self.source.cases(self.family):
            self.tell()
            lead = self._lead(cases)
            for r in dict.fromkeys(r for r, _ in self.numbers):
                at = self._having(cases, r)
                nearest = _least(lead.part[at], NEAREST)
                for u in _moving(self.node.table[r]):
                    self._note(cases, lead, r, u, at[nearest], found)
                    self._note(cases, lead, r, u, at[lead.part[at] <= self._furthest(r, u, found)], found)
        return found

    def _lead(self, cases: Cases) -> Lead:
        ours, theirs = self.contest.sides(cases.totals, cases.labels)
        both, met = ours + theirs, self.contest.met(cases)
        doubtful = met & (both <= self.floor) if self.floor else np.zeros((), bool)
        near = np.where(doubtful, 0, np.maximum(ours - theirs - self.slack * both, 0))
        far = np.where(doubtful, inf, ours - theirs + self.slack * both)
        near, far = np.where(met, near, inf), np.where(met, far, inf)
        return Lead(near, far, both, (near / np.where(both > 0, both, 1)).min(axis=0))

    def _furthest(self, r: int, u: int, found: Mapping[Side, Candidates]) -> float:
        """What part of both sides a lead may be, to vanish as soon as others do: the entry changes them by no more."""
        most, least = max(found[r, u, 1].most, found[r, u, -1].most), min(self.numbers[r, u])
        return most / least * (1 + 1e-9) if least > LEAST else inf

    def _note(self, cases: Cases, lead: Lead, r: int, u: int, where: Places, found: Mapping[Side, Candidates]) -> None:
        """Which of these instances may stop the entry: their leads may vanish before all the others'."""
        slope, error = self._slope(cases, lead, r, u, where)
        near, far, places = lead.near[:, where], lead.far[:, where], cases.places[where]
        for sign, edge in zip((1, -1), self.numbers[r, u], strict=True):
            reach, most = found[r, u, sign], found[r, u, sign].most
            least, greatest = sign * slope - error, sign * slope + error
            closer = far < most * least
            if closer.any():
                most = float(np.min(far[closer] / least[closer])) * (1 + 1e-14)
            can = (greatest > 0) & (near < inf) & ~(near > min(most, reach.most) * greatest)
            last = np.flatnonzero((can & ~(far < edge * least)).any(axis=0))
            if len(last) and not self.floor:
                can[:, last] &= self._before_edge(cases, r, u, sign, where[last])
            hit = np.nonzero(can)
            reach.note(near[hit] / greatest[hit] * (1 - 1e-14), most, places[hit[1]])

    def _slope(self, cases: Cases, lead: Lead, r: int, u: int, where: Places) -> tuple[Floats, Floats]:
        """How much of a lead is lost as the entry falls, per step of it; and by how much that may be wrong."""
        now, rest = self.numbers[r, u]
        up, down = self._through(cases, r, u, where)
        up, down = up / now, down / rest
        labels, both = cases.labels[where], lead.both[:, where]
        slope = np.subtract(*self.contest.sides(up - down, labels))
        error = self.slack * np.add(*self.contest.sides(up + down, labels))
        if self.floor:  # what was lost by underflow is not relative to what is left
            trusted = (both > self.floor) & (min(now, rest) > LEAST)
            with np.errstate(over="ignore"):
                error = np.where(trusted, error + 2.0**-52 * both * (1 / now + 1 / rest), inf)
        return slope, error

    def _before_edge(self, cases: Cases, r: int, u: int, sign: int, at: Places) -> NDArray[np.bool_]:
        """Where a lead may vanish before the entry is 0, or all of its row: often it does exactly there, because
        nothing would be left of the instance."""
        now, rest = self.numbers[r, u]
        up, down = self._through(cases, r, u, at)
        share = down / rest if sign > 0 else up / now
        left = cases.masses[..., at].copy()
        values = self.rows[r]
        cell = left[tuple(values[n] for n in self.family.hidden if n != self.node.name)]
        cell[..., values.get(self.contest.classifier.class_name, slice(None)), :] = 0
        left = left.sum(axis=tuple(range(left.ndim - 2))) + share * (now + rest)
        ours, theirs = self.contest.sides(left, cases.labels[at])
        both = ours + theirs
        return np.asarray(~((ours - theirs > self.slack * both) | (both == 0)), bool)

    def _having(self, cases: Cases, r: int) -> Places:
        """The instances that have the row's values of the parents that are observed."""
        fits = np.ones(len(cases.places), bool)
        for name, value in self.rows[r].items():
            if self.known.get(name, value) != value:
                return np.empty(0, np.intp)
            if name in self.source.blocks.slices.names:
                fits &= self.source.read(name, cases.places) == value
        return np.flatnonzero(fits)

    def _through(self, cases: Cases, r: int, u: int, where: Places) -> tuple[NDArray[Any], NDArray[Any]]:
        """The masses that go through the entry, and through the others of its row: by class and instance."""
        values = self.rows[r]
        name, target = self.node.name, self.contest.classifier.class_name
        masses = cases.masses[tuple(values[n] for n in self.family.hidden if n != name)][..., where]
        if target in values:
            own = np.arange(masses.shape[-2])[:, None] == values[target]
            masses = np.where(own, masses, 0)
        if name in self.family.hidden:
            return masses[u], without(masses, u)
        if name == target:
            own = np.arange(len(masses))[:, None] == u
        elif name in self.known:
            own = np.array(self.known[name] == u)
        else:
            own = (self.source.read(name, cases.places) == u)[None, where]
        return np.where(own, masses, 0), np.where(own, 0, masses)

    # ---- in whole numbers ----

    def _first(self, side: Side, places: Places, cases: Cases) -> Stop | None:
        """Which of these instances is the first to stop the entry; None if none does before the edge."""
        r, u, sign = side
        at = self._among(places, cases, r)
        if not len(at):
            return None
        row = self.node.table[r]
        now, rest = row[u], sum(row) - row[u]
        up, down = self._through(cases, r, u, at)
        pull = up * (rest.numerator * now.denominator) - down * (now.numerator * rest.denominator)
        scale = now.numerator * rest.numerator  # a step of q changes masses by pull / scale times as much
        labels = cases.labels[at]
        lead, slope = (np.subtract(*self.contest.sides(x, labels)) for x in (cases.totals[:, at], pull * sign))
        found = []
        for other, k in np.argwhere(self.contest.met(cases)[:, at] & np.asarray(slope > 0, bool)).tolist():
            away = Fraction(int(lead[other, k]) * scale, int(slope[other, k]))
            found.append((away, self.contest.included(int(labels[k]), other), k))
        if not found or min(found)[0] >= (now if sign > 0 else rest):
            return None
        away, included, k = min(found)
        masses = zip(cases.totals[:, at[k]], pull[:, k], strict=True)
        there = [(t * scale - sign * away * x, -sign * x) for t, x in masses]
        winner = self._winner(int(labels[k]), there, included)
        return Stop(away, included, self.source.block(int(cases.places[at[k]]), winner))

    def _among(self, places: Places, cases: Cases, r: int) -> Places:
        """Where those of these places are among the cases that have the row's values."""
        at = np.flatnonzero(np.isin(cases.places, places, assume_unique=True))
        return np.intersect1d(at, self._having(cases, r))

    def _winner(self, label: int, there: Sequence[tuple[Fraction, int]], past: bool) -> str:
        """The label at the end of a range, or a little past it; given the masses there, and how they go on."""
        labels = self.contest.classifier.labels
        if self.contest.positive is not None:
            return labels[1 - label]
        return labels[max(range(len(there)), key=lambda c: (there[c][0], past and there[c][1], -c))]


def _least(numbers: Floats, count: int) -> Places:
    """Where the least numbers are."""
    return np.argpartition(numbers, count)[:count] if len(numbers) > count else np.arange(len(numbers))


def _moving(row: Sequence[Fraction]) -> list[int]:
    """The entries to look at: those between 0 and the row's sum, and of just two the first."""
    positive = [u for u, p in enumerate(row) if p]
    return positive[: 1 if len(positive) == 2 else 0 if len(positive) < 2 else None]
