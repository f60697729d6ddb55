# SPDX-License-Identifier: Apache-2.0
"""How far may a number move?  The paper's digits, plain enumeration, and models that were really changed."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import oddly
import oracle
from oddly.cli import main
from oddly.questions.allowed.question import allowed
from oddly.questions.allowed.ranges import End, Range
from strategies import classifiers, naive_bayes, scorecards

FIGURE_1 = oddly.examples.pregnancy()
A_LITTLE = Fraction(1, 10**9)


def rounded(number):
    return round(number.low, 6), round(number.high, 6)


def replaced(model, name, **changes):
    """The model with one attribute made anew."""
    attributes = []
    for a in model.attributes:
        if a.name == name:
            kept = {"given": a.given} if isinstance(a, oddly.CPT) else {"points": a.points}
            a = type(a)(a.name, a.values, **{**kept, **changes})
        attributes.append(a)
    return model.replace(attributes=attributes)


def with_prior(model, p):
    other = sum(model.prior) - p
    return model.replace(prior=[p, other] if model.positive == model.class_values[0] else [other, p])


def with_entry(model, name, label, place, q):
    """One entry of a CPT changed, the others of its row scaled to make up for it."""
    a = next(a for a in model.attributes if a.name == name)
    row = a.given[label]
    scale = (sum(row) - q) / (sum(row) - row[place])
    return replaced(model, name, given={**a.given, label: [q if i == place else p * scale for i, p in enumerate(row)]})


def with_points(model, name, place, points):
    a = next(a for a in model.attributes if a.name == name)
    return replaced(model, name, points=[points if i == place else p for i, p in enumerate(a.points)])


def same(model, changed):
    return oddly.compile(model, "as-given") == oddly.compile(changed, "as-given")


def check_ends(number, model, change):
    """Exactly at each end, a little inside and a little outside: nothing changes iff the range says so; and past
    an end the case that blocks it is decided as was said."""
    low, high = number.exact
    for end, block, outward in ((low, number.below, -1), (high, number.above, 1)):
        if block is None:
            continue
        step = A_LITTLE * min(1, *(x for x in (abs(end), high - low) if x))
        for x in (end - outward * step, end, end + outward * step):
            if number.unit == "probability" and not 0 < x < 1:
                continue
            assert same(model, change(x)) == (x in number), (float(x), number)
        first_outside = end + outward * step if end in number else end
        if number.unit == "points" or 0 < first_outside < 1:
            positive = oracle.decides(change(first_outside), block.instance)
            assert model.labels[positive] == block.becomes
            assert model.labels[oracle.decides(model, block.instance)] != block.becomes


class TestFigure1:
    @pytest.fixture(params=[["U", "B", "S"], ["S", "B", "U"], ["B", "U", "S"]], ids="".join)
    def answer(self, request):
        return allowed(oddly.compile(FIGURE_1, order=request.param))

    def test_margins_are_alpha_3327_and_beta_0619(self, answer):
        assert (round(answer.alpha, 6), round(answer.beta, 6)) == (3.326669, 0.619038)

    def test_prior_log_odds_may_move_from_0772_to_3479(self, answer):
        assert rounded(answer.prior) == (0.771515, 3.479145)
        assert round(answer.prior.now, 6) == round(math.log(0.87 / 0.13), 6)

    def test_prior_may_move_from_0684_to_0970(self, answer):
        assert rounded(answer.prior.probability) == (0.683848, 0.970089)
        assert answer.prior.probability.interval() == "[0.684, 0.970)"
        assert "Pr(P=yes) is in [0.684, 0.970), now 0.87" in repr(answer)

    def test_weights_of_u_may_lie_where_theorem_2_3_says(self, answer):
        assert rounded(answer.weights["U"]["+ve"]) == (0.790771, 3.498402)
        assert rounded(answer.weights["U"]["-ve"]) == (-3.293942, 0.790771)

    def test_below_0684_the_case_with_a_negative_scanning_test_becomes_no(self, answer):
        block = answer.prior.below
        assert block.instance == {"U": "+ve", "B": "+ve", "S": "-ve"}
        assert list(block.instance) == ["U", "B", "S"]
        assert block.becomes == "no"
        assert "below 0.684 the case U=+ve, B=+ve, S=-ve becomes no" in repr(answer)

    def test_the_threshold_may_lie_between_the_two_closest_posteriors(self, answer):
        low, high = answer.threshold.probability.exact
        assert FIGURE_1.posterior(answer.threshold.below.instance)[0] == low
        assert FIGURE_1.posterior(answer.threshold.above.instance)[0] == high
        assert answer.threshold.probability.interval() == "(0.650, 0.965]"

    def test_a_more_reliable_urine_test_is_allowed(self, answer):
        weights = {"+ve": math.log(0.9 / 0.05), "-ve": math.log(0.1 / 0.95)}
        assert all(w in answer.weights["U"][value] for value, w in weights.items())

    def test_all_together_may_move_by_a_quarter_of_the_margins(self, answer):
        rho = math.log(9)
        expected = (-(answer.alpha - rho) / 4, (rho - answer.beta) / 4)
        assert (answer.together.low, answer.together.high) == pytest.approx(expected)
        assert "fall by at most 0.282 or rise by less than 0.395" in repr(answer)

    def test_every_entry_is_exact_at_both_ends(self, answer):
        for name, rows in answer.entries.items():
            for label, row in rows.items():
                for place, number in enumerate(row.values()):
                    check_ends(number, FIGURE_1, lambda q, n=name, c=label, i=place: with_entry(FIGURE_1, n, c, i, q))

    def test_prior_and_threshold_are_exact_at_both_ends(self, answer):
        check_ends(answer.prior.probability, FIGURE_1, lambda p: with_prior(FIGURE_1, p))
        check_ends(answer.threshold.probability, FIGURE_1, lambda p: FIGURE_1.replace(threshold=p))


# ---- against enumeration ----


def odds_above_threshold(model):
    """(instance, positive?, posterior odds over threshold odds) of all finite instances, by Bayes' rule."""
    p = model.threshold
    for instance in oracle.instances(model):
        posterior = model.posterior(instance)
        if posterior is not None and 0 not in posterior:
            ours = posterior[model.class_values.index(model.positive)]
            yield instance, oracle.decides(model, instance), ours / (1 - ours) * (1 - p) / p


