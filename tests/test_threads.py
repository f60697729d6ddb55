# SPDX-License-Identifier: Apache-2.0
"""Kernels let go of Python's lock: several threads at once, on the same diagrams, answer as one thread does.

`make sanitize` runs this file under ThreadSanitizer too, which also sees races that happened to do no harm.
"""

import random
import sys
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from threading import Barrier

import numpy as np
import pytest

import oddly
from oddly import CPT, NaiveBayes, Points, Scorecard, native
from oddly.diagram.zones import prove
from oddly.engine import two_ended
from oddly.runtime import Watch

pytestmark = pytest.mark.skipif(not native.AVAILABLE, reason="the kernels are not built")

THREADS = 4
ROUNDS = 3  # of each thread through all the work, each starting elsewhere
VALUES = ["x", "y", "z"]


def card(r, attributes=11):
    return Scorecard([Points(f"A{i}", VALUES, [r.randint(-900, 900) for _ in VALUES]) for i in range(attributes)])


def many_classes(r, attributes=7):
    """Five classes: the kernels of families, not those of sums."""

    def row(n):
        parts = [r.randint(1, 9) for _ in range(n)]
        return [Fraction(part, sum(parts)) for part in parts]

    cpts = [CPT(f"A{i}", VALUES, {c: row(len(VALUES)) for c in "abcde"}) for i in range(attributes)]
    return NaiveBayes("C", list("abcde"), row(5), cpts)


@pytest.fixture(scope="module")
def work():
    """What the threads do: every kernel, on diagrams and arrays that they share."""
    r = random.Random(1)
    cards, families = [card(r), card(r)], many_classes(r)
    a, b = (oddly.compile(c, "as-given") for c in cards)
    many = oddly.compile(families)
    codes = np.random.default_rng(1).integers(0, len(VALUES), (20_000, len(a.variables)))
    start, weights = 7, [[r.randint(-(10**9), 10**9) for _ in VALUES] for _ in range(10)]
    arguments = two_ended.native_arguments(start, weights)
    return {
        "build": lambda: native.kernels.build(
            *arguments, Watch(len(weights)), 8
        ),  # so little patience: it has threads too
        "widths": lambda: two_ended.native_widths(start, weights, 0, len(weights) - 1, Watch(len(weights))),
        "compile": lambda: [c.levels for c in (oddly.compile(cards[0]), oddly.compile(families))],
        "product": lambda: [odd.levels for odd in (a & b, a ^ b, many.is_("a") | many.is_("b"))],
        "decide": lambda: [a.decide(codes), (a & b).decide(codes), many.decide(codes[:, : len(many.variables)])],
        "counts": lambda: [odd.count(label) for odd in (a, b, many) for label in odd.labels],
        "margins": lambda: [prove(odd.levels, odd.root, odd.source) for odd in (a, b, many)],
        "intervals": lambda: [a.intervals(), b.intervals()],
    }


def same(found, expected):
    """Are two answers equal, array by array?"""
    if isinstance(expected, list | tuple) and not hasattr(expected, "_fields"):
        return len(found) == len(expected) and all(map(same, found, expected))
    return np.array_equal(found, expected) if isinstance(expected, np.ndarray) else found == expected


@pytest.fixture
def impatient():
    """Python hands its lock on as often as it can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("staggered", [False, True], ids=["the same kernel", "different kernels"])
def test_threads_on_shared_diagrams_answer_as_one_thread_does(work, staggered):
    alone = {name: do() for name, do in work.items()}
    together = Barrier(THREADS, timeout=600)
    names = list(work)

    def thread(number):
        found = []
        for k in range(ROUNDS * len(names)):
            name = names[(k + 2 * number * staggered) % len(names)]
            together.wait()
            found.append((name, work[name]()))
        return found

    with ThreadPoolExecutor(THREADS) as pool:
        for found in pool.map(thread, range(THREADS)):
            assert len(found) == ROUNDS * len(names)
            assert [name for name, answer in found if not same(answer, alone[name])] == []


def test_what_a_thread_built_outlives_it():
    """Memory of the kernels is kept by thread: arrays of a thread that has ended are still whole."""
    r = random.Random(2)
    model = card(r)
    expected = oddly.compile(model).levels
    with ThreadPoolExecutor(THREADS) as pool:
        built = list(pool.map(lambda _: oddly.compile(model).levels, range(3 * THREADS)))
    oddly.compile(card(r))  # takes memory anew
    assert all(same(levels, expected) for levels in built)
