# SPDX-License-Identifier: Apache-2.0
"""Combining two diagrams, and counting the result: Oddly against BDD libraries on the same functions.

The thresholds are not symmetric, so that no accident of complementation helps anybody.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from random import Random
from time import perf_counter
from typing import Any

import oddly
from benchmarks.ours import _score, peak_memory
from benchmarks.paper import random_classifier
from benchmarks.peers import LeftOut, _imported
from benchmarks.problems import Problem, random_naive_bayes
from benchmarks.threshold import find_nodes, store
from oddly.engine import build
from oddly.runtime import Watch


@dataclass(frozen=True)
class Combined:
    """Sizes of the two diagrams and of their exclusive or, and the seconds it took."""

    left: int
    right: int
    nodes: int
    seconds: float
    counting: float
    positives: int


def pair(n: int) -> tuple[Problem, Problem]:
    """Two random classifiers over the same attributes, one order for both."""
    return random_naive_bayes(n, seed=2 * n, bits=50), random_naive_bayes(n, seed=2 * n + 1, bits=50)


def with_oddly(n: int) -> Combined:
    """`a ^ b` and a count, best of three."""
    a, b = (build(_score(problem), Watch()) for problem in pair(n))
    return min((_oddly_once(a, b) for _ in range(3)), key=lambda found: found.seconds)


def _oddly_once(a: oddly.ODD, b: oddly.ODD) -> Combined:
    start = perf_counter()
    both = a ^ b
    done = perf_counter()
    positives = both.count("yes")
    return Combined(a.size, b.size, both.size, done - start, perf_counter() - done, positives)


def with_oxidd(n: int) -> Combined:
    """The same in OxiDD, on all processors, which is its default."""
    module = _imported("oxidd.bdd")
    left, right = (find_nodes(problem) for problem in pair(n))
    manager = module.BDDManager(inner_node_capacity=1 << 26, apply_cache_capacity=1 << 22, threads=2)
    variables = [manager.var(i) for i in manager.add_vars(n)]
    a, b = (
        _stored(module.BDDFunction.ite, nodes, variables, manager.false(), manager.true()) for nodes in (left, right)
    )
    start = perf_counter()
    both = a ^ b
    done = perf_counter()
    positives = both.sat_count(n)
    counted = perf_counter()
    return Combined(a.node_count(), b.node_count(), both.node_count(), done - start, counted - done, positives)


def with_dd(n: int) -> Combined:
    """The same in CUDD through dd, or in dd's own Python where CUDD is not to be had."""
    try:
        module = _imported("dd.cudd")
    except LeftOut:
        module = _imported("dd.autoref")
    left, right = (find_nodes(problem) for problem in pair(n))
    bdd = module.BDD()
    bdd.configure(reordering=False)
    names = [f"x{k}" for k in range(n)]
    bdd.declare(*names)
    a, b = (_stored(bdd.ite, nodes, [bdd.var(x) for x in names], bdd.false, bdd.true) for nodes in (left, right))
    start = perf_counter()
    both = bdd.apply("xor", a, b)
    done = perf_counter()
    positives = int(bdd.count(both, n))
    counted = perf_counter()
    return Combined(a.dag_size, b.dag_size, both.dag_size, done - start, counted - done, positives)


@dataclass(frozen=True)
class Related:
    """Comparing a large model with a slightly different one."""

    left: int
    right: int
    changed: int
    seconds: float
    memory: int


def related(n: int) -> Related:
    """A random classifier, and the same with every probability off by up to one in ten thousand."""
    model = random_classifier(n, seed=3)
    nudge = Random(1)
    cpts = []
    for a in model.attributes:
        firsts = {c: min(float(row[0]) * (1 + nudge.uniform(-1e-4, 1e-4)), 0.999999) for c, row in a.given.items()}
        cpts.append(oddly.CPT(a.name, a.values, {c: [p, 1 - Fraction(p)] for c, p in firsts.items()}))
    a = oddly.compile(model)
    b = oddly.compile(model.replace(attributes=cpts), a.order)
    start = perf_counter()
    difference = oddly.compare(a, b)
    return Related(a.size, b.size, difference.count, perf_counter() - start, peak_memory())


def _stored(ite: Any, nodes: Any, variables: Any, false: Any, true: Any) -> Any:
    return store(nodes, variables, ite, false, true)
