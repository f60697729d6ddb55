# SPDX-License-Identifier: Apache-2.0
"""Are these the same classifier?  Against enumeration, in every direction and under every distribution."""

import itertools
import json
from fractions import Fraction
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oddly
import oracle
from oddly import CPT, NaiveBayes, Points, Scorecard
from oddly.diagram.passes.sweep import value_counts
from oddly.distribution.boxes import boxes
from oddly.model import Network, Node, Scoreboard, Tally
from oddly.questions.added_rows import added_rows, with_row
from oddly.questions.compare.question import compare
from oddly.questions.rounding import rounded_weights, rounding
from strategies import classifiers, naive_bayes

FIGURE_1 = oddly.examples.pregnancy()
MOVED = FIGURE_1.replace(prior=["0.6", "0.4"])


class TestFigure1:
    def test_a_prior_of_06_changes_one_decision(self):
        difference = compare(FIGURE_1, MOVED)
        assert not difference
        assert (difference.count, difference.instances) == (1, 8)
        assert difference.directions == {"yes → no": 1, "no → yes": 0}
        assert difference.examples() == [{"U": "+ve", "B": "+ve", "S": "-ve"}]

    def test_the_sentence_shows_the_case_with_both_posteriors(self):
        assert repr(compare(FIGURE_1, MOVED)) == (
            "Not the same classifier: they differ on 1 of 8 instances (1 yes → no). "
            "For example U=+ve, B=+ve, S=-ve: yes (0.965) → no (0.862)."
        )
        assert repr(compare(FIGURE_1, FIGURE_1)) == ("The same classifier: both decide alike on all 8 instances.")

    def test_an_assertion_shows_the_counterexample(self):
        with pytest.raises(AssertionError, match="U=\\+ve, B=\\+ve, S=-ve"):
            assert compare(FIGURE_1, MOVED), compare(FIGURE_1, MOVED)

    def test_probability_is_that_of_the_case(self):
        difference = compare(FIGURE_1, MOVED)
        mass = {}
        for name, model in (("a", FIGURE_1), ("b", MOVED)):
            rows = [[a.given[c][i] for a, i in zip(model.attributes, (0, 0, 1), strict=True)] for c in ("yes", "no")]
            mass[name] = sum(
                p * np.prod([float(x) for x in row]) for p, row in zip(map(float, model.prior), rows, strict=True)
            )
        assert difference.probability("a") == pytest.approx(mass["a"])
        assert difference.probability("b") == pytest.approx(mass["b"])
        assert difference.probability("uniform") == 1 / 8
        rows = [{"U": "+ve", "B": "+ve", "S": "-ve"}] * 3 + [{"U": "-ve", "B": "+ve", "S": "-ve"}]
        assert difference.probability(rows) == 3 / 4

    def test_json_has_what_a_program_needs(self):
        difference = compare(FIGURE_1, MOVED)
        told = difference.to_json()
        assert (told["equivalent"], told["count"], told["instances"]) == (False, "1", "8")
        assert told["boxes"][0]["allowed"] == {"B": ["+ve"], "U": ["+ve"], "S": ["-ve"]}
        assert told["lifts"][0] == {"attribute": "B", "value": "+ve", "share": 1.0, "usual": 0.5}
        assert told["smallest"]["known"] == {"U": "+ve", "B": "+ve", "S": "-ve"}
        assert told["smallest"]["posteriors"] == [
            {"of": "yes", "probability": pytest.approx(float(model.posterior(difference.examples(1)[0])[0]))}
            for model in (FIGURE_1, MOVED)
        ]

    def test_one_digit_of_the_probabilities_and_of_the_weights_is_enough(self):
        found = rounding(FIGURE_1)
        assert (found.fewest, found.fewest_of_weights) == (1, 1)


