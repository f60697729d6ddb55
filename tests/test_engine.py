# SPDX-License-Identifier: Apache-2.0
"""One function, three implementations: the reference, NumPy and C++ give the same diagram, node for node."""

import itertools
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oddly
import oracle
from oddly import CPT, NaiveBayes, Points, Scorecard, native
from oddly.diagram.rows import decide
from oddly.engine import two_ended, widths
from oddly.runtime import Watch
from strategies import classifiers

ENGINES = ["reference", "numpy"] + (["native"] if native.AVAILABLE else [])
IMPOSSIBLE = st.sampled_from(["negative", "positive"])


def compile_on(engine, model, order="ascending", **options):
    """A diagram by one engine; past 128 bits the native engine hands over to NumPy."""
    try:
        return oddly.compile(model, order, engine=engine, **options)
    except oddly.Unsupported:
        return oddly.compile(model, order, engine="auto", **options)


def same_arrays(a, b):
    return a.root == b.root and len(a.levels) == len(b.levels) and all(map(np.array_equal, a.levels, b.levels))


class TestEveryEngine:
    """The shared class: whatever is true of one engine is true of all."""

    @pytest.mark.parametrize("engine", ENGINES)
    @given(model=classifiers(), impossible=IMPOSSIBLE, seed=st.integers(0, 99))
    @settings(max_examples=250, deadline=None)
    def test_decides_every_instance_as_the_definition_does(self, engine, model, impossible, seed):
        odd = compile_on(engine, model, f"random:{seed}", impossible=impossible)
        truth = oracle.decisions(model, impossible)
        rows = oracle.codes(model)
        ranks = np.argsort(np.argsort(odd.places))
        assert np.array_equal(decide(rows, odd.levels, odd.root, ranks, 2, None), truth)
        assert np.array_equal(odd.decide(rows), truth)
        assert odd.count(odd.labels[1]) == truth.sum()

    @pytest.mark.parametrize("engine", ENGINES)
    @given(model=classifiers(), impossible=IMPOSSIBLE, seed=st.integers(0, 99))
    @settings(max_examples=150, deadline=None)
    def test_has_one_node_per_function_per_depth(self, engine, model, impossible, seed):
        odd = compile_on(engine, model, f"random:{seed}", impossible=impossible)
        order = [[v.name for v in model.variables].index(name) for name in odd.order]
        assert odd.widths == oracle.widths(model, order, impossible)

    @given(
        model=classifiers(),
        impossible=IMPOSSIBLE,
        order=st.sampled_from(["ascending", "descending", "random:3"]),
    )
    @settings(max_examples=400, deadline=None)
    def test_gives_the_same_arrays(self, model, impossible, order):
        first, *others = [compile_on(engine, model, order, impossible=impossible) for engine in ENGINES]
        assert all(same_arrays(first, other) for other in others)
        assert widths(first.source) == first.widths

    @given(model=classifiers())
    @settings(max_examples=200, deadline=None)
    def test_counts_the_ties_and_proves_the_rest(self, model):
        odd = oddly.compile(model)
        assert odd.certificate.proven
        if not (isinstance(model, NaiveBayes) and model.threshold in (0, 1)):
            assert odd.certificate.ties == oracle.ties(model)


@pytest.mark.parametrize("engine", ENGINES)
def test_every_small_scorecard(engine):
    """The small universe: two-valued attributes with weights in -2..2, up to three of them, and every cut-off."""
    weights = list(itertools.combinations_with_replacement(range(-2, 3), 2))
    checked = 0
    for n in range(4 if engine != "reference" else 3):
        for chosen in itertools.combinations_with_replacement(weights, n):
            card = [Points(f"A{i}", ["l", "h"], w) for i, w in enumerate(chosen)]
            cutoff = sum(w[0] for w in chosen) + checked % (n + 2)
            model = Scorecard(card, cutoff=cutoff, ties=("positive", "negative")[checked % 2])
            odd = oddly.compile(model, "as-given", engine=engine)
            assert odd.widths == oracle.widths(model, range(n))
            assert np.array_equal(odd.decide(oracle.codes(model)), oracle.decisions(model))
            checked += 1
    assert checked > (600 if engine != "reference" else 100)


