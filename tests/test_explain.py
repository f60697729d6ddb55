# SPDX-License-Identifier: Apache-2.0
"""Why this decision?  Reasons against plain enumeration of all sets of features, and one route against the other."""

import json
from collections import Counter
from dataclasses import replace
from itertools import chain, combinations, combinations_with_replacement, islice, product
from math import log2, prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oddly
import oracle
from oddly import ODD, Points, Scorecard, TooLarge, UnknownName, UnknownValue
from oddly.algebra.expression_diagram import expression_diagram
from oddly.cli import main
from oddly.diagram.canonical import canonical
from oddly.diagram.combine import combine
from oddly.model import Variable
from oddly.questions.explain import sets as reason_sets
from oddly.questions.explain.additive import Threshold, sums_of
from oddly.questions.explain.diagram import minimal, minimal_descending
from oddly.questions.explain.question import explain
from strategies import classifiers

FIGURE_1 = oddly.examples.pregnancy()
CASE = {"U": "+ve", "B": "-ve", "S": "+ve"}
UNCHECKED = {"deadline": None}


# ---- the oracle: tables of decisions, and all sets of features ----


def subsets(items):
    items = list(items)
    return [frozenset(s) for s in chain.from_iterable(combinations(items, n) for n in range(len(items) + 1))]


def least(sets):
    sets = set(sets)
    return {s for s in sets if not any(other < s for other in sets)}


def slice_of(table, case, kept):
    """The decisions of all instances that have the kept values."""
    return table[tuple(case[i] if i in kept else slice(None) for i in range(table.ndim))]


def sufficient_sets(table, case):
    """All sets of known features that leave one label, by their places."""
    known = [i for i, value in enumerate(case) if value is not None]
    label = set(np.unique(slice_of(table, case, known)).tolist())
    if len(label) > 1:
        return []
    return [s for s in subsets(known) if set(np.unique(slice_of(table, case, s)).tolist()) == label]


def necessary_sets(table, case):
    known = frozenset(i for i, value in enumerate(case) if value is not None)
    enough = set(sufficient_sets(table, case))
    return [s for s in subsets(known) if known - s not in enough]


def hitting_sets(sets, known):
    return least(s for s in subsets(known) if all(s & other for other in sets))


def table_of(odd):
    """The decisions of a diagram, in the order of its columns."""
    by_name = {v.name: v for v in odd.variables}
    shape = [len(by_name[name].values) for name in odd.columns]
    rows = np.array(list(product(*map(range, shape))), np.int64).reshape(prod(shape), len(shape))
    return odd.decide(rows).reshape(shape)


def diagram_of(table, labels):
    """Any table of decisions as a diagram: the whole tree, merged."""
    variables = tuple(Variable(f"A{i}", tuple(f"v{j}" for j in range(size))) for i, size in enumerate(table.shape))
    levels = []
    above = 1
    for i, size in enumerate(table.shape):
        last = i == table.ndim - 1
        children = table.ravel() if last else np.arange(above * size)
        levels.append(children.reshape(above, size).astype(np.uint32))
        above *= size
    merged, root = canonical(levels, 0, len(labels), [None] * table.ndim)
    return ODD(variables, labels, merged, root, tuple(range(table.ndim)))


def instance_of(odd, case):
    by_name = {v.name: v for v in odd.variables}
    return {name: by_name[name].values[v] for name, v in zip(odd.columns, case, strict=True) if v is not None}


@st.composite
def cases(draw, shape, partial):
    """Values by their places; some of them unknown, if that is wanted."""
    return [None if partial and draw(st.integers(0, 3)) == 0 else draw(st.integers(0, size - 1)) for size in shape]


@st.composite
def tables(draw):
    """Tables of two or three labels over a few attributes, and their diagrams."""
    shape = draw(st.lists(st.sampled_from([1, 2, 2, 2, 3]), min_size=1, max_size=5))
    labels = draw(st.sampled_from([("no", "yes"), ("a", "b", "c")]))
    most = st.integers(0, len(labels) - 1)
    rare = draw(st.booleans())  # tables that are mostly one label have small reasons
    cell = st.sampled_from([0, 0, 0, 0, 1, len(labels) - 1]) if rare else most
    table = np.array(draw(st.lists(cell, min_size=prod(shape), max_size=prod(shape)))).reshape(shape)
    return table, diagram_of(table, labels)


