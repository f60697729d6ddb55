# SPDX-License-Identifier: Apache-2.0
"""The diagram: counting, classifying, restricting, reducing, comparing, in every kind of row."""

import copy
import pickle
import random

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oddly
import oracle
from oddly import CPT, NaiveBayes, Points, Scorecard, UnknownName, UnknownValue
from strategies import classifiers, naive_bayes


@pytest.fixture
def pregnancy():
    return oddly.compile(oddly.examples.pregnancy(), order=["S", "U", "B"])


CASES = [{"U": "+ve", "B": "-ve", "S": "-ve"}, {"U": "+ve", "B": "+ve", "S": "-ve"}]


class TestClassify:
    def test_takes_every_kind_of_rows(self, pregnancy):
        indices = np.array([[0, 1, 1], [0, 0, 1]])  # columns U, B, S: the model's order, not the diagram's
        arrow = pl.DataFrame(CASES).to_arrow() if _has_pyarrow() else pl.DataFrame(CASES)
        for rows in (
            CASES,
            pd.DataFrame(CASES),
            pl.DataFrame(CASES),
            arrow,
            indices,
            indices.astype(np.uint8),
        ):
            assert list(pregnancy.classify(rows)) == ["no", "yes"]
        assert list(pregnancy.classify(CASES[1])) == ["yes"]
        assert pregnancy.columns == ("U", "B", "S")

    @pytest.mark.parametrize("kind", [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32])
    def test_takes_indices_of_any_type_and_layout(self, pregnancy, kind):
        codes = oracle.codes(oddly.examples.pregnancy()).astype(kind)
        truth = oracle.decisions(oddly.examples.pregnancy())
        for rows in (codes, np.asfortranarray(codes), codes[::-1][::-1], np.repeat(codes, 2, axis=1)[:, ::2]):
            assert np.array_equal(pregnancy.decide(rows), truth)

    def test_no_rows_are_no_labels(self, pregnancy):
        assert len(pregnancy.classify([])) == 0
        assert len(pregnancy.classify(pd.DataFrame(columns=["U", "B", "S"]))) == 0
        assert len(pregnancy.classify(np.empty((0, 3), int))) == 0

    def test_numbers_match_labels_as_they_are_written(self):
        odd = oddly.compile(Scorecard([Points("A", ["0", "1", "True", "2.5"], [0, 1, 2, 3])], cutoff=1))
        rows = [{"A": v} for v in (0, 1, True, 2.5, 1.0, "1", np.int64(0))]
        assert list(odd.classify(rows)) == ["no", "yes", "yes", "yes", "yes", "yes", "no"]
        assert list(odd.classify(pd.DataFrame({"A": [0, 1]}))) == ["no", "yes"]
        assert list(odd.classify(pd.DataFrame({"A": [0.0, 1.0, 2.5]}))) == ["no", "yes", "yes"]
        assert list(odd.classify(pd.DataFrame({"A": [True, 1, "0"]}))) == ["yes", "yes", "no"]

    @pytest.mark.parametrize("frame", [list, pd.DataFrame, pl.DataFrame])
    def test_an_unknown_value_is_named_with_its_row(self, pregnancy, frame):
        rows = frame([*CASES, {"U": "+ve", "B": "maybe", "S": "-ve"}])
        with pytest.raises(UnknownValue, match=r"^row 3: B=maybe.  B is one of \+ve, -ve.$"):
            pregnancy.classify(rows)

    @pytest.mark.parametrize("frame", [list, pd.DataFrame, pl.DataFrame])
    def test_a_missing_value_is_named_with_its_row(self, pregnancy, frame):
        rows = frame([*CASES, {"U": "+ve", "B": None, "S": "-ve"}])
        with pytest.raises(UnknownValue, match=r"^row 3: B is missing, and it has no value for that$"):
            pregnancy.classify(rows)

    def test_a_missing_column_is_named(self, pregnancy):
        with pytest.raises(UnknownName, match="no column 'S'"):
            pregnancy.classify(pd.DataFrame([{"U": "+ve", "B": "-ve"}]))
        with pytest.raises(UnknownName, match="row 1: no value for S"):
            pregnancy.classify([{"U": "+ve", "B": "-ve"}])

    @pytest.mark.parametrize(
        ("rows", "message"),
        [
            (np.zeros((2, 4), int), "expected 3 columns, one per attribute, found shape (2, 4)"),
            (np.zeros((2, 3)), "an array of rows holds value indices"),
            (np.array([[0, 0, 0], [0, 2, 0]]), "row 2: B has index 2.  It has 2 values, from index 0."),
            (np.array([[0, -1, 0]]), "row 1: B has index -1."),
            (7, "expected a data frame, a list of mappings or an array of value indices, found int"),
            ([3], "row 1: expected a mapping"),
        ],
    )
    def test_what_is_no_row_is_refused(self, pregnancy, rows, message):
        with pytest.raises(oddly.OddlyError) as error:
            pregnancy.classify(rows)
        assert message in str(error.value)

    def test_weights_and_diagram_agree_on_many_random_rows(self):
        r = random.Random(3)
        card = [Points(f"A{i}", list("abc"), [r.randint(-9, 9) for _ in "abc"]) for i in range(14)]
        odd = oddly.compile(Scorecard(card))
        codes = np.random.default_rng(0).integers(0, 3, (5000, 14))
        points = sum(np.array([int(p) for p in a.points])[codes[:, i]] for i, a in enumerate(card))
        through_the_diagram = oddly.ODD(odd.variables, odd.labels, odd.levels, odd.root, odd.places)
        assert np.array_equal(odd.decide(codes), points >= 0)
        assert np.array_equal(through_the_diagram.decide(codes), points >= 0)


