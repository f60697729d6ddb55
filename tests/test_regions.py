# SPDX-License-Identifier: Apache-2.0
"""Every node's region: exactly the scores after which all suffixes are decided as at the node."""

from fractions import Fraction
from itertools import product
from math import exp, inf, log

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import oddly
from networks import decision, joint, network_classifiers
from oddly import NaiveBayes
from oddly.diagram.regions import Interval, regions
from oddly.diagram.sources import Tabled
from oddly.lowering import Families, Family, lower_families
from oddly.model import Network, NetworkClassifier, Node, Scoreboard, Tally
from oddly.model.elimination import factors
from oddly.studio.picture import picture, within
from strategies import classifiers, naive_bayes, rows
from test_beyond import tree
from test_multiclass import most_probable, scoreboards

SLACK = 1e-9  # ends are floats


def inside(found, row, scores, slack=0.0):
    """Whether scores lie in a region, by its bounds: a number per class, and None for those that are impossible."""
    among = [c for c, s in enumerate(scores) if s is not None]
    for i, j in product(among, repeat=2):
        gap = scores[i] - scores[j] - found.least[row, i, j]
        if i != j and (gap < -slack or (gap == 0 and found.strict[i, j] and not slack)):
            return False
    return True


def row_of(found, node, context, possible):
    """The one row of a node in a context with these classes possible."""
    (row,) = np.flatnonzero(
        (found.node == node) & (found.context == context) & (found.possible == np.array(possible)).all(axis=1)
    )
    return int(row)


def context_of(found, names, prefix):
    """The place of a prefix's remembered values."""
    place = 0
    for variable in found.remembered:
        place = place * len(variable.values) + prefix[names.index(variable.name)]
    return place


# ---- whole numbers: families by definition ----


@st.composite
def whole_families(draw):
    """Up to four attributes tied together at will, small whole numbers, zeros, any order of ties."""
    sizes = draw(st.lists(st.sampled_from([1, 2, 2, 3]), min_size=1, max_size=4))
    classes = draw(st.integers(2, 4))
    zeros = draw(st.booleans())
    places = st.integers(0, len(sizes) - 1)
    scopes = draw(st.lists(st.lists(places, min_size=1, max_size=3, unique=True).map(sorted), max_size=5))
    labels = [f"c{c}" for c in range(classes)]
    board = Scoreboard([Tally(f"A{k}", [f"v{v}" for v in range(size)], [[0] * classes] * size)
                        for k, size in enumerate(sizes)], labels, [0] * classes, "C")  # fmt: skip
    return Families(
        board,
        "negative",
        64,
        draw(family((), [], classes, zeros)),
        tuple(draw(family(tuple(scope), [sizes[a] for a in scope], classes, zeros)) for scope in scopes),
        board.variables,
        tuple(range(len(sizes))),
        Fraction(1),
        False,
        tuple(draw(st.permutations(range(classes)))),
        tuple(range(classes)),
        draw(st.integers(0, classes - 1)),
        draw(st.sampled_from([0.0, 1.5])) if classes == 2 else 0.0,
    )


@st.composite
def family(draw, scope, sizes, classes, zeros):
    shape = (*sizes, classes)
    entries = int(np.prod(shape))
    numbers = draw(st.lists(st.integers(-2, 2), min_size=entries, max_size=entries))
    alive = np.ones(entries, bool)
    if zeros:
        alive = ~np.array([draw(st.integers(0, 5)) == 0 for _ in range(entries)], bool)
    weights = np.where(alive, numbers, 0).reshape(shape)
    nothing = np.zeros(shape, object)
    return Family(scope, weights, alive.reshape(shape), nothing, nothing, nothing)


def added(families, found, values, start=None):
    """What these families add to the scores of an instance, or of a prefix of one; None where a class is impossible."""
    scores = [Fraction(0)] * families.classes if start is None else list(start)
    for f in found:
        at = tuple(values[a] for a in f.scope)
        for c in range(families.classes):
            scores[c] = scores[c] + int(f.weights[at][c]) if scores[c] is not None and f.alive[at][c] else None
    return scores


def winner(families, scores):
    possible = [c for c in families.order if scores[c] is not None]
    if not possible:
        return families.fallback
    best = max(scores[c] for c in possible)
    return next(families.labels_of[c] for c in possible if scores[c] == best)