def check_reasons(reasons, odd, expected):
    """One kind of reasons against the list of them."""
    names = odd.columns
    expected = {frozenset(names[i] for i in s) for s in expected}
    found = [frozenset(reason) for reason in reasons]
    assert set(found) == expected
    assert len(found) == len(expected)
    assert [len(s) for s in found] == sorted(len(s) for s in found)
    assert sorted(map(sorted, (set(r) for r in reasons.any_order()))) == sorted(map(sorted, expected))
    assert reasons.count == len(expected)
    assert reasons.by_size == dict(sorted(Counter(map(len, expected)).items()))
    known = list(reasons.instance)
    assert reasons.used == {name: sum(name in s for s in expected) for name in known}
    assert reasons.limit is None
    if expected:
        assert reasons.fewest
        assert frozenset(reasons.smallest) in expected
        assert len(reasons.smallest) == min(map(len, expected))
        assert set(reasons.always) == frozenset.intersection(*expected)
        assert reasons.smallest.items() <= reasons.instance.items()
    else:
        assert reasons.smallest is None
        assert not reasons
    assert set(reasons.never) == set(known) - set(chain.from_iterable(expected))


def check(odd, table, case):
    """Everything an explanation says of a case, against the table."""
    answer = explain(odd, instance_of(odd, case))
    known = [i for i, value in enumerate(case) if value is not None]
    outcomes = np.unique(slice_of(table, case, known))
    assert answer.decision == (odd.labels[outcomes[0]] if len(outcomes) == 1 else None)
    assert bool(answer) == (len(outcomes) == 1)
    enough = sufficient_sets(table, case)
    check_reasons(answer.sufficient, odd, least(enough))
    check_reasons(answer.necessary, odd, least(necessary_sets(table, case)))
    if enough:
        assert least(necessary_sets(table, case)) == hitting_sets(least(enough), known)
        assert least(enough) == hitting_sets(least(necessary_sets(table, case)), known)
    check_diagram(answer.reason_diagram, [odd.columns[i] for i in known], known, set(enough))
    json.dumps(answer.to_json())
    assert repr(answer)
    return answer


def check_diagram(diagram, names, known, enough):
    """The complete reason is the definition, set by set."""
    assert set(diagram.order) == set(names)
    sets = subsets(known)
    rows = [{name: "keep" if i in s else "free" for name, i in zip(names, known, strict=True)} for s in sets]
    found = diagram.classify(rows) == "sufficient"
    assert found.tolist() == [s in enough for s in sets]


def boxes(table, case):
    """All maximal sets of values around a case whose instances get one label, by brute force."""
    choices = []
    for size, own in zip(table.shape, case, strict=True):
        whole = frozenset(range(size))
        choices.append([whole] if own is None else [s | {own} for s in subsets(whole - {own})])
    label = np.unique(slice_of(table, case, [i for i, v in enumerate(case) if v is not None]))
    good = [box for box in product(*choices) if np.array_equal(np.unique(table[np.ix_(*map(sorted, box))]), label)]
    return {
        box
        for box in good
        if not any(box != other and all(a <= b for a, b in zip(box, other, strict=True)) for other in good)
    }


def check_general(answer, odd, table, case):
    """The general reason holds and cannot be widened; and where the case is small, so does every other."""
    by_name = {v.name: v for v in odd.variables}

    def box_of(reason):
        values = [reason.allowed.get(name, by_name[name].values) for name in odd.columns]
        return tuple(frozenset(map(by_name[n].index, vs)) for n, vs in zip(odd.columns, values, strict=True))

    if answer.decision is None:
        assert answer.general is None
        assert not list(answer.all_general())
        return
    box = box_of(answer.general)
    label = odd.labels.index(answer.decision)
    assert all(own is None or own in values for own, values in zip(case, box, strict=True))
    assert answer.general.size == prod(map(len, box))
    if answer.general.allowed:
        condition = expression_diagram(answer.general.condition, odd)
        assert condition.count(condition.labels[-1]) == answer.general.size
    assert set(np.unique(table[np.ix_(*map(sorted, box))]).tolist()) == {label}
    for i, (size, values) in enumerate(zip(table.shape, box, strict=True)):
        for value in set(range(size)) - values:
            wider = [*box[:i], values | {value}, *box[i + 1 :]]
            assert len(np.unique(table[np.ix_(*map(sorted, wider))])) > 1
    if sum(table.shape) - table.ndim <= 7:
        found = list(answer.all_general())
        assert {box_of(reason) for reason in found} == boxes(table, case)
        assert len(found) == len(boxes(table, case))
        assert box in {box_of(reason) for reason in found}