@given(a=classifiers(), seed=st.integers(0, 9), data=st.data())
@settings(max_examples=80, deadline=None)
def test_disagreements_are_those_of_enumeration(a, seed, data):
    b = _changed(a, data)
    difference = compare(oddly.compile(a, f"random:{seed}"), b)
    first, second = oracle.decisions(a), oracle.decisions(b)
    assert difference.count == (first != second).sum()
    assert difference.directions["no → yes"] == (~first & second).sum()
    assert bool(difference) == bool((first == second).all())
    differing = [i for i, p, q in zip(oracle.instances(a), first, second, strict=True) if p != q]
    members = list(itertools.islice(difference.members("uniform"), 5000))
    assert sorted(map(_key, members)) == sorted(map(_key, differing))
    covered = difference.boxes(1.0, most=5000)
    assert sum(box.size for box in covered) == difference.count
    assert all(sum(_inside(box, i) for box in covered) == 1 for i in differing)
    sizes = [box.size for box in covered]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[:1] == [_largest_box(difference)] or not sizes
    json.dumps(difference.to_json(), allow_nan=False)


@given(a=naive_bayes(zeros=False), data=st.data())
@settings(max_examples=40, deadline=None)
def test_members_come_most_probable_first(a, data):
    b = _changed(a, data)
    difference = compare(a, b)
    chances = [_chance(a, member) for member in difference.members("a")]
    assert chances == sorted(chances, reverse=True)
    assert float(sum(chances)) == pytest.approx(difference.probability("a"))


def _largest_box(difference):
    """The size of the largest path of the reduced diagram, each edge taken with all the values that lead along it."""
    reduced = difference._differ.reduce()
    arities = difference.diagram.arities
    depth = {i: len(arities) for i in range(len(reduced.labels))}
    depth |= {start + i: k for k, start in enumerate(reduced.starts) for i in range(len(reduced.levels[k]))}

    def largest(node):
        if node < len(reduced.labels):
            return int(reduced.labels[node] == "differ")
        k = depth[node]
        row = reduced.levels[k][node - reduced.starts[k]].tolist()
        return max(row.count(c) * prod(arities[k + 1 : depth[c]]) * largest(c) for c in row)

    return prod(arities[: depth[reduced.root]]) * largest(reduced.root)


def _changed(model, data):
    """A model like the first: another prior, threshold or cut-off."""
    if isinstance(model, Scorecard):
        return model.replace(cutoff=model.cutoff + data.draw(st.sampled_from([-1, 0, 1, 2])))
    p = data.draw(st.sampled_from([Fraction(1, 3), Fraction(1, 2), Fraction(9, 10)]))
    return model.replace(prior=[p, 1 - p])


def _chance(model, instance):
    chance = Fraction(0)
    for c, p in zip(model.class_values, model.prior, strict=True):
        for a in model.attributes:
            p *= a.given[c][a.values.index(instance[a.name])]
        chance += p
    return chance


def _key(instance):
    return sorted(instance.items())


def _inside(box, instance):
    return all(instance[name] in values for name, values in box.allowed.items())


def test_an_attribute_that_one_lacks_is_one_it_ignores():
    """Would this attribute matter?  Compare with and without it."""
    without = FIGURE_1.replace(attributes=FIGURE_1.attributes[:2])
    difference = compare(FIGURE_1, without)
    assert difference.instances == 8
    for case in difference.examples(8, "uniform"):
        assert oracle.decides(FIGURE_1, case) != oracle.decides(without, case)
    assert difference.probability("a") > 0
    with pytest.raises(oddly.Unsupported, match="no attribute S"):
        difference.probability("b")


def test_sides_with_other_attributes_or_values_in_another_order_speak():
    without = FIGURE_1.replace(attributes=FIGURE_1.attributes[:2])
    nothing = FIGURE_1.replace(attributes=[], prior=[0, 1])
    turned = FIGURE_1.replace(
        attributes=[CPT(a.name, a.values[::-1], {c: r[::-1] for c, r in a.given.items()}) for a in MOVED.attributes],
        prior=MOVED.prior,
    )
    for a, b in itertools.permutations((FIGURE_1, without, nothing, turned), 2):
        assert repr(compare(a, b)).startswith("Not the same classifier")
    assert "yes (0.965) → no (0.862)" in repr(compare(FIGURE_1, turned))
    opposite = FIGURE_1.replace(positive="no", threshold="0.1", ties="negative")
    assert "no (0.862) → yes (0.965)" in repr(compare(MOVED, opposite))