def function(families, prefix, scores):
    """The decisions of all suffixes after a prefix that has these scores."""
    open_ = [f for f in families.families if f.scope[-1] >= len(prefix)]
    rest = [range(len(v.values)) for v in families.variables[len(prefix) :]]
    return [winner(families, added(families, open_, (*prefix, *suffix), scores)) for suffix in product(*rest)]


def standing(families, prefix):
    """The scores of a prefix: all families that it completes."""
    complete = [f for f in families.families if f.scope[-1] < len(prefix)]
    return added(families, [families.prior, *complete], prefix)


def diagram(families):
    """The levels of the diagram, one node per function, by enumeration; and the node of every prefix."""
    sizes = [len(v.values) for v in families.variables]
    nodes, names = {(): 0}, [{tuple(function(families, (), standing(families, ()))): 0}]
    levels = []
    for k in range(len(sizes)):
        known, level = {(label,): label for label in range(families.classes)} if k == len(sizes) - 1 else {}, {}
        for prefix in product(*map(range, sizes[:k])):
            row = []
            for value in range(sizes[k]):
                longer = (*prefix, value)
                what = tuple(function(families, longer, standing(families, longer)))
                nodes[longer] = known.setdefault(what, len(known))
                row.append(nodes[longer])
            level[nodes[prefix]] = row
        levels.append(np.array([level[node] for node in range(len(names[-1]))], np.uint32))
        names.append(known)
    return levels, nodes


def moved(found, row, scores, rng):
    """Scores near every end of a region, on it, and far away."""
    among = [c for c, s in enumerate(scores) if s is not None]
    for i, j in product(among, repeat=2):
        if i != j:
            gap = found.least[row, i, j]
            gaps = [gap, gap - 1, gap + 1, gap - 0.5, gap + 0.5] if gap > -inf else [-1000, 1000]
            for g in gaps:
                yield [scores[j] + Fraction(g) if c == i else s for c, s in enumerate(scores)]
    for _ in range(5):
        yield [None if s is None else s + rng.randint(-6, 6) for s in scores]


@settings(max_examples=60, deadline=None)
@given(families=whole_families(), rng=st.randoms(use_true_random=False))
def test_a_region_holds_exactly_the_scores_that_decide_all_suffixes_alike(families, rng):
    levels, nodes = diagram(families)
    by_depth = regions(levels, 0, families)
    assert len(by_depth) == len(levels)
    moves = Fraction(families.threshold)  # log-odds of the second class are held against it
    for prefix, node in nodes.items():
        if len(prefix) == len(levels):
            continue
        found, scores = by_depth[len(prefix)], standing(families, prefix)
        shifted = [s if s is None or c == 0 else s + moves for c, s in enumerate(scores)]
        possible = [s is not None for s in scores]
        context = context_of(found, families.names, prefix)
        row = row_of(found, node, context, possible)
        for other in range(len(found)):
            if found.context[other] == context and found.possible[other].tolist() == possible:
                assert inside(found, other, shifted) == (other == row)
        here = function(families, prefix, scores)
        for point in moved(found, row, shifted, rng):
            back = [s if s is None or c == 0 else s - moves for c, s in enumerate(point)]
            assert inside(found, row, point) == (function(families, prefix, back) == here)


@settings(max_examples=30, deadline=None)
@given(families=whole_families())
def test_one_region_says_what_the_arrays_say(families):
    levels, _ = diagram(families)
    for found in regions(levels, 0, families):
        assert [region.node for region in found] == sorted(found.node.tolist())
        for row, region in enumerate(found):
            assert [region.context[v.name] in v.values for v in found.remembered] == [True] * len(found.remembered)
            assert region.possible == tuple(np.array(found.labels)[found.possible[row]])
            for a, b in product(region.possible, repeat=2):
                if a != b:
                    i, j = found.labels.index(a), found.labels.index(b)
                    one, two = region.zone[a][b], region.zone[b][a]
                    assert (
                        (one.low, one.high)
                        == (-two.high, -two.low)
                        == (found.least[row, i, j], -found.least[row, j, i])
                    )
                    assert (one.includes_low, one.includes_high) == (two.includes_high, two.includes_low)
                    assert (one.low in one) == one.includes_low == (one.low > -inf and not found.strict[i, j])
            if len(found.labels) == 2 == len(region.possible):
                assert found.intervals[row].tolist() == [region.interval.low, region.interval.high]
                assert region.interval == region.zone["c1"]["c0"]
            else:
                assert region.interval is None
        assert all(region.node == node for node in range(3) for region in found.of(node))
        assert sum(len(found.of(node)) for node in set(found.node.tolist())) == len(found)


