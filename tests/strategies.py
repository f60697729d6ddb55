# SPDX-License-Identifier: Apache-2.0
"""Hypothesis strategies for classifiers, shared by all tests: ties, zeros and one-valued attributes among them."""

from fractions import Fraction

from hypothesis import strategies as st

from oddly import CPT, NaiveBayes, Points, Scorecard

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