def test_boxes_of_a_thin_difference_come_at_once():
    cards = [_random_card(1, 26), _random_card(1, 26).replace(cutoff=40)]
    difference = compare(*cards)
    assert len(difference.boxes(0.9, 5)) == 5


def test_boxes_of_more_instances_than_a_float_can_count():
    card = Scorecard([Points(f"A{i}", ["x", "y"], [1, 0]) for i in range(1100)], cutoff=1099)
    assert compare(card, card.replace(cutoff=1100)).boxes(0.9, 1)[0].size == 1


def test_paths_and_diagrams_and_models_compare(tmp_path):
    oddly.write(FIGURE_1, tmp_path / "a.json")
    oddly.compile(MOVED, "descending").save(tmp_path / "b.odd")
    assert compare(tmp_path / "a.json", str(tmp_path / "b.odd")).count == 1
    assert compare(tmp_path / "b.odd", MOVED)


def test_a_model_is_compared_with_a_diagram_s_own_choice_for_impossible_instances():
    cpt = [CPT(n, ["p", "n"], {"yes": ["1", "0"], "no": ["0", "1"]}) for n in "AB"]
    model = NaiveBayes("C", ["yes", "no"], ["1/2", "1/2"], cpt)
    positive = oddly.compile(model, impossible="positive")
    assert compare(positive, model)
    assert compare(model, positive)
    assert compare(positive, oddly.compile(model)).count == 2


def test_what_is_impossible_can_be_chosen_for_models():
    cpt = [CPT(n, ["p", "n"], {"yes": ["1", "0"], "no": ["0", "1"]}) for n in "AB"]
    model = NaiveBayes("C", ["yes", "no"], ["1/2", "1/2"], cpt)
    card = Scorecard([Points(n, ["p", "n"], [1, 0]) for n in "AB"], cutoff=1)
    for impossible in ("negative", "positive"):
        expected = [oracle.decides(model, i, impossible) != oracle.decides(card, i) for i in oracle.instances(model)]
        assert compare(model, card, impossible=impossible).count == sum(expected)
        assert compare(card, model, impossible=impossible).count == sum(expected)
    with pytest.raises(oddly.Unsupported, match="both are compiled already"):
        compare(oddly.compile(model), oddly.compile(card), impossible="positive")


def test_a_distribution_is_checked_even_where_nothing_differs():
    same = compare(FIGURE_1, FIGURE_1)
    assert same.probability("a") == same.probability("uniform") == 0
    with pytest.raises(oddly.UnknownName, match="expected 'a', 'b', 'uniform' or a file of rows, and there is no such"):
        same.probability("nothing.csv")
    with pytest.raises(oddly.UnknownValue, match="U=maybe"):
        same.probability([{"U": "maybe", "B": "+ve", "S": "+ve"}])


def test_an_error_says_which_model_has_no_distribution(tmp_path):
    card = Scorecard([Points(v.name, v.values, [1, 0]) for v in FIGURE_1.variables], cutoff=2)
    oddly.write(card, tmp_path / "card.json")
    with pytest.raises(oddly.Unsupported, match=r"model b \(.*card\.json\): a scorecard says nothing"):
        compare(FIGURE_1, tmp_path / "card.json").probability("b")
    with pytest.raises(oddly.Unsupported, match="model a: a scorecard says nothing"):
        compare(card, FIGURE_1).probability("a")
    odd = oddly.compile(FIGURE_1)
    with pytest.raises(oddly.Unsupported, match="model b was combined from others"):
        compare(odd, odd & odd).probability("b")
    with pytest.raises(oddly.UnknownName, match="There are two models, a and b"):
        compare(FIGURE_1, MOVED).probability("model")