def enumerated(model, has=lambda instance: True):
    """The least log-odds above the threshold of a positive instance and the greatest of a negative one."""
    found = [(positive, odds) for instance, positive, odds in odds_above_threshold(model) if has(instance)]
    least = min((odds for positive, odds in found if positive), default=None)
    greatest = max((odds for positive, odds in found if not positive), default=None)
    return (
        -math.inf if least is None else -math.log(least),
        math.inf if greatest is None else -math.log(greatest),
    )


@given(model=naive_bayes(), order=st.sampled_from(["ascending", "descending", "as-given", "random:1"]))
@settings(max_examples=120, deadline=None)
def test_every_weight_s_range_is_what_enumeration_finds(model, order):
    assume(model.threshold not in (0, 1) and len(oracle.instances(model)) <= 300)
    answer = allowed(oddly.compile(model, order))
    closed = model.ties == "positive"
    for a in model.attributes:
        for place, value in enumerate(a.values):
            number = answer.weights[a.name][value]
            p, q = a.given["yes"][place], a.given["no"][place]
            if not p or not q:
                assert number is None
                continue
            low, high = enumerated(model, lambda i, a=a, v=value: i[a.name] == v)
            now = math.log(p / q)
            assert (number.low, number.high) == pytest.approx((now + low, now + high), abs=1e-9)
            assert number.includes_low == (closed and number.below is not None)
            assert number.includes_high == (not closed and number.above is not None)
    if 0 in model.prior:
        assert answer.prior is None
        assert answer.threshold.any
    else:
        low, high = enumerated(model)
        now = math.log(model.prior[0] / model.prior[1])
        assert (answer.prior.low, answer.prior.high) == pytest.approx((now + low, now + high), abs=1e-9)


@given(model=scorecards(), order=st.sampled_from(["ascending", "random:1"]))
@settings(max_examples=80, deadline=None)
def test_ranges_of_points_are_exact(model, order):
    assume(len(oracle.instances(model)) <= 300)
    answer = allowed(oddly.compile(model, order))
    margins = [(i, oracle.margin(model, i), oracle.decides(model, i)) for i in oracle.instances(model)]

    def check(number, now, has):
        fall = min((m for i, m, positive in margins if positive and has(i)), default=None)
        rise = min((-m for i, m, positive in margins if not positive and has(i)), default=None)
        assert number.exact == (-math.inf if fall is None else now - fall, math.inf if rise is None else now + rise)

    check(answer.prior, model.intercept, lambda i: True)
    for a in model.attributes:
        for value, now in zip(a.values, a.points, strict=True):
            check(answer.weights[a.name][value], now, lambda i, a=a, v=value: i[a.name] == v)
    assert answer.entries == {}