@given(model=classifiers(), data=st.data())
@settings(max_examples=150, deadline=None)
def test_restricting_is_fixing_values(model, data):
    odd = oddly.compile(model, "random:5")
    names = [v.name for v in model.variables]
    known = data.draw(st.sets(st.sampled_from(names), max_size=2)) if names else set()
    values = {v.name: data.draw(st.sampled_from(v.values)) for v in model.variables if v.name in known}
    rest = odd.restrict(values)
    assert set(rest.order) == set(names) - known
    kept = [i for i in oracle.instances(model) if all(i[k] == v for k, v in values.items())]
    labels = [oracle.decides(model, i) for i in kept]
    assert [label == rest.labels[1] for label in rest.classify(kept)] == labels
    assert rest.count(rest.labels[1]) == sum(labels)
    if rest.source is not None:
        assert rest == oddly.compile(model.observe(values), rest.order) or model.threshold in (0, 1)


def test_restricting_what_is_not_there_is_an_error(pregnancy):
    with pytest.raises(UnknownName, match="no attribute 'X'"):
        pregnancy.restrict(X="+ve")
    with pytest.raises(UnknownValue, match="U=maybe"):
        pregnancy.restrict(U="maybe")


@given(model=classifiers())
@settings(max_examples=100, deadline=None)
def test_reducing_keeps_every_decision_and_no_idle_node(model):
    odd = oddly.compile(model)
    reduced = odd.reduce()
    assert reduced.size == odd.reduced_size <= odd.size
    where = {}
    for level, start, name in zip(reduced.levels, reduced.starts, reduced.order, strict=True):
        for i, row in enumerate(level):
            where[start + i] = (name, row)
            assert len(set(row)) > 1
    values = {v.name: v for v in odd.variables}
    for instance, truth in zip(oracle.instances(model), oracle.decisions(model), strict=True):
        node = reduced.root
        while node >= len(reduced.labels):
            name, row = where[node]
            node = row[values[name].index(instance[name])]
        assert node == truth


@given(model=classifiers())
@settings(max_examples=50, deadline=None)
def test_a_diagram_equals_itself_however_it_travels(model):
    odd = oddly.compile(model)
    again = pickle.loads(pickle.dumps(odd))
    assert again == odd
    assert hash(again) == hash(odd)
    assert again.certificate == odd.certificate
    assert odd.restrict({}) == odd


@given(a=naive_bayes(), b=naive_bayes())
@settings(max_examples=50, deadline=None)
def test_equality_is_equality_of_functions(a, b):
    same_shape = a.variables == b.variables
    first = oddly.compile(a, "as-given")
    second = oddly.compile(b, "as-given")
    decide_alike = same_shape and np.array_equal(oracle.decisions(a), oracle.decisions(b))
    assert (first == second) == decide_alike


def test_equality_sees_a_single_edge():
    a = Scorecard([Points("A", ["x", "y"], [1, 0]), Points("B", ["x", "y"], [1, 0])], cutoff=1)
    same, other = a.replace(cutoff="1/2"), a.replace(cutoff=2)
    order = ["A", "B"]
    assert oddly.compile(a, order) == oddly.compile(same, order)
    assert oddly.compile(a, order) != oddly.compile(other, order)
    assert oddly.compile(a, order) != "something else"


def test_a_diagram_cannot_be_written_to_however_it_was_made(pregnancy, tmp_path):
    pregnancy.save(tmp_path / "x.odd")
    made = [pregnancy, pregnancy & pregnancy, ~pregnancy, pregnancy.restrict(S="-ve"), pregnancy.is_("yes")]
    made += [pickle.loads(pickle.dumps(pregnancy)), copy.deepcopy(pregnancy), oddly.load(tmp_path / "x.odd")]
    for odd in made:
        with pytest.raises(ValueError, match="read-only"):
            odd.levels[0][0, 0] = 1
    rows = np.zeros((1, 2), np.uint32)
    oddly.ODD(pregnancy.variables[:1], ("no", "yes"), (rows,), 0, (0,))
    rows[0, 0] = 1  # the maker's own array stays as it was