def crowded(seed):
    """Distinct weights that crowd together: noise on coarse ones, two scales, plain coarse, and random ones."""
    r = random.Random(seed)
    kinds = {
        "noisy": lambda: round(r.uniform(-3, 3), 1) * 10**6 + r.randint(-20, 20),
        "coarse": lambda: r.randint(-5, 5),
        "two scales": lambda: r.randint(-3, 3) * r.choice([1, 10**9]),
        "any": lambda: r.randint(-(10**9), 10**9),
        "wide": lambda: r.randint(-(10**30), 10**30),
    }
    draw = kinds[r.choice(list(kinds))]
    weights, instances = [], 1
    for _ in range(r.randint(1, 16)):
        arity = r.choice([1, 2, 2, 2, 2, 3, 4, 6])
        if instances * arity > 30_000:
            break
        weights.append(list(dict.fromkeys(int(draw()) for _ in range(arity))))
        instances *= len(weights[-1])
    start = -sum(r.choice(ws) for ws in weights) + r.choice([0, 0, 1, -1, r.randint(-100, 100)])
    return start, weights


@pytest.mark.parametrize("seed", range(0, 300, 50))
def test_covers_and_threads_change_nothing(seed, monkeypatch):
    """Lists are thinned, and threads used, only when long; here they are always long."""
    for s in range(seed, seed + 50):
        start, weights = crowded(s)
        plain, root = two_ended.build(start, weights, Watch(len(weights)))
        others = []
        with monkeypatch.context() as patch:
            patch.setattr(two_ended, "LONG", 2)
            others.append(two_ended.build(start, weights, Watch(len(weights)))[0])
        if native.AVAILABLE:
            for patience in (1 << 16, 1, 8, 100):
                arguments = two_ended.native_arguments(start, weights)
                others.append(native.kernels.build(*arguments, Watch(len(weights)), patience))
        for other in others:
            assert all(map(np.array_equal, plain, other))
        assert root == 0


@pytest.mark.skipif(not native.AVAILABLE, reason="the kernels are not built")
def test_large_diagrams_agree_with_numpy():
    """Long enough for the interleaved merges: 26 random attributes, 64 and 128 bits, two and three values."""
    for seed, arity, n, scale in ((1, 2, 26, 1), (2, 2, 24, 1 << 50), (3, 3, 15, 1), (4, 10, 6, 1 << 40)):
        r = random.Random(seed)
        weights = [[r.randint(-(10**12), 10**12) * scale for _ in range(arity)] for _ in range(n)]
        start = -sum(map(sum, weights)) // arity
        by_numpy, _ = two_ended.build(start, weights, Watch(n))
        by_kernel, _ = two_ended.native_build(start, weights, Watch(n))
        assert all(map(np.array_equal, by_numpy, by_kernel))


def test_values_of_equal_weight_share_an_edge():
    model = Scorecard([Points("A", list("abcd"), [1, 0, 1, 0]), Points("B", ["x", "y"], [1, 1])], cutoff=2)
    odd = oddly.compile(model, "as-given")
    assert np.array_equal(odd.levels[0], [[1, 0, 1, 0]])
    assert np.array_equal(odd.levels[1], [[0, 0], [1, 1]])


def test_no_attributes_and_one():
    assert oddly.compile(Scorecard([], cutoff=0)).count("yes") == 1
    assert oddly.compile(Scorecard([], cutoff=1)).count("yes") == 0
    one = oddly.compile(Scorecard([Points("A", ["x"], [3])], cutoff=3))
    assert (one.widths, one.count("yes"), one.certificate.ties) == ([1, 2], 1, 1)


def test_thresholds_zero_and_one_mean_what_the_definition_says():
    cpt = CPT("A", ["x", "y", "z"], {"yes": ["1/2", "1/2", "0"], "no": ["0", "1/2", "1/2"]})
    found = {}
    for threshold, ties in itertools.product(("0", "1"), ("positive", "negative")):
        model = NaiveBayes("C", ["yes", "no"], ["1/2", "1/2"], [cpt], threshold=threshold, ties=ties)
        decided = oddly.compile(model).classify([{"A": v} for v in "xyz"])
        found[threshold, ties] = "".join(decision[0] for decision in decided)
    assert found == {
        ("0", "positive"): "yyy",
        ("0", "negative"): "yyn",
        ("1", "positive"): "ynn",
        ("1", "negative"): "nnn",
    }