@given(model=classifiers(), k=st.integers(0, 5))
@settings(max_examples=100, deadline=None)
def test_theorem_2_3_agrees_with_the_paper_s_construction_attribute_first(model, k):
    assume(len(model.attributes) > k)
    assume(not isinstance(model, oddly.NaiveBayes) or (model.threshold not in (0, 1) and 0 not in model.prior))
    a = model.attributes[k]
    rest = [b.name for b in model.attributes if b is not a]
    first = oddly.compile(model, [a.name, *rest])
    answer = allowed(oddly.compile(model, [*rest, a.name]))
    prior, rho = answer.prior.now, answer.threshold.now
    numbers = [w.now for values in answer.weights.values() for w in values.values() if w is not None]
    slack = 1e-9 * max(map(abs, (1, prior, rho, *numbers)))  # the intervals are floats
    if len(rest):
        intervals = first.intervals()[1][first.levels[0][first.root]]
    else:
        intervals = [[(-math.inf, rho), (rho, math.inf)][label] for label in first.levels[0][first.root]]
    for value, (low, high) in zip(a.values, intervals, strict=True):
        number = answer.weights[a.name][value]
        if number is not None:
            assert (number.low, number.high) == pytest.approx((low - prior, high - prior), abs=slack)


# ---- by changing the model ----


@given(model=naive_bayes(), data=st.data())
@settings(max_examples=80, deadline=None)
def test_an_entry_may_move_to_its_ends_and_no_further(model, data):
    assume(model.attributes and len(oracle.instances(model)) <= 1000)
    answer = allowed(oddly.compile(model, "random:3"))
    a = data.draw(st.sampled_from(model.attributes))
    label = data.draw(st.sampled_from(model.class_values))
    for place, value in enumerate(a.values):
        number = answer.entries[a.name][label][value]
        if a.given[label][place] in (0, 1):
            assert number is None
        else:
            assert a.given[label][place] in number
            check_ends(number, model, lambda q, i=place: with_entry(model, a.name, label, i, q))
            for free, x in ((number.below is None, A_LITTLE), (number.above is None, 1 - A_LITTLE)):
                assert not free or same(model, with_entry(model, a.name, label, place, x))


@given(model=naive_bayes())
@settings(max_examples=100, deadline=None)
def test_prior_and_threshold_may_move_to_their_ends_and_no_further(model):
    answer = allowed(oddly.compile(model, "random:3"))
    if answer.prior is not None:
        check_ends(answer.prior.probability, model, lambda p: with_prior(model, p))
    if answer.threshold is not None:
        check_ends(answer.threshold.probability, model, lambda p: model.replace(threshold=p))


@given(model=scorecards(), data=st.data())
@settings(max_examples=100, deadline=None)
def test_points_intercept_and_cutoff_may_move_to_their_ends_and_no_further(model, data):
    answer = allowed(model)
    check_ends(answer.prior, model, lambda x: model.replace(intercept=x))
    check_ends(answer.threshold, model, lambda x: model.replace(cutoff=x))
    if model.attributes:
        a = data.draw(st.sampled_from(model.attributes))
        for place, value in enumerate(a.values):
            check_ends(answer.weights[a.name][value], model, lambda x, i=place: with_points(model, a.name, i, x))


@given(model=scorecards(), data=st.data())
@settings(max_examples=100, deadline=None)
def test_all_points_may_move_together_by_what_it_says(model, data):
    both = allowed(model).together

    def shifted(by):
        attributes = [oddly.Points(a.name, a.values, [p + by() for p in a.points]) for a in model.attributes]
        return model.replace(attributes=attributes, intercept=model.intercept + by())

    check_ends(both, model, lambda x: shifted(lambda: x))
    inside = [x for x in (*both.exact, Fraction(0)) if not isinstance(x, float) and x in both]
    assert same(model, shifted(lambda: data.draw(st.sampled_from(inside))))  # each its own way


# ---- zeros, ties, and what cannot be asked ----


def naive(rows, prior=("1/2", "1/2"), **more):
    attributes = [oddly.CPT(f"A{i}", ["a", "b"], {"yes": yes, "no": no}) for i, (yes, no) in enumerate(rows)]
    return oddly.NaiveBayes("C", ["yes", "no"], prior, attributes, **more)


