# SPDX-License-Identifier: Apache-2.0
"""Seeded problems for the benchmarks: a prior and integer weights, attributes in ascending order of impact.

>>> random_naive_bayes(3, seed=1, bits=16)
Problem(prior=-15719, weights=[[5327, -4018], [-24416, 2674], [-8067, 20008]])
>>> two_decimals(2, seed=1)
Problem(prior=-219, weights=[[208, 158], [-147, -3]])
>>> noisy_coarse(2, seed=1)
Problem(prior=-2149999905, weights=[[-200000003, 1699999924], [-2600000070, 15]])
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from random import Random


@dataclass(frozen=True)
class Problem:
    """Positive iff the prior plus the weight of each attribute's value is at least 0."""

    prior: int
    weights: list[list[int]]  # weights[attribute][value]

    @property
    def is_binary(self) -> bool:
        return all(len(row) == 2 for row in self.weights)

    @property
    def instances(self) -> int:
        return math.prod(len(row) for row in self.weights)

    @property
    def reach(self) -> int:
        """How far from 0 can a sum come, over any of the attributes in any order?"""
        return abs(self.prior) + sum(max(map(abs, row)) for row in self.weights)


def random_naive_bayes(n: int, seed: int, arity: int = 2, bits: int = 60) -> Problem:
    """The paper's random classifiers: the prior and every column of a CPT uniform over all distributions.

    For two values that is uniform on (0, 1). Logarithms are scaled so that every sum stays below 2**bits, and rounded.
    """
    random = Random(seed)
    prior = _log_odds(random.random())
    weights = [_log_ratios(_distribution(random, arity), _distribution(random, arity)) for _ in range(n)]
    reach = abs(prior) + sum(max(map(abs, row)) for row in weights)
    scale = 0.999 * 2**bits / reach  # a little short of the limit: rounding adds up
    return _ascending(round(prior * scale), [[round(w * scale) for w in row] for row in weights])


def two_decimals(n: int, seed: int, arity: int = 2) -> Problem:
    """Weights as people write them: uniform on [-3, 3], rounded to 0.01, in hundredths. Many sums coincide."""
    random = Random(seed)

    def weight() -> int:
        return round(random.uniform(-300, 300))

    return _ascending(weight(), [[weight() for _ in range(arity)] for _ in range(n)])


def noisy_coarse(n: int, seed: int, arity: int = 2) -> Problem:
    """Weights rounded to 0.1 plus noise of up to 1e-7, in units of 1e-9. Many sums nearly coincide.

    The prior lies midway between two tenths, where noise decides nothing: many sums, but nodes as few as without it.
    """
    coarse = noisy_ties(n, seed, arity)
    return Problem(coarse.prior + 10**8 // 2, coarse.weights)


def noisy_ties(n: int, seed: int, arity: int = 2) -> Problem:
    """The same with a prior like the weights: where the tenths add up to a tie, noise decides. Many more nodes."""
    random = Random(seed)

    def weight() -> int:
        return round(random.uniform(-30, 30)) * 10**8 + random.randint(-100, 100)

    return _ascending(weight(), [[weight() for _ in range(arity)] for _ in range(n)])


def _distribution(random: Random, arity: int) -> list[float]:
    """Uniform on the simplex: exponential variates over their sum."""
    draws = [random.expovariate(1.0) for _ in range(arity)]
    return [draw / sum(draws) for draw in draws]


def _log_odds(p: float) -> float:
    return math.log(p / (1 - p))


def _log_ratios(given_yes: list[float], given_no: list[float]) -> list[float]:
    return [math.log(yes / no) for yes, no in zip(given_yes, given_no, strict=True)]


def _ascending(prior: int, weights: list[list[int]]) -> Problem:
    return Problem(prior, sorted(weights, key=lambda row: max(row) - min(row)))  # stable: ties stay in index order
