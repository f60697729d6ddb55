# SPDX-License-Identifier: Apache-2.0
"""The weights of a naive Bayes once one more row is learned, for many rows in turn.

A probability is (n + alpha) / total, and a row adds one to the total of its class and to one n of each attribute. So the
logarithms of all n and totals, as they are and one more, give the weights of every model that a row can lead to: they
are worked out once, each rounded by itself. That leaves true ties open, which are for the caller to settle.

Most rows that change a decision change one that was close already, so a few close instances settle most rows.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
from numpy.typing import NDArray

from oddly.diagram import ODD
from oddly.diagram.closest import closest
from oddly.lowering.exact import FixedLog, plain_logs
from oddly.lowering.score import ALWAYS, FINITE, HEADROOM, NEVER, Score, Term
from oddly.model import NaiveBayes


class AddedWeights:
    """The scores of a model and one more row, its attributes in the order of the score of the model itself."""

    def __init__(self, model: NaiveBayes, score: Score) -> None:
        found = model.learned
        assert found is not None
        self.score = score
        positive = model.class_values.index(model.positive or "")
        self.classes = (positive, 1 - positive)
        p = model.threshold
        odds = (Fraction(1), Fraction(1)) if p in (0, 1) else (1 - p, p)  # at 0 and 1 no sum matters
        numbers = [[[found.rows[c] * share] for c, share in zip(self.classes, odds, strict=True)]]
        for place in score.places:
            a = model.attributes[place]
            totals = [n + found.alpha * len(a.values) for n in found.observed[place]]
            rows = [a.given[label] for label in model.class_values]
            numbers.append([[*(p * totals[c] for p in rows[c]), totals[c]] for c in self.classes])
        steps = [odds, *[(Fraction(1), Fraction(1))] * len(score.places)]
        self.logs, self.bits = _logs(numbers, steps, score.bits - HEADROOM)
        self.terms = cache(self._terms)

    def after(self, label: int, values: Sequence[int | None]) -> Score:
        """The score once a row of a class, by its place, with these values is learned; None is a value not known."""
        prior = _term([self.logs[0][side][0][c == label] for side, c in enumerate(self.classes)], ())
        terms = tuple(self.terms(i, label, value) for i, value in enumerate(values, 1))
        return replace(self.score, prior=prior, terms=terms, unit=Fraction(1, 2) ** self.bits)

    def _terms(self, group: int, label: int, value: int | None) -> tuple[Term, ...]:
        """What each value of an attribute weighs once a row of the class has one of them."""
        more = [value is not None and c == label for c in self.classes]
        totals = [logs[-1][one] for logs, one in zip(self.logs[group], more, strict=True)]
        number = len(self.logs[group][0]) - 1
        return tuple(
            _term([logs[w][one and w == value] for logs, one in zip(self.logs[group], more, strict=True)], totals)
            for w in range(number)
        )


class Witnesses:
    """The instances closest to the threshold, among all and among those of each value: the first that a row would tip."""

    def __init__(self, odd: ODD, score: Score) -> None:
        found = [
            dict.fromkeys(i for row in closest(odd, score, label) for i in row if i is not None) for label in (0, 1)
        ]
        self.codes = [np.array(list(instances), np.intp).reshape(-1, len(odd.order)) for instances in found]

    def tipped(self, after: Score) -> bool:
        """Whether the weights decide otherwise on one of them, by more than rounding can have moved it."""
        low, high = after.error
        negative, positive = ([after.prior.weight + s for s in self._sums(codes, after)] for codes in self.codes)
        return any(s < low for s in positive) or any(s > high for s in negative)

    def _sums(self, codes: NDArray[np.intp], after: Score) -> list[int]:
        sums = np.zeros(len(codes), np.int64 if after.bits == 64 else object)
        for column, terms in zip(codes.T, after.terms, strict=True):
            sums += np.array([t.weight for t in terms], sums.dtype)[column]
        return [int(s) for s in sums]


Pair = tuple[FixedLog | None, FixedLog | None]
"""The logarithm of a number as it is, and of one step more; None of zero."""


def _logs(
    numbers: Sequence[Sequence[Sequence[Fraction]]], steps: Sequence[Sequence[Fraction]], room: int
) -> tuple[list[list[list[Pair]]], int]:
    """By group, side and number; and the bits after the point."""
    flat = [
        [f for number in side for f in (number, number + step)]
        for group, by_side in zip(numbers, steps, strict=True)
        for side, step in zip(group, by_side, strict=True)
    ]
    logs, bits = plain_logs([[f or Fraction(1) for f in side] for side in flat] * 2, room)  # twice: values and totals
    known = [[log if f else None for f, log in zip(*both, strict=True)] for both in zip(flat, logs, strict=False)]
    sides = [list(zip(side[::2], side[1::2], strict=True)) for side in known]
    return [list(pair) for pair in zip(sides[::2], sides[1::2], strict=True)], bits


def _term(sides: Sequence[FixedLog | None], totals: Sequence[FixedLog | None]) -> Term:
    """The logarithm of the odds: positive over negative, each over its total."""
    positive, negative = sides
    if positive is None or negative is None:
        return Term(0, NEVER * (positive is None) + ALWAYS * (negative is None))
    signed = [(positive, 1), (negative, -1), *((log, -1 + 2 * i) for i, log in enumerate(totals) if log is not None)]
    low = sum(log.low if sign > 0 else -log.high for log, sign in signed)
    high = sum(log.high if sign > 0 else -log.low for log, sign in signed)
    return Term(sum(sign * log.value for log, sign in signed), FINITE, low, high)