def test_labels_are_compared_by_name():
    turned = FIGURE_1.replace(positive="no", threshold="0.1", ties="negative")
    assert compare(FIGURE_1, turned)
    other = Scorecard([Points("U", ["+ve", "-ve"], [1, 0])])
    other = other.replace(class_values=("in", "out"), positive="in")
    with pytest.raises(oddly.ModelError, match="different labels: no, yes and out, in"):
        compare(FIGURE_1, other)


def test_labels_that_make_two_directions_read_alike_are_refused():
    labels = ["a", "a → b", "b → a"]
    one, other = (Scoreboard([Tally("x", ["0"], [points])], labels) for points in ([0, 1, 0], [1, 0, 0]))
    with pytest.raises(oddly.ModelError, match="the direction 'a → b → a' stands twice"):
        compare(one, other)
    with pytest.raises(oddly.ModelError, match="the direction 'a → b → a' stands twice"):
        oddly.check(one, [oddly.rules.agrees(other)])


def test_over_represented_values_are_those_of_the_members():
    difference = compare(FIGURE_1, FIGURE_1.replace(threshold="0.999"))
    members = list(difference.members("uniform"))
    for lift in difference.lifts(20):
        assert lift.share == sum(m[lift.attribute] == lift.value for m in members) / len(members)
        assert lift.share > lift.usual == 1 / 2


@given(model=classifiers())
@settings(max_examples=40, deadline=None)
def test_value_counts_and_boxes_of_any_label(model):
    odd = oddly.compile(model)
    decided = dict(zip(map(str, oracle.instances(model)), oracle.decisions(model), strict=True))
    positives = [i for i in oracle.instances(model) if decided[str(i)]]
    found = value_counts(odd.levels, odd.root, odd.label_index("yes"), len(odd.labels), odd.instances)
    for variable, counts in zip(odd.variables, found, strict=True):
        assert counts == [sum(i[variable.name] == v for i in positives) for v in variable.values]
    if positives:
        assert sum(box.share for box in boxes(odd, "yes", 1.0, most=5000)) == 1


class TestRounding:
    @given(model=naive_bayes(zeros=False), digits=st.integers(1, 4))
    @settings(max_examples=40, deadline=None)
    def test_rounded_rows_are_near_and_sum_to_one(self, model, digits):
        other = model.rounded(digits)
        unit = Fraction(1, 10**digits)
        for a, b in zip(model.attributes, other.attributes, strict=True):
            for c in model.class_values:
                assert sum(b.given[c]) == 1
                assert all(abs(p - q) <= unit for p, q in zip(a.given[c], b.given[c], strict=True))

    @given(model=naive_bayes(zeros=False))
    @settings(max_examples=25, deadline=None)
    def test_every_row_of_the_answer_is_a_comparison(self, model):
        found = rounding(model, most=3)
        for tried in found.probabilities:
            assert tried.count == (oracle.decisions(model) != oracle.decisions(tried.model)).sum()
        for tried in found.weights:
            assert (
                tried.count == (oracle.decisions(model) != oracle.decisions(rounded_weights(model, tried.digits))).sum()
            )

    def test_zeros_have_no_weights_to_round(self):
        cpt = CPT("A", ["x", "y"], {"yes": [1, 0], "no": ["0.5", "0.5"]})
        assert rounding(NaiveBayes("C", ["yes", "no"], ["0.5", "0.5"], [cpt])).weights == ()

    def test_a_scorecard_rounds_its_points(self):
        card = Scorecard([Points("A", ["x", "y"], ["0.26", 0]), Points("B", ["x", "y"], ["0.25", 0])], cutoff="0.51")
        found = rounding(card)
        assert found.fewest == 2
        assert found.weights == ()
        assert "Of the points, 1 digit changes 1 of 4 instances; 2 digits change nothing." in repr(found)


