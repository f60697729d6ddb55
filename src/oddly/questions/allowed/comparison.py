# SPDX-License-Identifier: Apache-2.0
"""Which instances are nearest to another label?  Floats say which can be, and whole numbers which are."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.model import NetworkClassifier
from oddly.questions.allowed.families import LeastLeads
from oddly.questions.allowed.masses import Cases, Listed, NetworkFamily, Places
from oddly.questions.allowed.ranges import log
from oddly.questions.allowed.slack import Leeway

Floats = NDArray[np.float64]

BATCH = 1 << 12  # instances at a time in whole numbers


@dataclass
class Candidates:
    """The instances that may be the first to stop a number, as far as floats can tell."""

    most: float
    """No end is further away than this."""
    found: list[tuple[Floats, Places]] = field(default_factory=list)

    def note(self, least: Floats, most: float, places: Places) -> None:
        """These are at least so far away, and one of them at most so far."""
        self.most = min(self.most, most)
        if len(places):
            self.found.append((least, places))

    @property
    def places(self) -> Places:
        near = [places[least <= self.most] for least, places in self.found]
        return np.unique(np.concatenate(near)) if near else np.empty(0, np.intp)


@dataclass(frozen=True, eq=False)
class ClassComparison:
    """What is held against what: the label of an instance against each other one."""

    classifier: NetworkClassifier

    @cached_property
    def positive(self) -> int | None:
        model = self.classifier
        return None if model.positive is None else model.class_values.index(model.positive)

    def sides(self, numbers: NDArray[Any], labels: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """From numbers by class and instance those of its own label and of the others: [others, instances] each."""
        if self.positive is None:
            return np.take_along_axis(numbers, labels[None].astype(np.intp), 0), numbers
        p = self.classifier.threshold
        whole = numbers.dtype == object
        yes, no = (p.denominator - p.numerator, p.numerator) if whole else (float(1 - p), float(p))
        ours = (numbers[self.positive] * yes)[None]
        theirs = (without(numbers, self.positive) * no)[None]
        won = labels[None] == 1
        return np.where(won, ours, theirs), np.where(won, theirs, ours)

    def met(self, cases: Cases) -> NDArray[np.bool_]:
        """[others, instances]: where both sides are possible, so that sizes decide."""
        can = cases.possible
        if self.positive is None:
            own = np.take_along_axis(can, cases.labels[None].astype(np.intp), 0)
            return np.asarray(can & own & (np.arange(len(can))[:, None] != cases.labels[None]))
        if self.classifier.threshold in (0, 1):
            return np.zeros((1, can.shape[1]), bool)
        return np.asarray(can[self.positive] & np.delete(can, self.positive, axis=0).any(axis=0))[None]

    def included(self, label: int, other: int) -> bool:
        """Whether an instance keeps its label on a par with another."""
        if self.positive is None:
            return label < other
        return (label == 1) == (self.classifier.ties == "positive")


def without(numbers: NDArray[Any], at: int) -> NDArray[Any]:
    """All rows but one, added up: nothing is subtracted, so nothing cancels."""
    return np.asarray(numbers[1 - at] if len(numbers) == 2 else np.delete(numbers, at, axis=0).sum(axis=0))


class Nearness(LeastLeads):
    """By how much labels lead each other at least, over all instances of a table."""

    def __init__(self, source: Listed, contest: ClassComparison) -> None:
        model = contest.classifier
        super().__init__(model, len(model.labels), model.positive is not None and model.threshold in (0, 1))
        self.source, self.contest = source, contest

    def steps(self, scope: tuple[int, ...], i: int, j: int) -> Mapping[int, Leeway]:
        step = self._steps.get((i, j))
        return {} if step is None else {0: step}

    @cached_property
    def _steps(self) -> dict[tuple[int, int], Leeway]:
        found: dict[tuple[int, int], tuple[Fraction, int]] = {}
        for cases in in_batches(self.source, [reach.places for reach in self._reaches().values()], None):
            ours, theirs = self.contest.sides(cases.totals, cases.labels)
            for (i, j), k, other in self._pairs(cases):
                ratio = Fraction(int(np.broadcast_to(ours, theirs.shape)[other, k]), int(theirs[other, k]))
                here = ratio, int(cases.places[k])
                found[i, j] = min(found.get((i, j), here), here)
        labels = self.contest.classifier.labels
        stops = {(i, j): self.source.block(place, labels[j]) for (i, j), (_, place) in found.items()}
        return {ij: Leeway(by, log(by), self.contest.included(*ij), stops[ij]) for ij, (by, _) in found.items()}

    def _reaches(self) -> dict[tuple[int, int], Candidates]:
        found = {(i, j): Candidates(inf) for i in range(self.classes) for j in range(self.classes) if i != j}
        error, floor = slack(self.source, self.contest, None), self.source.blocks.slices.floor
        for cases in self.source.cases(None):
            ours, theirs = self.contest.sides(cases.totals, cases.labels)
            met = self.contest.met(cases)
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # where they do not meet
                least = np.where(ours + theirs > floor, ours / (theirs + floor) * (1 - 2 * error), 0)
                greatest = np.where(theirs > floor, ours / theirs * (1 + 2 * error), inf)
            for (i, j), reach in found.items():
                other = j if self.contest.positive is None else 0
                at = np.flatnonzero((cases.labels == i) & met[other])
                near, most = least[other, at], float(np.min(greatest[other, at], initial=inf))
                near_enough = near <= min(most, reach.most)
                reach.note(near[near_enough], most, cases.places[at[near_enough]])
        return found

    def _pairs(self, cases: Cases) -> Iterator[tuple[tuple[int, int], int, int]]:
        """A label, another one it meets, and where."""
        for other, k in np.argwhere(self.contest.met(cases)).tolist():
            i = int(cases.labels[k])
            yield (i, other if self.contest.positive is None else 1 - i), k, other


def in_batches(source: Listed, places: Sequence[Places], family: NetworkFamily | None) -> Iterator[Cases]:
    """Some instances in whole numbers, not too many at a time."""
    every = np.unique(np.concatenate([np.empty(0, np.intp), *places]))
    for start in range(0, len(every), BATCH):
        yield source.exactly(every[start : start + BATCH], family)


def slack(source: Listed, contest: ClassComparison, family: NetworkFamily | None) -> float:
    """How much of two sides together their difference may be wrong by: four times what rounding can do to either."""
    rounds = source.roundings(family) + len(contest.classifier.class_values) + source.combinations(family) + 16
    return 4.0 * rounds * 2.0**-53