# ---- models, in fractions ----


@st.composite
def tied(draw):
    """Attributes that depend on the class and on one another, so that contexts are many; one may be hidden or known."""
    zeros, classes = draw(st.booleans()), draw(st.integers(2, 3))
    nodes = [Node("C", ["a", "b", "c"][:classes], [], [draw(rows(classes, zeros))])]
    for k in range(draw(st.integers(2, 5))):
        above = draw(st.lists(st.sampled_from(nodes[1:]), min_size=1, max_size=2, unique=True)) if k else []
        size = draw(st.sampled_from([2, 2, 3, 1]))
        table = [draw(rows(size, zeros)) for _ in range(int(np.prod([len(n.values) for n in (nodes[0], *above)])))]
        nodes.append(Node(f"A{k}", [f"v{v}" for v in range(size)], ["C", *(n.name for n in above)], table))
    left = draw(st.sampled_from([None, None, *nodes[1:]]))
    known = {left.name: left.values[0]} if left and draw(st.booleans()) else {}
    return NetworkClassifier(
        Network(nodes),
        "C",
        [n.name for n in nodes[1:] if n is not left],
        draw(st.sampled_from(["a", "b"])) if classes == 2 else None,
        draw(st.sampled_from(["1/2", "1/3", "0.9", "0", "1"])),
        draw(st.sampled_from(["positive", "negative"])),
        known,
    )


def completed(model, order):
    """For each depth the factors that are complete there, by the place of their attributes in the order."""
    place = {model.attributes.index(name): k for k, name in enumerate(order)}
    found = []
    for factor in factors(model):
        scope = [place[a] for a in factor.scope]
        found.append((max(scope, default=-1), scope, factor.table))
    return found


def shares(model, found, prefix):
    """What the complete factors of a prefix give each class, the positive one last."""
    product_ = [Fraction(1)] * len(model.class_values)
    for last, scope, table in found:
        if last < len(prefix):
            product_ = [p * Fraction(t) for p, t in zip(product_, table[tuple(prefix[k] for k in scope)], strict=True)]
    return product_ if model.positive is None else [product_[c] for c in negative_first(model)]


def negative_first(model):
    positive = model.class_values.index(model.positive)
    return [1 - positive, positive]


def decided(model, masses, prefix, times, impossible):
    """The decisions of all suffixes once each class's share is multiplied."""
    factor = list(times)
    if model.positive is not None:
        for c, t in zip(negative_first(model), times, strict=True):
            factor[c] = t
    rest = masses[tuple(prefix)].reshape(-1, len(times))
    return [decision(model, [m * t for m, t in zip(row, factor, strict=True)], impossible)[0] for row in rest]


def check_by_fractions(odd, model, impossible, rng):
    masses = joint(model)
    axes = [model.attributes.index(name) for name in odd.order]
    masses = masses.transpose([*axes, len(axes)])
    known = completed(model, odd.order)
    for k, found in enumerate(odd.regions()):
        prefixes = list(product(*map(range, odd.arities[:k])))
        for prefix in rng.sample(prefixes, min(3, len(prefixes))):
            node = odd.root
            for level, value in zip(odd.levels, prefix, strict=False):
                node = int(level[node, value])
            product_ = shares(model, known, prefix)
            row = row_of(found, node, context_of(found, odd.order, prefix), [bool(p) for p in product_])
            scores = [log(p.numerator) - log(p.denominator) if p else None for p in product_]
            assert inside(found, row, scores, SLACK)
            for other in range(len(found)):
                met = (
                    found.context[other] == found.context[row] and (found.possible[other] == found.possible[row]).all()
                )
                assert other == row or not met or not inside(found, other, scores, -SLACK)
            here = decided(model, masses, prefix, [Fraction(1)] * len(scores), impossible)
            for by in nudges(found, row, scores, rng):
                point = [None if s is None else s + d for s, d in zip(scores, by, strict=True)]
                there = decided(model, masses, prefix, [Fraction(exp(d)) for d in by], impossible)
                if inside(found, row, point, -SLACK):
                    assert there == here
                elif not inside(found, row, point, SLACK):
                    assert there != here