class TestAddedRows:
    def rows(self):
        return oddly.examples.tic_tac_toe_boards()

    def test_a_row_more_is_learning_with_a_row_more(self):
        rows = self.rows()
        rows[3] = {**rows[3], "top-left": None}
        data = rows[::2]
        model = oddly.learn(data, "x-wins", "positive", alpha="1/2")
        for row in (rows[3], rows[501], rows[901]):
            again = oddly.learn([*data, row], "x-wins", "positive", alpha="1/2")
            assert with_row(model, row) == again
            assert with_row(model, row).learned == again.learned

    @pytest.mark.parametrize("alpha", ["0", "1"])
    def test_the_rows_that_change_a_decision_are_those_of_rebuilding(self, alpha):
        rows = self.rows()[::19]
        model = oddly.learn(rows, "x-wins", "positive", alpha=alpha)
        values = {a.name: a.values for a in model.attributes}
        rows = [r for r in self.rows()[::37] if all(r[n] in v for n, v in values.items())]
        found = added_rows(model, rows)
        expected = [r for r in rows if not compare(model, with_row(model, r)).equivalent]
        assert sorted(map(str, map(_sorted, found.changing))) == sorted(map(str, map(_sorted, expected)))
        assert found.checked == len({str(_sorted(r)) for r in rows})

    def test_counts_travel_with_the_model_s_file(self, tmp_path):
        model = oddly.learn(self.rows(), "x-wins", "positive")
        oddly.write(model, tmp_path / "m.json")
        assert oddly.read(tmp_path / "m.json").learned == model.learned
        assert model.replace(threshold="0.6").learned == model.learned
        assert model.replace(prior=["0.5", "0.5"]).learned is None

    def test_a_model_without_counts_says_so(self):
        with pytest.raises(oddly.Unsupported, match="not known; learn it with oddly.learn"):
            added_rows(FIGURE_1, [{"P": "yes", "U": "+ve", "B": "+ve", "S": "+ve"}])

    def test_unknown_values_and_columns_are_named(self):
        model = oddly.examples.tic_tac_toe()
        row = self.rows()[0]
        with pytest.raises(oddly.UnknownValue, match="top-left=z"):
            added_rows(model, [{**row, "top-left": "z"}])
        with pytest.raises(oddly.UnknownName, match="no column 'x-wins'"):
            added_rows(model, [{k: v for k, v in row.items() if k != "x-wins"}])

    def test_a_row_without_its_class_says_what_is_missing(self):
        model, row = oddly.examples.tic_tac_toe(), self.rows()[0]
        missing = {**row, "x-wins": None}
        with pytest.raises(oddly.UnknownValue, match=r"row 2: no value for the class x-wins\.  It is one of negative"):
            added_rows(model, [row, missing])
        with pytest.raises(oddly.UnknownValue, match="the row: no value for the class x-wins"):
            with_row(model, missing)


def _sorted(row):
    return sorted((k, v) for k, v in row.items())


def test_large_diagrams_compare_within_the_limits():
    first = oddly.compile(_random_card(1, 24), "as-given")
    second = oddly.compile(_random_card(2, 24), "as-given")
    with pytest.raises(oddly.TooLarge):
        compare(first, second, max_nodes=2000)
    assert compare(first, second).count == (first ^ second).count("yes")


def _random_card(seed, n):
    r = np.random.default_rng(seed)
    return Scorecard([Points(f"A{i}", ["x", "y"], [int(p) for p in r.integers(-(10**6), 10**6, 2)]) for i in range(n)])