def test_precision_is_raised_by_itself():
    card = [Points("A", ["x", "y"], [10**30, 0]), Points("B", ["x", "y"], [1 - 10**30, 0])]
    odd = oddly.compile(Scorecard(card, cutoff=1))
    assert odd.certificate.bits > 64
    assert odd.certificate.proven
    assert list(odd.classify([{"A": "x", "B": "x"}, {"A": "y", "B": "y"}])) == ["yes", "no"]


def test_true_ties_survive_in_any_order():
    """0.3 x 0.7 against 0.7 x 0.3: exactly equal, whatever is added first; floats would lose some of these."""
    a, b = ["0.3", "0.7"], ["0.7", "0.3"]
    attributes = [CPT(f"A{i}", ["x", "y"], {"yes": a, "no": b} if i % 2 else {"yes": b, "no": a}) for i in range(10)]
    model = NaiveBayes("C", ["yes", "no"], ["1/2", "1/2"], attributes)
    for order in ("ascending", "random:1", "random:2"):
        assert oddly.compile(model, order).certificate.ties == 252  # 10 choose 5


class TestLimits:
    def model(self, n=30):
        r = random.Random(1)
        return Scorecard([Points(f"A{i}", ["x", "y"], [r.randint(-(10**9), 10**9), 0]) for i in range(n)])

    @pytest.mark.parametrize("engine", ENGINES)
    def test_too_many_nodes_stop_with_a_word(self, engine):
        with pytest.raises(
            oddly.TooLarge, match=r"nodes .*1,000 allowed.  Try order=oddly.best_of\(100\), or max_nodes="
        ):
            oddly.compile(self.model(24), engine=engine, max_nodes=1000)

    @pytest.mark.parametrize("engine", ENGINES[1:])
    def test_too_much_memory_stops_with_a_word(self, engine):
        with pytest.raises(oddly.TooLarge, match=r"needed after attribute \d+ of 40"):
            oddly.compile(self.model(40), engine=engine, max_memory=1_000_000)

    @pytest.mark.parametrize("engine", ENGINES)
    def test_an_exception_from_progress_stops_the_work(self, engine):
        def stop(what, done, total):
            if done > 5 or engine == "reference":
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            oddly.compile(self.model(20), engine=engine, progress=stop)

    @pytest.mark.parametrize("engine", ENGINES[1:])
    def test_progress_ends_complete(self, engine):
        told = []
        oddly.compile(self.model(20), engine=engine, progress=lambda *what: told.append(what))
        assert told[-1][1:] == (40, 40)
        assert [done for _, done, _ in told] == sorted(done for _, done, _ in told)


def test_an_unknown_engine_is_named():
    with pytest.raises(oddly.UnknownName, match="no engine 'nativ'.  Did you mean 'native'?"):
        oddly.compile(oddly.examples.pregnancy(), engine="nativ")
    with pytest.raises(oddly.UnknownName, match="no engine 'nativ'"):
        oddly.compile(Scorecard([]), engine="nativ")


@pytest.mark.parametrize("engine", ENGINES[1:])
def test_attributes_of_very_many_values(engine):
    r = random.Random(5)
    card = [
        Points(f"A{i}", [str(v) for v in range(b)], [r.randint(-50, 50) for _ in range(b)])
        for i, b in enumerate((90, 3, 40))
    ]
    model = Scorecard(card)
    odd = oddly.compile(model, engine=engine)
    points = [np.array([int(p) for p in a.points]) for a in card]
    truth = points[0][:, None, None] + points[1][None, :, None] + points[2][None, None, :] >= 0
    assert np.array_equal(odd.decide(oracle.codes(model)), truth.ravel())


def test_the_numpy_engine_asks_for_memory_before_it_takes_it():
    card = [Points(f"A{i}", [str(v) for v in range(300)], [v * 10**i + v * v for v in range(300)]) for i in range(5)]
    with pytest.raises(oddly.TooLarge, match="MB allowed|GB allowed"):
        oddly.compile(Scorecard(card, cutoff=10**6), engine="numpy", max_memory=10**8)


def test_the_limit_on_nodes_counts_sinks_and_states():
    with pytest.raises(oddly.TooLarge, match="7 nodes, 6 allowed"):
        oddly.compile(oddly.examples.pregnancy(), ["U", "B", "S"], max_nodes=6)
    assert oddly.compile(oddly.examples.pregnancy(), ["U", "B", "S"], max_nodes=7).size == 7