def test_an_infinite_weight_has_no_range_and_its_entries_move_only_for_the_others():
    model = naive([(["1/2", "1/2"], ["0", "1"]), (["3/4", "1/4"], ["1/4", "3/4"])])
    answer = allowed(model)
    assert answer.weights["A0"]["a"] is None
    assert answer.entries["A0"]["no"] == {"a": None, "b": None}
    entry = answer.entries["A0"]["yes"]["a"]
    assert (entry.exact, entry.below) == ((0, Fraction(2, 3)), None)
    assert entry.above.instance == {"A0": "b", "A1": "a"}  # which a larger Pr(A0=a | yes) makes less likely
    for place, value in enumerate("ab"):
        check_ends(answer.entries["A0"]["yes"][value], model, lambda q, i=place: with_entry(model, "A0", "yes", i, q))


def shown(low, high, now, unit="probability"):
    at = [x if isinstance(x, float) else Fraction(x) for x in (low, high, now)]
    return Range.between(End(at[0]), End(at[1]), at[2], unit).texts()


def test_what_is_not_0_or_1_never_looks_like_it():
    assert shown("0.684", "0.97", "0.87") == ("0.684", "0.970", "0.87")
    assert shown("0.0002", "0.9997", "0.5") == ("0.0002", "0.9997", "0.5")
    assert shown("1e-400", "0.99999999", "0.5") == ("1e-400", "0.99999999", "0.5")
    assert shown(0, 1 - Fraction("1e-30"), Fraction(1, 3)) == ("0", "1-1e-30", "0.333")
    assert shown(0, 1, 1 - Fraction("1e-30")) == ("0", "1", "1-1e-30")
    assert shown(0, "1.000001", "0.5")[1] == "1.000001"  # a row that misses one
    assert shown(-0.0004, 0.006, 0.0, "log-odds") == ("-0.0004", "0.006", "0")
    assert shown(-math.inf, 5e-9, -1.5, "log-odds") == ("-inf", "5e-09", "-1.500")


@given(st.integers(0, 400), st.integers(1, 99), st.booleans())
def test_the_text_of_a_probability_is_near_it_and_neither_0_nor_1(power, digits, up):
    p = Fraction(digits, 100 * 10**power)
    p = 1 - p if up else p
    text = shown(0, 1, p)[2]
    back = 1 - Fraction(text[2:]) if text.startswith("1-") else Fraction(text)
    assert abs(back - p) <= min(p, 1 - p) / 2
    assert 0 < back < 1


@pytest.mark.parametrize("prior", [["0", "1"], ["1", "0"]])
def test_a_certain_prior_decides_everything_and_frees_all_else(prior):
    answer = allowed(naive([(["3/4", "1/4"], ["1/4", "3/4"])], prior))
    assert answer.prior is None
    assert answer.threshold.any
    assert answer.weights["A0"]["a"].any
    assert answer.entries["A0"]["yes"]["a"].interval() == "(0, 1)"
    assert "cannot move a little" in repr(answer)


@pytest.mark.parametrize("threshold", [0, 1])
def test_at_a_threshold_of_0_or_1_no_finite_number_matters(threshold):
    answer = allowed(naive([(["3/4", "1/4"], ["1/4", "3/4"])], threshold=threshold))
    assert answer.threshold is None
    assert answer.prior.any
    assert answer.together.any
    assert answer.prior.probability.interval() == "(0, 1)"
    assert (answer.alpha, answer.beta) == (math.inf, -math.inf)


@pytest.mark.parametrize(("ties", "interval"), [("positive", "[0.500, 0.900)"), ("negative", "(0.100, 0.500]")])
def test_a_tie_leaves_no_room_on_its_own_side(ties, interval):
    model = naive([(["3/4", "1/4"], ["1/4", "3/4"]), (["3/4", "1/4"], ["1/4", "3/4"])], ties=ties)
    answer = allowed(model)
    assert answer.prior.probability.interval() == interval
    assert Fraction(1, 2) in answer.prior.probability
    assert answer.prior.probability.exact[ties == "negative"] == Fraction(1, 2)


def test_rows_that_miss_one_keep_their_sum():
    model = naive([(["0.7500001", "0.25"], ["0.25", "0.75"])], prior=["0.6000001", "0.4"])
    answer = allowed(model)
    check_ends(answer.prior.probability, model, lambda p: with_prior(model, p))
    check_ends(answer.entries["A0"]["yes"]["a"], model, lambda q: with_entry(model, "A0", "yes", 0, q))
    assert answer.entries["A0"]["yes"]["a"].now == 0.7500001


def test_without_attributes_the_prior_is_alone():
    answer = allowed(oddly.NaiveBayes("C", ["yes", "no"], ["0.7", "0.3"], [], threshold="0.6"))
    assert answer.prior.probability.exact == (Fraction(3, 5), 1)
    assert answer.prior.below.instance == {}
    assert "every case becomes no" in repr(answer.prior)