# ---- the small universe ----


def test_every_small_threshold_has_the_minimal_sets_that_enumeration_finds():
    for size in range(4):
        for gains in combinations_with_replacement(range(4), size):
            for need in range(-1, sum(gains) + 2):
                sets = Threshold(gains[::-1], need)
                enough = {s for s in subsets(range(size)) if sets.enough(s)}
                expected = least(enough)
                found = [frozenset(s) for s in sets.smallest_first()]
                assert set(found) == expected
                assert [len(s) for s in found] == sorted(map(len, expected))
                assert {frozenset(s) for s in sets.any_order()} == expected
                assert {s for s in subsets(range(size)) if sets.shrunk().enough(s)} == enough
                everything = frozenset(range(size))
                assert {s for s in subsets(range(size)) if sets.dual().enough(s)} == {
                    s for s in subsets(range(size)) if everything - s not in enough
                }


def test_counting_on_the_descending_diagram_is_counting_by_products_is_enumeration():
    for gains in combinations_with_replacement(range(4), 4):
        for need in range(0, sum(gains) + 2, 2):
            sets = Threshold(gains, need)
            diagram = sets.diagram("abcd")
            expected = len(least(s for s in subsets(range(4)) if sets.enough(s)))
            assert minimal_descending(diagram) == minimal(diagram)
            assert minimal(diagram).count("reason") == expected


@pytest.mark.parametrize("ties", ["positive", "negative"])
def test_every_small_scorecard_is_explained_as_enumeration_does(ties):
    """Points -2..2; one value of each attribute may as well have none."""
    for points in combinations_with_replacement(range(-2, 3), 3):
        for cutoff in range(sum(min(p, 0) for p in points), sum(max(p, 0) for p in points) + 2):
            attributes = [Points(f"A{i}", ["off", "on"], [0, p]) for i, p in enumerate(points)]
            odd = oddly.compile(Scorecard(attributes, cutoff=cutoff, ties=ties))
            table = table_of(odd)
            for case in product([0, 1], repeat=3):
                answer = explain(odd, instance_of(odd, case))
                for reasons, sets in (
                    (answer.sufficient, sufficient_sets(table, case)),
                    (answer.necessary, necessary_sets(table, case)),
                ):
                    expected = sorted(sorted(odd.columns[i] for i in s) for s in least(sets))
                    assert sorted(sorted(r) for r in reasons) == expected


# ---- any classifier, any diagram ----


@given(model=classifiers(), impossible=st.sampled_from(["negative", "positive"]), data=st.data())
@settings(max_examples=50, **UNCHECKED)
def test_a_classifier_is_explained_as_enumeration_does_by_both_routes(model, impossible, data):
    odd = oddly.compile(model, impossible=impossible)
    shape = [len(v.values) for v in model.variables]
    table = oracle.decisions(model, impossible).astype(int).reshape(shape)
    case = data.draw(cases(shape, partial=data.draw(st.booleans())))
    bare = replace(odd, source=None)  # without a model nothing is impossible, and every case has its reasons
    for diagram in (bare,) if odd.impossible else (odd, bare):
        answer = check(diagram, table, case)
        check_general(answer, diagram, table, case)


@given(made=tables(), data=st.data())
@settings(max_examples=50, **UNCHECKED)
def test_any_diagram_is_explained_as_enumeration_does_two_labels_or_three(made, data):
    table, odd = made
    case = data.draw(cases(table.shape, partial=data.draw(st.booleans())))
    check_general(check(odd, table, case), odd, table, case)


@given(model=classifiers(), data=st.data())
@settings(max_examples=40, **UNCHECKED)
def test_sums_decide_as_the_diagram_does_infinite_weights_and_all(model, data):
    odd = oddly.compile(model, impossible=data.draw(st.sampled_from(["negative", "positive"])))
    sums = sums_of(odd)
    if sums is None:
        assert model.threshold in (0, 1)
        return
    for case in islice(product(*map(range, odd.arities)), 200):
        columns = [value for _, value in sorted(zip(odd.places, case, strict=True))]
        assert (sums.margin(case) >= 0) == odd.decide(np.array([columns], np.int64).reshape(1, len(case)))[0]
        assert (sums.margin(case) >= 0) != (sums.mirrored().margin(case) >= 0)


