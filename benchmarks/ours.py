# SPDX-License-Identifier: Apache-2.0
"""Oddly as one of the peers, and what it does beyond them."""

from __future__ import annotations

import resource
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np

import oddly
from benchmarks.paper import random_classifier
from benchmarks.peers import LeftOut, Peer, Result
from benchmarks.problems import Problem
from oddly import Points, Scorecard
from oddly.diagram.rows import decide
from oddly.engine import Engine, build
from oddly.lowering.score import Score, lower
from oddly.runtime import Watch


def native(problem: Problem) -> Result:
    """Oddly's C++ engine. Counts nodes at all depths, and both sinks."""
    return _build(problem, "native")


def numpy(problem: Problem) -> Result:
    """The same algorithm in NumPy."""
    return _build(problem, "numpy")


def reference(problem: Problem) -> Result:
    """The paper's algorithms in Python, the tests' oracle."""
    return _build(problem, "reference")


@dataclass(frozen=True)
class Repeated:
    """A peer that does its work several times in one process and reports the best."""

    peer: Peer
    times: int

    def __call__(self, problem: Problem) -> Result:
        return min((self.peer(problem) for _ in range(self.times)), key=lambda result: result.seconds)


@dataclass(frozen=True)
class Whole:
    """What compiling a model cost, from its probabilities to the proof."""

    nodes: int
    seconds: float
    proven: bool
    bits: int
    memory: int


def whole_model(n: int) -> Whole:
    """A random naive Bayes of n attributes, exact fractions in, proven diagram out."""
    model = random_classifier(n, seed=n)
    oddly.compile(oddly.examples.pregnancy())  # so that what is imported on first use is here
    start = perf_counter()
    odd = oddly.compile(model)
    certificate = odd.certificate
    seconds = perf_counter() - start
    return Whole(odd.size, seconds, certificate.proven, certificate.bits, peak_memory())


def peak_memory() -> int:
    """The most memory this process has held; the kernel's other figure starts with what its parent held."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))
    except (OSError, StopIteration):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


@dataclass(frozen=True)
class Rows:
    """Seconds to label a million rows of value indices."""

    nodes: int
    attributes: int
    from_weights: float
    through_diagram: float


def million_rows(n: int = 31) -> Rows:
    """A random classifier with a diagram of some 60,000 nodes labels a million rows, both ways; they must agree."""
    odd = oddly.compile(random_classifier(n, seed=2))
    codes = np.random.default_rng(0).integers(0, 2, (1_000_000, n)).astype(np.int64)
    ranks = np.argsort(np.argsort(odd.places))
    seconds, found = [], []
    for weights in (odd.source, None):
        times = []
        for _ in range(5):
            start = perf_counter()
            labels = decide(codes, odd.levels, odd.root, ranks, 2, weights)
            times.append(perf_counter() - start)
        seconds.append(min(times))
        found.append(labels)
    assert np.array_equal(*found)
    return Rows(odd.size, n, *seconds)


def _build(problem: Problem, engine: Engine) -> Result:
    if engine == "native" and not oddly.native.AVAILABLE:
        raise LeftOut("the kernels are not built")
    score = _score(problem)
    watch = Watch()
    start = perf_counter()
    odd = build(score, watch, engine)
    seconds = perf_counter() - start
    return Result(odd.size, seconds, odd.count("yes") if odd.size < 5_000_000 else None)


def _score(problem: Problem) -> Score:
    card = [Points(f"E{k}", [str(v) for v in range(len(row))], row) for k, row in enumerate(problem.weights)]
    return lower(Scorecard(card, intercept=problem.prior))