def nudges(found, row, scores, rng):
    """By how much to move the scores: just short of every end, just past it, and at random."""
    among = [c for c, s in enumerate(scores) if s is not None]
    for i, j in product(among, repeat=2):
        if i != j:
            gap = scores[i] - scores[j] - found.least[row, i, j]
            for by in [-gap + 1e-6, -gap - 1e-6] if gap < inf else [-30.0]:
                yield [by if c == i else 0.0 for c in range(len(scores))]
    yield [rng.uniform(-2, 2) for _ in scores]


@settings(max_examples=80, deadline=None)
@given(
    model=tied() | network_classifiers(),
    impossible=st.sampled_from(["negative", "positive"]),
    seed=st.integers(0, 99),
    rng=st.randoms(use_true_random=False),
)
def test_a_network_s_scores_lead_to_a_node_iff_they_lie_in_its_region(model, impossible, seed, rng):
    odd = oddly.compile(model, f"random:{seed}", impossible=impossible)
    assume(not isinstance(odd.source, Tabled))
    check_by_fractions(odd, model, impossible, rng)


@settings(max_examples=40, deadline=None)
@given(model=most_probable() | naive_bayes(), seed=st.integers(0, 99), rng=st.randoms(use_true_random=False))
def test_the_shares_of_many_classes_lead_to_a_node_iff_they_lie_in_its_zone(model, seed, rng):
    assume(np.prod([len(v.values) for v in model.variables]) <= 200)
    check_by_fractions(oddly.compile(model, f"random:{seed}"), NetworkClassifier.of(model), "negative", rng)


# ---- the same numbers another way ----


@settings(max_examples=50, deadline=None)
@given(model=classifiers(), impossible=st.sampled_from(["negative", "positive"]), seed=st.integers(0, 99))
def test_a_sum_of_weights_has_its_intervals_for_regions(model, impossible, seed):
    odd = oddly.compile(model, f"random:{seed}", impossible=impossible)
    for ends, found in zip(odd.intervals(), odd.regions(), strict=True):
        assert (found.remembered, found.context.any()) == ((), False)
        both = found.possible.all(axis=1)
        assert np.array_equal(found.intervals[both], ends[found.node[both]])
        assert np.isnan(found.intervals[~both]).all()
        unreached = np.setdiff1d(np.arange(len(ends)), found.node[both])
        assert np.isnan(ends[unreached]).all()
        assert (found.unit == "points") == isinstance(model, oddly.Scorecard)
        assert found.strict.tolist() == [[False, model.ties == "positive"], [model.ties == "negative", False]]


@settings(max_examples=50, deadline=None)
@given(model=naive_bayes(), bits=st.sampled_from([64, 128]), seed=st.integers(0, 99))
def test_a_naive_bayes_as_families_has_the_same_intervals(model, bits, seed):
    odd = oddly.compile(model, f"random:{seed}")
    families = lower_families(model, bits)
    families = families.in_order([families.index(name) for name in odd.order])
    for ends, found in zip(odd.intervals(), regions(odd.levels, odd.root, families), strict=True):
        both = found.possible.all(axis=1)
        assert found.intervals[both] == pytest.approx(ends[found.node[both]], abs=SLACK)


@settings(max_examples=40, deadline=None)
@given(model=tied() | network_classifiers())
def test_the_root_s_interval_is_that_of_the_certificate(model):
    odd = oddly.compile(model)
    assume(isinstance(odd.source, Families) and odd.levels)
    ends = odd.certificate.interval
    (root,) = odd.regions()[0]
    if ends is not None and len(root.possible) == 2:
        prior = model.network.node(model.class_name).table[0]
        negative, positive = (prior[c] for c in negative_first(model))
        moved_by = log(positive / negative) - before(model)  # the evidence counts, and is not in the prior
        assert (root.interval.low + moved_by, root.interval.high + moved_by) == pytest.approx(ends, abs=SLACK)
        allowed = oddly.allowed(odd).prior
        assert (allowed.low, allowed.high) == pytest.approx(ends, abs=SLACK)
        shut = (allowed.includes_low, allowed.includes_high)
        assert shut == (root.interval.includes_low, root.interval.includes_high)


def before(model):
    """The log-odds of the positive class before any attribute is known."""
    negative, positive = shares(model, completed(model, model.attributes), ())
    return log(positive / negative)