class TestRoundingBeyondOneSum:
    """Networks, points per class and more than two classes have probabilities or points, and no single weights."""

    THREE = NaiveBayes(
        "C",
        ["p", "q", "r"],
        ["0.31", "0.38", "0.31"],
        [CPT("A", ["x", "y"], {"p": ["0.333", "0.667"], "q": ["0.6", "0.4"], "r": ["0.5", "0.5"]})],
    )

    @pytest.mark.parametrize("positive", [None, "q"])
    def test_of_three_classes_only_the_probabilities_are_rounded(self, positive):
        model = self.THREE.replace(positive=positive)
        found = rounding(model, most=4)
        assert found.weights == ()
        for tried in found.probabilities:
            assert tried.model == model.rounded(tried.digits)
            changed = [
                case
                for case in ({"A": "x"}, {"A": "y"})
                if decided(model, model.posterior(case)) != decided(model, tried.model.posterior(case))
            ]
            assert tried.count == len(changed)

    def test_a_network_is_rounded_table_by_table(self):
        network = Network(
            [
                Node("c", ["p", "q"], [], [["0.46", "0.54"]]),
                Node("h", ["u", "v"], ["c"], [["0.64", "0.36"], ["0.26", "0.74"]]),
                Node(
                    "a", ["x", "y"], ["h", "c"], [["0.55", "0.45"], ["0.5", "0.5"], ["0.12", "0.88"], ["0.37", "0.63"]]
                ),
            ]
        )
        model = network.classifier("c", attributes=["a"])
        found = rounding(model)
        for tried in found.probabilities:
            cases = [{"a": "x"}, {"a": "y"}]
            moved = [
                c
                for c in cases
                if (model.posterior(c)[0] >= Fraction(1, 2)) != (tried.model.posterior(c)[0] >= Fraction(1, 2))
            ]
            assert tried.count == len(moved)
            assert all(sum(row) == 1 for node in tried.model.network.nodes for row in node.table)
        assert found.weights == ()

    def test_points_per_class_are_rounded(self):
        board = Scoreboard([Tally("sky", ["a", "b"], [["0.26", 0], [0, "0.24"]])], ["x", "y"], ["0", "0.25"])
        found = rounding(board)
        assert [tried.count for tried in found.probabilities] == [0]
        assert repr(found) == "Of the points, 1 digit changes nothing."
        assert found.probabilities[0].model.intercept == (0, Fraction(1, 5))

    def test_a_probability_may_become_zero_here_and_nowhere_else(self):
        network = Network([Node("a", ["x", "y"], [], [["0.01", "0.99"]])])
        assert network.rounded(1).nodes[0].table == ((0, 1),)
        with pytest.raises(oddly.Unsupported, match="0.01 would be rounded to zero"):
            network.rounded(1, zeros=False)
        for digits in (0, 10**9, True):
            with pytest.raises(oddly.ModelError, match="digits: expected a number from 1 to"):
                network.rounded(digits)


def decided(model, posterior):
    """The label of some posterior, as the model decides."""
    if model.positive is None:
        return posterior.index(max(posterior))
    return posterior[model.class_values.index(model.positive)] >= model.threshold


AGES = [{"age": str(age), "c": "old" if age > 40 else "young"} for age in (20, 25, 30, 35, 45, 55, 65)]


class TestAddedNumbers:
    def test_numbers_of_one_interval_are_one_row(self):
        model = oddly.learn(AGES, "c", "old", alpha=1, bins={"age": [40]})
        found = added_rows(model, [{"age": age, "c": "old"} for age in (41, 50, "60.5", 39)])
        assert found.checked == 2
        again = oddly.learn([*AGES, {"age": "50", "c": "old"}], "c", "old", alpha=1, bins={"age": [40]})
        assert with_row(model, {"age": 41, "c": "old"}) == again

    def test_an_unknown_cell_is_named_with_its_row(self):
        model = oddly.learn(AGES, "c", "old", alpha=1, bins={"age": [40]})
        with pytest.raises(oddly.UnknownValue, match="row 2: age=tall"):
            added_rows(model, [AGES[0], {"age": "tall", "c": "old"}])
        with pytest.raises(oddly.UnknownValue, match="row 1: c=new"):
            added_rows(model, [{"age": "30", "c": "new"}])

    def test_numbers_that_are_no_longer_those_of_the_counts_are_refused(self):
        model = oddly.learn(AGES, "c", "old", alpha=1, bins={"age": [40]})
        edited = model.replace(prior=["0.5", "0.5"], learned=model.learned)
        with pytest.raises(oddly.Unsupported, match="not those of the counts"):
            added_rows(edited, AGES)