@pytest.mark.parametrize("impossible", ["negative", "positive"])
@pytest.mark.parametrize("ties", ["positive", "negative"])
@pytest.mark.parametrize("threshold", ["0", "1", "1/2"])
def test_zeros_and_thresholds_of_zero_and_one_are_explained_too(threshold, ties, impossible):
    """Values that rule out one class, the other, both, and neither."""
    given = {"yes": ["0", "1/4", "0", "3/4"], "no": ["1/2", "0", "0", "1/2"]}
    attributes = [oddly.CPT(name, ["no only", "yes only", "neither", "both"], given) for name in "ab"]
    coin = oddly.CPT("c", ["x", "y"], {"yes": ["1/3", "2/3"], "no": ["1/2", "1/2"]})
    model = oddly.NaiveBayes("C", ["yes", "no"], ["1/2", "1/2"], [*attributes, coin], threshold=threshold, ties=ties)
    odd = oddly.compile(model, impossible=impossible)
    table = oracle.decisions(model, impossible).astype(int).reshape(4, 4, 2)
    for case in product(range(4), range(4), [0, None]):
        for diagram in (odd, replace(odd, source=None)):
            known = instance_of(odd, case)
            if diagram is odd and model.posterior({"c": "x", **known}) is None:
                with pytest.raises(oddly.Unsupported, match="impossible under the model"):
                    explain(diagram, known)
                continue
            answer = explain(diagram, known)
            for reasons, sets in (
                (answer.sufficient, sufficient_sets(table, case)),
                (answer.necessary, necessary_sets(table, case)),
            ):
                expected = sorted(sorted(odd.columns[i] for i in s) for s in least(sets))
                assert sorted(sorted(r) for r in reasons) == expected


@given(made=tables(), data=st.data())
@settings(max_examples=40, **UNCHECKED)
def test_past_the_limits_reasons_are_still_listed_and_the_answer_says_what_is_not_known(made, data):
    table, odd = made
    case = data.draw(cases(table.shape, partial=False))
    answer = explain(odd, instance_of(odd, case), max_nodes=1)
    for reasons, sets in (
        (answer.sufficient, least(sufficient_sets(table, case))),
        (answer.necessary, least(necessary_sets(table, case))),
    ):
        expected = {frozenset(odd.columns[i] for i in s) for s in sets}
        assert {frozenset(reason) for reason in reasons} == expected
        assert {frozenset(reason) for reason in reasons.any_order()} == expected
        assert (reasons.smallest is None) == (not expected)
        assert len(reasons.smallest or ()) == min(map(len, expected), default=0)
        assert reasons.fewest
        assert (reasons.count is None) == (reasons.limit is not None)
        assert reasons.count in (None, len(expected))
        assert not reasons.limit or "allowed" in reasons.limit
    assert repr(answer)


def test_a_search_that_gives_up_still_has_a_minimal_reason_and_says_so(monkeypatch):
    monkeypatch.setattr(reason_sets, "EFFORT", 0)
    odd = replace(oddly.compile(oddly.examples.tic_tac_toe()), source=None)
    board = {**oddly.examples.tic_tac_toe_boards()[0]}
    board.pop("x-wins")
    answer = explain(odd, board, max_nodes=10)
    reason = answer.sufficient.smallest
    assert not answer.sufficient.fewest
    assert odd.restrict(reason).count(answer.decision) == odd.restrict(reason).instances
    for name in reason:
        rest = odd.restrict({n: v for n, v in reason.items() if n != name})
        assert rest.count(answer.decision) < rest.instances
    assert answer.sufficient.count is None
    assert "a smaller reason may exist" in repr(answer)
    with pytest.raises(TooLarge):
        answer.reason_diagram  # noqa: B018


def test_reasons_that_were_not_counted_are_not_said_to_be_several():
    odd = replace(oddly.compile(oddly.examples.pregnancy()), source=None)
    answer = explain(odd, {"U": "+ve", "B": "-ve", "S": "+ve"}, max_nodes=1)
    assert [*answer.sufficient] == [{"S": "+ve"}]  # the only one
    assert answer.sufficient.count is None
    assert "No reason is smaller; how many there are is not known (" in repr(answer)


def test_the_product_of_two_classifiers_is_explained_too():
    tight = FIGURE_1.replace(threshold="0.99")
    levels = combine(
        oddly.compile(FIGURE_1, "as-given"),
        oddly.compile(tight, "as-given"),
        lambda a, b: a + b,
        ["no", "maybe", "yes"],
    )
    answer = explain(levels, {"U": "+ve", "B": "+ve", "S": "-ve"})
    assert answer.decision == "maybe"
    assert answer.because() == "maybe, because U=+ve, B=+ve and S=-ve."
    assert "change that" in repr(answer)
    check(levels, table_of(levels), [0, 0, 1])