def test_counts_are_exact_beyond_any_machine_word():
    card = Scorecard([Points(f"A{i}", ["x", "y"], [1, 0]) for i in range(200)], cutoff=100)
    odd = oddly.compile(card)
    from math import comb

    assert odd.instances == 2**200
    assert odd.count("yes") == sum(comb(200, k) for k in range(100, 201))
    assert odd.certificate.ties == comb(200, 100)


def test_counting_an_unknown_label_names_the_labels(pregnancy):
    with pytest.raises(UnknownValue, match="P=maybe.  P is one of no, yes"):
        pregnancy.count("maybe")


def test_repr_is_a_sentence(pregnancy):
    assert repr(pregnancy) == "ODD: 8 nodes deciding P over 8 instances of S, U, B: 5 yes, 3 no"
    assert "proven; the closest instance is 1.13 from the threshold" in repr(pregnancy.certificate)


def test_impossible_instances_go_where_the_caller_says():
    cpt = [CPT(n, ["p", "n", "0"], {"yes": ["1", "0", "0"], "no": ["0", "1", "0"]}) for n in "AB"]
    model = NaiveBayes("C", ["yes", "no"], ["1/2", "1/2"], cpt)
    assert oddly.compile(model).count("yes") == 1
    assert oddly.compile(model, impossible="positive").count("yes") == 8
    with pytest.raises(oddly.ModelError, match="impossible: expected"):
        oddly.compile(model, impossible="maybe")


def _has_pyarrow():
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        return False
    return True


def test_indices_that_lead_nowhere_are_refused(pregnancy):
    with pytest.raises(UnknownValue, match="row 1: U has index 1000000000"):
        pregnancy.decide(np.array([[10**9, 0, 0]]))


def test_pandas_own_missing_value_is_missing(pregnancy):
    frame = pd.DataFrame([*CASES, {"U": "+ve", "B": pd.NA, "S": "-ve"}], dtype="string")
    with pytest.raises(UnknownValue, match="row 3: B is missing"):
        pregnancy.classify(frame)


def test_an_attribute_may_have_any_name():
    card = Scorecard([Points("self", ["x", "y"], [1, 0]), Points("values", ["x", "y"], [1, 0])], cutoff=1)
    assert oddly.compile(card).restrict({"self": "x"}).count("yes") == 2


def test_a_repr_never_grows_beyond_reading():
    card = Scorecard([Points(f"A{i}", [str(v) for v in range(10)], [0] * 10) for i in range(5000)])
    assert "over about 10^5000 instances" in repr(oddly.compile(card))


def test_nodes_that_no_finite_sum_reaches_have_no_interval():
    zero = {"yes": ["1/2", "1/2", "0"], "no": ["1/4", "1/2", "1/4"]}
    model = NaiveBayes("C", ["yes", "no"], ["1/2", "1/2"], [CPT(n, ["x", "y", "z"], zero) for n in "AB"])
    odd = oddly.compile(model, ["A", "B"])
    ends = odd.intervals()[1]
    assert np.isnan(ends).any(axis=1).sum() == 1
    finite = ends[~np.isnan(ends).any(axis=1)]
    assert (finite[1:, 0] >= finite[:-1, 1]).all()


def test_a_certificate_says_nothing_about_a_prior_that_is_certain():
    certain = oddly.examples.pregnancy().replace(prior=[0, 1])
    assert oddly.compile(certain).certificate.interval is None
    assert oddly.compile(certain).count("yes") == 0


@pytest.mark.parametrize("threshold", [0, 1])
def test_at_the_edges_no_instance_is_near_the_threshold(threshold):
    certificate = oddly.compile(oddly.examples.pregnancy().replace(threshold=threshold)).certificate
    assert (certificate.closest, certificate.ties) == (float("inf"), 0)


def test_intervals_of_huge_points_do_not_cancel():
    card = Scorecard([Points("A", ["x", "y"], [10**20, 0])], cutoff=10**20 + 1)
    assert oddly.compile(card).certificate.interval == (-float("inf"), 1.0)


def test_a_combination_has_no_threshold_and_so_a_wider_bound():
    r = random.Random(5)
    names = [f"A{i}" for i in range(14)]
    left, right = (Scorecard([Points(name, ["t", "f"], [r.randint(-999, 999), 0]) for name in names]) for _ in range(2))
    first = oddly.compile(left, "as-given")
    both = first ^ oddly.compile(right, "as-given")
    assert first.size <= first.bound < both.size <= both.bound
    assert both.bound == sum(both.bounds)
