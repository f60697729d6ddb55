# SPDX-License-Identifier: Apache-2.0
"""Hypothesis strategies for classifiers, shared by all tests: ties, zeros and one-valued attributes among them."""

from fractions import Fraction
from itertools import product

import numpy as np
from hypothesis import strategies as st

from oddly import CPT, ODD, NaiveBayes, Points, Scoreboard, Scorecard, Tally
from oddly.engine.table import fold

MOST_INSTANCES = 3000  # so that everything can be compared with enumeration


@st.composite
def arities(draw, most_attributes=6, most_values=12):
    """Numbers of values whose product can be enumerated; none and one among them."""
    found = draw(st.lists(st.sampled_from([1, 2, 2, 2, 3, 4, most_values]), max_size=most_attributes))
    kept, instances = [], 1
    for arity in found:
        if instances * arity <= MOST_INSTANCES:
            kept.append(arity)
            instances *= arity
    return kept


@st.composite
def rows(draw, size, zeros):
    """A row of probabilities from small counts, so that ties are common; zeros if they are wanted."""
    counts = draw(st.lists(st.integers(0 if zeros else 1, 9), min_size=size, max_size=size))
    if not any(counts):
        counts[draw(st.integers(0, size - 1))] = 1
    return [Fraction(c, sum(counts)) for c in counts]


@st.composite
def naive_bayes(draw, zeros=True):
    """Naive Bayes classifiers of two classes; thresholds 0 and 1 among them."""
    sizes = draw(arities())
    with_zeros = zeros and draw(st.booleans())
    attributes = [
        CPT(
            f"A{i}",
            [f"v{j}" for j in range(size)],
            {c: draw(rows(size, with_zeros)) for c in ("yes", "no")},
        )
        for i, size in enumerate(sizes)
    ]
    thresholds = ["1/2", "1/3", "0.9"] + (["0", "1"] if zeros else [])
    return NaiveBayes(
        "C",
        ["yes", "no"],
        draw(rows(2, with_zeros)),
        attributes,
        threshold=draw(st.sampled_from(thresholds)),
        ties=draw(st.sampled_from(["positive", "negative"])),
    )


@st.composite
def scorecards(draw):
    """Scorecards: coarse points (many ties), huge and tiny ones, and pairs that almost cancel."""
    scale = draw(st.sampled_from([1, 2, 5, 10**6, Fraction(1, 10**9), 10**18, 10**40]))
    point = st.integers(-3, 3).map(lambda p: p * scale)
    sizes = draw(arities())
    attributes = [
        Points(f"A{i}", [f"v{j}" for j in range(s)], draw(st.lists(point, min_size=s, max_size=s)))
        for i, s in enumerate(sizes)
    ]
    if draw(st.booleans()) and instances(attributes) * 4 <= MOST_INSTANCES:
        huge = draw(st.sampled_from([10**20, 10**45, 3**200]))
        near = st.integers(-2, 2)
        attributes += [
            Points("plus", ["on", "off"], [huge + draw(near) * scale, draw(near) * scale]),
            Points("minus", ["on", "off"], [-huge + draw(near) * scale, draw(near) * scale]),
        ]
    ties = draw(st.sampled_from(["positive", "negative"]))
    return Scorecard(attributes, cutoff=draw(point), intercept=draw(point), ties=ties)


def instances(attributes):
    total = 1
    for a in attributes:
        total *= len(a.values)
    return total


def classifiers():
    """Any classifier that compiles."""
    return naive_bayes() | scorecards()


@st.composite
def domains(draw, model):
    """A set of a model's instances, and the same as a diagram in any order: empty, full and single ones among them."""
    variables = draw(st.permutations(model.variables))
    places = [model.variables.index(v) for v in variables]
    shape = [len(v.values) for v in variables]
    codes = list(product(*map(range, shape)))
    kind = draw(st.sampled_from(["empty", "full", "single", "any", "any", "any"]))
    one = draw(st.integers(0, len(codes) - 1))
    seed, share = draw(st.integers(0, 1 << 30)), draw(st.sampled_from([0.2, 0.5, 0.9]))
    drawn = np.random.default_rng(seed).random(len(codes)) < share
    inside = {"empty": drawn & False, "full": drawn | True, "single": np.arange(len(codes)) == one, "any": drawn}[kind]
    levels, root = fold(inside.astype(np.uint8), shape)
    odd = ODD(tuple(variables), ("no", "yes"), tuple(levels), root, tuple(places))
    by_column = np.argsort(places)
    members = {tuple(row[i] for i in by_column) for row, kept in zip(codes, inside, strict=True) if kept}
    return odd, members


@st.composite
def small_classifiers(draw):
    """Two or three classes by probabilities with zeros, or points; few enough inputs to walk all pairs of them."""
    kind = draw(st.sampled_from(["naive", "naive", "points", "board"]))
    sizes = draw(st.lists(st.sampled_from([1, 2, 2, 3]), max_size=4))
    names = [(f"A{i}", [f"v{j}" for j in range(size)]) for i, size in enumerate(sizes)]
    if kind == "naive":
        classes = ["yes", "no", "perhaps"][: draw(st.sampled_from([2, 2, 3]))]
        zeros = draw(st.booleans())
        cpts = [CPT(n, values, {c: draw(rows(len(values), zeros)) for c in classes}) for n, values in names]
        positive = "yes" if len(classes) == 2 else draw(st.sampled_from(["yes", None]))
        threshold = draw(st.sampled_from(["1/2", "1/3", "0.9", "0", "1"])) if positive else "1/2"
        return NaiveBayes("C", classes, draw(rows(len(classes), zeros)), cpts, positive, threshold)
    point = st.integers(-2, 2)
    if kind == "points":
        given = [Points(n, values, [draw(point) for _ in values]) for n, values in names]
        return Scorecard(given, cutoff=draw(point), ties=draw(st.sampled_from(["positive", "negative"])))
    three = st.lists(point, min_size=3, max_size=3)
    return Scoreboard([Tally(n, values, [draw(three) for _ in values]) for n, values in names], ["x", "y", "z"])