# ---- Figure 1, as a person reads it ----


@pytest.mark.parametrize("order", [["U", "B", "S"], ["S", "B", "U"], ["B", "U", "S"]], ids="".join)
def test_a_positive_scan_is_the_only_reason_when_blood_is_negative(order):
    answer = explain(oddly.compile(FIGURE_1, order), CASE)
    assert answer.decision == "yes"
    assert answer.sufficient.smallest == {"S": "+ve"}
    assert answer.sufficient.count == 1
    assert answer.necessary.smallest == {"S": "+ve"}
    assert answer.because() == "yes, because S=+ve; whatever U and B are."
    assert answer.general.condition == "S=+ve"
    assert (answer.general.size, answer.general.instances) == (4, 8)
    assert answer.reason_diagram.count("sufficient") == 4


def test_what_is_decided_already_and_what_is_still_open():
    assert repr(explain(FIGURE_1, {"S": "+ve"})).startswith(
        "decided already: yes, because S=+ve; whatever U and B are."
    )
    answer = explain(FIGURE_1, {})
    assert not answer
    assert answer.open.counts == {"no": 3, "yes": 5}
    assert answer.open.ask == "S"
    assert answer.open.settles == {"U": 0, "B": 0, "S": 4}
    assert repr(answer).startswith("still open: 5 of 8 completions are yes, 3 are no. Asking S settles 4 of them")
    assert explain(FIGURE_1, {"U": "+ve", "B": "-ve"}).open.settles == {"S": 2}


def test_where_everything_is_decided_alike_nothing_is_needed():
    card = Scorecard([Points("a", ["x", "y"], [0, 1])], cutoff=-1)
    answer = explain(card, {"a": "x"})
    assert repr(answer) == "yes, whatever a is."
    assert answer.sufficient.smallest == {}
    assert answer.sufficient.count == 1
    assert answer.necessary.count == 0
    assert answer.general.sentence() == "yes whatever the instance."
    assert explain(Scorecard([], cutoff=-1), {}).decision == "yes"


@given(made=tables(), data=st.data())
@settings(max_examples=40, **UNCHECKED)
def test_the_attribute_to_ask_settles_the_most_completions(made, data):
    table, odd = made
    case = data.draw(cases(table.shape, partial=True))
    answer = explain(odd, instance_of(odd, case))
    if answer.open is None:
        return
    known = [i for i, v in enumerate(case) if v is not None]
    counts = Counter(slice_of(table, case, known).ravel().tolist())
    assert answer.open.counts == {label: counts[i] for i, label in enumerate(odd.labels)}
    settled, told = {}, {}
    for i, own in enumerate(case):
        if own is None:
            parts = [slice_of(table, [*case[:i], v, *case[i + 1 :]], [*known, i]) for v in range(table.shape[i])]
            settled[odd.columns[i]] = sum(part.size for part in parts if len(np.unique(part)) == 1)
            left = sum(part.size * doubt(part) for part in parts) / sum(counts.values())
            told[odd.columns[i]] = doubt(slice_of(table, case, known)) - left
    assert answer.open.settles == settled
    assert answer.open.tells == pytest.approx(told, abs=1e-9)
    if answer.open.ask is None:
        assert max(settled.values()) == 0
        assert max(told.values()) < 1e-9
        return
    assert settled[answer.open.ask] == max(settled.values())
    assert told[answer.open.ask] >= max(told[name] for name in told if settled[name] == max(settled.values())) - 1e-9


def doubt(labels):
    """The entropy of equally likely labels, in bits."""
    counts = Counter(np.asarray(labels).ravel().tolist())
    return -sum(n / counts.total() * log2(n / counts.total()) for n in counts.values())


def test_where_nothing_is_settled_the_attribute_that_tells_most_is_named():
    """All settle nothing and leave the same majorities; the third has three votes, the others two or one."""
    card = Scorecard([Points(f"a{i}", ["n", "y"], [0, p]) for i, p in enumerate([1, 2, 3, 2, 2])], cutoff=7)
    answer = explain(card, {})
    assert set(answer.open.settles.values()) == {0}
    assert answer.open.ask == max(answer.open.tells, key=answer.open.tells.get) == "a2"
    assert repr(answer).endswith("No single attribute settles any of them; a2 tells most about the decision.")