@settings(max_examples=20, deadline=None)
@given(model=most_probable() | scoreboards())
def test_the_root_s_zone_is_that_of_allowed(model):
    odd = oddly.compile(model)
    assume(odd.levels)
    (root,) = odd.regions()[0]
    for a, others in oddly.allowed(odd).zone.items():
        for b, number in others.items():
            interval = root.zone[a][b]
            ends = (number.low, number.high)
            rounding = odd.certificate.error  # of huge points
            assert (interval.low, interval.high) == pytest.approx(ends, rel=SLACK, abs=SLACK + rounding)
            assert (interval.includes_low, interval.includes_high) == (number.includes_low, number.includes_high)


def test_prefixes_of_a_larger_tree_lie_in_their_own_regions_only():
    odd = oddly.compile(tree(5, 24))
    families, rng = odd.source, np.random.default_rng(1)
    by_depth = odd.regions()
    assert sum(map(len, by_depth)) >= odd.size - 2 > 5000
    for _ in range(40):
        prefix = tuple(rng.integers(0, 2, rng.integers(1, 23)).tolist())
        found = by_depth[len(prefix)]
        node = odd.root
        for level, value in zip(odd.levels, prefix, strict=False):
            node = int(level[node, value])
        scores = [float(s * families.unit) for s in standing(families, prefix)]
        low, high = found.intervals[found.context == context_of(found, odd.order, prefix)].T
        here = np.flatnonzero((low <= scores[1] - scores[0]) & (scores[1] - scores[0] < high))
        assert found.node[found.context == context_of(found, odd.order, prefix)][here].tolist() == [node]


# ---- what is written ----


def wet(threshold="1/2", ties="positive", **evidence):
    """Does it rain?  The wind says how much the grass tells; in high wind it is wet from rain alone."""
    nodes = [
        Node("rain", ["yes", "no"], [], [["1/2", "1/2"]]),
        Node("wind", ["high", "low"], ["rain"], [["1/2", "1/2"], ["1/4", "3/4"]]),
        Node("grass", ["wet", "dry"], ["rain", "wind"], [["1/2", "1/2"], ["3/4", "1/4"], ["0", "1"], ["1/4", "3/4"]]),
    ]
    attributes = [name for name in ("wind", "grass") if name not in evidence]
    return NetworkClassifier(Network(nodes), "rain", attributes, "yes", threshold, ties, evidence)


def test_a_region_is_a_sentence_about_its_context():
    root, below = oddly.compile(wet(), ["wind", "grass"]).regions()
    assert repr(root) == "Region: node 0: log-odds of yes in [0, 1.504)"  # log 9/2 is 1.504
    assert repr(below) == (
        "Region: node 0 where wind=high: log-odds of yes in [0.6931, inf)\n"
        "Region: node 1 where wind=low: log-odds of yes in [-1.099, 1.099)"
    )


def test_a_tie_that_is_negative_moves_the_bracket():
    _, below = oddly.compile(wet(ties="negative"), ["wind", "grass"]).regions()
    assert [repr(region.interval) for region in below] == ["(-inf, 0.6931]", "(-1.099, 1.099]"]


def test_a_threshold_moves_all_intervals_by_its_log_odds():
    half, tenth = (oddly.compile(wet(p), ["wind", "grass"]).regions()[1].intervals for p in ("1/2", "1/3"))
    assert tenth[1] == pytest.approx(half[1] + log(1 / 2))


@pytest.mark.parametrize("threshold", ["0", "1"])
@pytest.mark.parametrize("ties", ["positive", "negative"])
def test_at_a_threshold_of_0_or_1_any_finite_score_will_do(threshold, ties):
    for found in oddly.compile(wet(threshold, ties)).regions():
        assert [r.sentence() for r in found if len(r.possible) == 2] == ["any score"] * int(
            found.possible.all(axis=1).sum()
        )
        assert all((low, high) == (-inf, inf) for low, high in found.intervals[found.possible.all(axis=1)])


def test_what_is_known_counts_before_the_first_attribute():
    known = oddly.compile(wet(wind="low")).regions()[0]
    assert known.intervals.tolist() == pytest.approx(np.array([[-log(3), log(3)]]))
    assert repr(oddly.compile(wet()).restrict(wind="low").regions()[0]) == repr(known)


