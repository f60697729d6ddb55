# SPDX-License-Identifier: Apache-2.0
"""Hypothesis strategies for what files hold: networks, boards of points, cut points, and names that need care."""

from fractions import Fraction
from math import prod

from hypothesis import strategies as st

from oddly import Points, Scorecard
from oddly.model import Bins, Network, Node, Scoreboard, Tally
from strategies import rows

PLAIN_NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,5}", fullmatch=True)
ANY_NAMES = st.text(st.characters(codec="utf-8"), min_size=1, max_size=6)


@st.composite
def decimal_rows(draw, size):
    """A row of probabilities with at most four digits; zeros among them."""
    cuts = sorted(draw(st.lists(st.integers(0, 10**4), min_size=size - 1, max_size=size - 1)))
    return [Fraction(b - a, 10**4) for a, b in zip([0, *cuts], [*cuts, 10**4], strict=True)]


@st.composite
def networks(draw, names=ANY_NAMES, values=ANY_NAMES, row=rows):
    """Networks of up to five variables, of one to four values, parents anywhere in the order of the nodes."""
    called = draw(st.lists(names, min_size=1, max_size=5, unique=True))
    labels = {name: draw(st.lists(values, min_size=1, max_size=4, unique=True)) for name in called}
    nodes = []
    for i, name in enumerate(called):
        parents = draw(st.lists(st.sampled_from(called[:i]), max_size=3, unique=True)) if i else []
        size = prod(len(labels[p]) for p in parents)
        make = row(len(labels[name]), True) if row is rows else row(len(labels[name]))
        nodes.append(Node(name, labels[name], parents, [draw(make) for _ in range(size)]))
    return Network(draw(st.permutations(nodes)))


@st.composite
def scoreboards(draw):
    """Boards of two to four classes, ties among them."""
    classes = draw(st.integers(2, 4))
    points = st.lists(st.integers(-3, 3).map(lambda p: Fraction(p, 3)), min_size=classes, max_size=classes)
    sizes = draw(st.lists(st.integers(1, 3), max_size=4))
    tallies = [
        Tally(f"A{i}", [f"v{j}" for j in range(size)], [draw(points) for _ in range(size)])
        for i, size in enumerate(sizes)
    ]
    return Scoreboard(tallies, [f"c{i}" for i in range(classes)], draw(points))


@st.composite
def binned(draw):
    """Scorecards of numbers, with and without a value for missing cells."""
    cuts = sorted(draw(st.sets(st.fractions(-5, 5, max_denominator=12), max_size=4)))
    bins = Bins(cuts, draw(st.sampled_from(["left", "right"])))
    labels = [*bins.labels, *draw(st.sampled_from([[], ["?"]]))]
    return Scorecard([Points("age", labels, range(len(labels)), bins)], cutoff=2)