def test_where_no_single_attribute_tells_anything_none_is_named():
    parity = np.array([[0, 1], [1, 0]])
    answer = explain(diagram_of(parity, ("even", "odd")), {})
    assert answer.open.ask is None
    assert answer.open.tells == {"A0": 0, "A1": 0}
    assert repr(answer).endswith("No single attribute tells anything about the decision; it takes several together.")


def test_an_attribute_that_settles_some_comes_before_one_that_only_makes_majorities():
    table = np.array([[[0, 2, 2], [0, 1, 0]], [[0, 2, 2], [0, 0, 0]]])
    answer = explain(diagram_of(table, ("a", "b", "c")), {})
    assert answer.open.settles == {"A0": 0, "A1": 0, "A2": 4}
    assert answer.open.ask == "A2"


def test_what_is_not_an_instance_is_refused_by_name():
    with pytest.raises(UnknownName, match="no attribute 'T'"):
        explain(FIGURE_1, {"T": "+ve"})
    with pytest.raises(UnknownValue, match="U is one of"):
        explain(FIGURE_1, {"U": "maybe"})
    with pytest.raises(oddly.ModelError, match="mapping"):
        explain(FIGURE_1, "U=+ve")
    assert explain(FIGURE_1, {**CASE, "P": "yes"}).decision == "yes"


def test_an_attribute_may_be_called_reason():
    card = Scorecard([Points("reason", ["x", "y"], [0, 1]), Points("reason'", ["x", "y"], [0, 1])], cutoff=1)
    assert explain(card, {"reason": "y", "reason'": "y"}).sufficient.count == 2


def test_many_reasons_are_counted_without_listing_them():
    """Any 30 of 60 equal features: more than could ever be listed."""
    card = Scorecard([Points(f"x{i}", ["no", "yes"], [0, 1]) for i in range(70)], cutoff=30)
    answer = explain(card, {f"x{i}": "yes" if i < 60 else "no" for i in range(70)})
    ways = 118264581564861424  # 60 over 30
    assert answer.sufficient.count == ways
    assert answer.sufficient.by_size == {30: ways}
    assert answer.sufficient.used["x0"] == ways // 2
    assert answer.necessary.by_size == {31: ways * 30 // 31}
    assert len(list(islice(answer.sufficient, 50))) == 50


# ---- the command ----


@pytest.fixture
def run(capsys, monkeypatch):

    def run(*arguments, code=0):
        capsys.readouterr()
        found = main(["explain", "example:pregnancy", *arguments])
        out, err = capsys.readouterr()
        assert found == code, err
        return out, err

    return run


def test_the_command_says_why(run):
    out, _ = run("U=+ve", "B=-ve", "S=+ve")
    assert out.startswith("yes, because S=+ve; whatever U and B are.")
    assert "sufficient  1 reason: 1 of size 1" in out
    out, _ = run("U=-ve", "B=-ve", "S=-ve", "--list", "5")
    assert "  U=-ve, S=-ve\n  B=-ve, S=-ve\n" in out


def test_the_command_speaks_json(run):
    found = json.loads(run("U=-ve", "B=-ve", "S=-ve", "--list", "9", "--json")[0])
    assert found["decision"] == "no"
    assert found["sufficient"]["count"] == "2"
    assert found["sufficient"]["by_size"] == {"2": "2"}
    assert found["necessary"]["list"] == [{"S": "-ve"}, {"U": "-ve", "B": "-ve"}]
    assert found["general"]["allowed"] == {"U": ["-ve"], "S": ["-ve"]}
    assert found["open"] is None


def test_the_exit_code_says_whether_it_is_decided_and_whether_all_is_known(run, tmp_path):
    out, _ = run("U=+ve", code=1)
    assert out.startswith("still open: 3 of 4 completions are yes")
    assert json.loads(run("U=+ve", "--json", code=1)[0])["open"]["completions"] == "4"
    assert "no attribute 'Q'" in run("Q=1", code=2)[1]
    assert "unknown option" in run("--frob", code=2)[1]
    assert "--list" in run("--list", "-1", code=2)[1]
    path = tmp_path / "x.odd"
    replace(oddly.compile(FIGURE_1), source=None).save(path)
    assert main(["explain", str(path), "U=+ve", "B=-ve", "S=+ve", "--max-nodes", "2"]) == 3