def test_where_one_class_is_left_it_says_so():
    (found,) = oddly.compile(wet(), ["grass", "wind"]).regions()[1].of(1)[:1]
    assert found.possible == ("no", "yes")
    never = oddly.NaiveBayes("C", ["yes", "no"], ["1/2", "1/2"], [
        oddly.CPT("A", ["x", "y", "z"], {"yes": ["1", "0", "0"], "no": ["0", "1", "0"]}),
        oddly.CPT("B", ["x", "y"], {"yes": ["1", "0"], "no": ["1", "0"]})])  # fmt: skip
    below = oddly.compile(never, ["A", "B"], impossible="positive").regions()[1]
    assert sorted(region.sentence() for region in below) == [
        "nothing is possible", "only no is possible", "only yes is possible"]  # fmt: skip
    assert np.isnan(below.intervals).all()
    assert all(region.zone.keys() == set(region.possible) and region.interval is None for region in below)


def test_points_are_said_as_points():
    card = oddly.Scorecard([oddly.Points("A", ["x", "y"], [1, -1]), oddly.Points("B", ["x", "y"], [2, 0])], cutoff=1)
    assert repr(oddly.compile(card, ["A", "B"]).regions()[1][0]).endswith(": points in [-1, 1)")
    board = Scoreboard([Tally("A", ["x", "y"], [[1, 0, 0], [0, 2, 0]])], ["a", "b", "c"], [0, 0, 0], "C")
    (root,) = oddly.compile(board).regions()[0]
    assert (
        root.sentence() == "lead of a over b in [-1, 2), lead of a over c in [-1, inf), lead of b over c in [-2, inf)"
    )
    assert root.zone["b"]["a"] == Interval(-2.0, 1.0, False, True)


def test_ends_that_look_alike_are_written_out():
    assert repr(Interval(1.00001, 1.00002, True, False)) == "[1.00001, 1.00002)"
    assert (1.0 in Interval(1.0, 2.0, False, True), 2.0 in Interval(1.0, 2.0, False, True)) == (False, True)


def test_a_long_list_is_cut():
    found = max(oddly.compile(tree(5, 12)).regions(), key=len)
    assert repr(found).splitlines()[-1] == f"… and {len(found) - 20} more"
    assert len(repr(found).splitlines()) == 21


def test_what_has_no_regions_says_so():
    odd = oddly.compile(wet())
    with pytest.raises(oddly.Unsupported, match="combined from others, so its nodes have no regions"):
        (odd & odd).regions()
    with pytest.raises(oddly.Unsupported, match=r"needs a sum of one weight per attribute .* odd.regions\(\)"):
        odd.intervals()
    many = NaiveBayes("C", ["a", "b", "c"], ["1/2", "1/4", "1/4"], [])
    tabled = oddly.compile(many.replace(positive="a"))
    with pytest.raises(oddly.Unsupported, match="decided one by one"):
        tabled.regions()
    three = oddly.compile(tree(1, 3, ("a", "b", "c"))).regions()[1]
    with pytest.raises(oddly.Unsupported, match="an interval is for two classes; of 3, each region has a zone"):
        three.intervals  # noqa: B018


def test_a_diagram_without_attributes_has_no_regions():
    assert oddly.compile(NaiveBayes("C", ["a", "b"], ["1/2", "1/2"], [])).regions() == []


def test_the_studio_says_where_a_node_is_entered():
    drawn = picture(oddly.compile(wet(), ["wind", "grass"]))
    said = {node["interval"] for node in drawn["nodes"]}
    assert "Reached with log-odds of yes in [0, 1.504), from the tables complete so far." in said
    assert "Reached where wind=low with log-odds of yes in [-1.099, 1.099), from the tables complete so far." in said
    shared = [
        found.of(node) for found in oddly.compile(tree(5, 9)).regions() for node in range(int(found.node[-1]) + 1)
    ]
    contexts = max(len(set(rows.context.tolist())) for rows in shared)
    assert f"Reached in {contexts} contexts, each with its own numbers." in map(within, shared)
    zone = oddly.compile(tree(1, 3, ("a", "b", "c"))).regions()[0]
    assert within(zone) == f"Reached with {zone[0].sentence()}, from the tables complete so far."
    assert within(oddly.compile(tree(1, 3, ("a", "b", "c", "d"))).regions()[0]) == (
        "Reached from one zone of the scores of 4 classes."
    )