def test_the_positive_value_may_be_listed_second():
    turned = FIGURE_1.replace(class_values=["no", "yes"], prior=FIGURE_1.prior[::-1], positive="yes")
    ours, theirs = allowed(turned), allowed(FIGURE_1)
    assert ours.prior.probability.exact == theirs.prior.probability.exact
    assert ours.entries["U"]["no"]["+ve"].exact == theirs.entries["U"]["no"]["+ve"].exact


def test_a_restricted_diagram_is_asked_about_what_remains():
    odd = oddly.compile(FIGURE_1).restrict(S="-ve")
    assert allowed(odd).weights.keys() == {"U", "B"}
    remaining = allowed(FIGURE_1.observe({"S": "-ve"}))
    assert allowed(odd).prior.exact == pytest.approx(remaining.prior.exact)


def test_a_saved_diagram_still_knows(tmp_path):
    oddly.compile(FIGURE_1).save(tmp_path / "x.odd")
    ours = allowed(FIGURE_1).to_json()
    assert allowed(oddly.load(tmp_path / "x.odd")).to_json() == allowed(tmp_path / "x.odd").to_json() == ours


def test_a_diagram_without_numbers_says_why_it_cannot_answer():
    odd = oddly.compile(FIGURE_1)
    with pytest.raises(oddly.Unsupported, match="no numbers behind it"):
        allowed(oddly.ODD(odd.variables, odd.labels, odd.levels, odd.root, odd.places))


@given(model=classifiers(), seed=st.integers(0, 3))
@settings(max_examples=100, deadline=None)
def test_renumbering_the_nodes_changes_nothing(model, seed):
    """A diagram's nodes may stand in any order within a level, as they do after operations."""
    odd = oddly.compile(model)
    random = np.random.default_rng(seed)
    places = [random.permutation(w) for w in odd.widths[1:-1]] + [np.arange(2)]
    levels = [p[level].astype(np.uint32) for p, level in zip(places, odd.levels, strict=False)]
    for k, p in enumerate(places[: len(levels) - 1]):
        levels[k + 1] = levels[k + 1][np.argsort(p)]
    shuffled = oddly.ODD(odd.variables, odd.labels, tuple(levels), odd.root, odd.places, odd.source)
    ours, theirs = allowed(odd), allowed(shuffled)
    for name, values in ours.weights.items():
        for value, number in values.items():
            other = theirs.weights[name][value]
            assert number is other is None or number.exact == other.exact


def test_numbers_wider_than_64_bits_are_as_exact():
    huge = 10**45
    model = oddly.Scorecard(
        [oddly.Points("p", ["on", "off"], [huge, 0]), oddly.Points("m", ["on", "off"], [-huge, 1])], cutoff=1
    )
    assert allowed(model).prior.exact == (0, 1)


def test_points_beyond_what_floats_hold_are_still_exact():
    model = oddly.Scorecard([oddly.Points("p", ["on", "off"], ["1e400", "-1"])])
    answer = allowed(model)
    assert answer.prior.exact == (-(10**400), 1)
    assert answer.alpha == math.inf  # as a float


# ---- the command ----


def test_the_command_lists_every_number_and_what_blocks_it(capsys, monkeypatch):
    assert main(["allow", "example:pregnancy"]) == 0
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert any(line.split() == ["Pr(P=yes)", "0.87", "[0.684,", "0.970)", "case", "1", "case", "2"] for line in lines)
    assert any(line.startswith("weight of U=+ve") and "[0.791, 3.498)" in line for line in lines)
    assert "1  U=+ve, B=+ve, S=-ve becomes no" in lines


def test_the_command_s_json_has_the_paper_s_digits(capsys, monkeypatch):
    assert main(["allow", "example:pregnancy", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert round(found["prior"]["probability"]["low"], 6) == 0.683848
    assert round(found["weights"]["U"]["-ve"]["low"], 6) == -3.293942
    assert found["prior"]["below"] == {"instance": {"U": "+ve", "B": "+ve", "S": "-ve"}, "becomes": "no"}
    assert found["weights"]["S"]["+ve"]["high"] is None
    assert found["instances"] == "8"


@given(model=classifiers())
@settings(max_examples=50, deadline=None)
def test_any_answer_speaks_and_turns_into_json(model):
    answer = allowed(model)
    assert ("stays as decided" if answer.instances == 1 else "stay as decided") in repr(answer)
    json.dumps(answer.to_json(), allow_nan=False)
    assert answer
