# SPDX-License-Identifier: Apache-2.0
"""How many classifiers are there?  Counted by trying a prior in every regime."""

import json
import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import oddly
import oracle
from oddly.cli import main
from oddly.lowering.score import lower
from oddly.questions.allowed.question import allowed
from oddly.questions.regimes import regimes
from oddly.questions.sums import distinct_sums
from strategies import naive_bayes, scorecards

FIGURE_1 = oddly.examples.pregnancy()


class TestFigure1:
    def test_nine_classifiers_by_the_prior(self):
        answer = regimes(FIGURE_1)
        assert (answer.count, answer.exact, answer.bound) == (9, True, 9)
        assert repr(answer).startswith("9 classifiers by changing Pr(P=yes)")

    def test_at_most_17_by_u(self):
        assert regimes(FIGURE_1).bound_by_attribute == {"U": 17, "B": 17, "S": 17}

    def test_the_model_s_own_regime_is_the_allowed_prior(self):
        own = next(r for r in regimes(FIGURE_1) if r.now)
        prior = allowed(FIGURE_1).prior.probability
        assert (own.low, own.high) == pytest.approx((prior.low, prior.high))
        assert (own.includes_low, own.includes_high) == (True, False)
        assert own.positives == 5

    def test_the_threshold_s_own_step_is_the_allowed_threshold(self):
        sweep = regimes(FIGURE_1).by_threshold
        after = int(np.searchsorted(sweep.edges, 0.9))
        threshold = allowed(FIGURE_1).threshold.probability
        assert tuple(sweep.edges[after - 1 : after + 1]) == pytest.approx((threshold.low, threshold.high))
        assert sweep.positives[after] == 5


@pytest.mark.parametrize("n", range(2, 12))
def test_theorem_2_4_for_binary_attributes_is_as_printed(n):
    attributes = [oddly.CPT(f"A{i}", ["a", "b"], {"yes": ["0.5", "0.5"], "no": ["0.5", "0.5"]}) for i in range(n)]
    answer = regimes(oddly.NaiveBayes("C", ["yes", "no"], ["0.5", "0.5"], attributes))
    assert answer.bound == 2**n + 1
    assert set(answer.bound_by_attribute.values()) == {2 ** (2 * n - 3) + 2**n + 1}
    assert answer.count == 2  # all sums are zero


@pytest.mark.parametrize(("k", "b"), [(1, 2), (2, 2), (3, 2), (4, 2), (2, 3), (3, 3), (5, 3)])
def test_theorem_2_4_counts_what_its_proof_counts(k, b):
    """Tuples over 0..k of which some are at least a and some at most a, at the worst a."""
    tuples = np.stack(np.meshgrid(*[np.arange(k + 1)] * b)).reshape(b, -1)
    most = max(int(((tuples >= a).any(axis=0) & (tuples <= a).any(axis=0)).sum()) for a in range(k + 1))
    card = [["0.5"] * 2, [str(Fraction(1, k))] * k, [str(Fraction(1, b))] * b]
    attributes = [
        oddly.CPT(f"A{i}", [f"v{j}" for j in range(len(row))], {"yes": row, "no": row})
        for i, row in enumerate(card[1:])
    ]
    answer = regimes(oddly.NaiveBayes("C", ["yes", "no"], ["0.5", "0.5"], attributes))
    assert answer.bound_by_attribute["A1"] == most


def priors_of_all_regimes(model):
    """The distinct priors (odds) at which a finite instance lies on the threshold, and one between any two."""
    p = model.threshold
    at = set()
    for instance in oracle.instances(model):
        ratio = Fraction(1)
        for a in model.attributes:
            place = a.values.index(instance[a.name])
            yes, no = a.given["yes"][place], a.given["no"][place]
            ratio = ratio * yes / no if ratio and yes and no else None
        if ratio:
            at.add(p / (1 - p) / ratio)
    edges = sorted(at)
    if not edges:
        return edges, [Fraction(1)]
    return edges, [edges[0] / 2, *((a + b) / 2 for a, b in pairwise(edges)), edges[-1] * 2]


def at_odds(model, odds):
    return model.replace(prior=[odds / (1 + odds), 1 / (1 + odds)])


@given(model=naive_bayes(), impossible=st.sampled_from(["negative", "positive"]))
@settings(max_examples=200, deadline=None)
def test_every_regime_is_there_with_its_size(model, impossible):
    assume(model.threshold not in (0, 1) and len(oracle.instances(model)) <= 60)
    edges, between = priors_of_all_regimes(model)
    answer = regimes(oddly.compile(model, impossible=impossible))
    found = [oracle.decisions(at_odds(model, odds), impossible) for odds in between]
    assert answer.exact
    assert answer.count == len({d.tobytes() for d in found}) == len(edges) + 1
    assert answer.by_prior.positives.tolist() == [int(d.sum()) for d in found]
    assert answer.by_prior.edges == pytest.approx([float(odds / (1 + odds)) for odds in edges], abs=1e-12)
    assert answer.count <= answer.bound
    if 0 in model.prior:
        assert answer.now is None
    else:
        own = [regime for regime in answer if regime.now]
        assert [regime.positives for regime in own] == [int(oracle.decisions(model, impossible).sum())]


@given(model=naive_bayes(), p=st.fractions("1/100", "99/100"))
@settings(max_examples=200, deadline=None)
def test_the_sweep_over_thresholds_counts_what_enumeration_counts(model, p):
    assume(len(oracle.instances(model)) <= 100)
    sweep = regimes(model).by_threshold
    assume(not any(math.isclose(edge, p) for edge in sweep.edges))
    expected = int(oracle.decisions(model.replace(threshold=p)).sum())
    assert sweep.positives[np.searchsorted(sweep.edges, float(p))] == expected


@given(model=naive_bayes(), p=st.fractions("1/100", "99/100"))
@settings(max_examples=100, deadline=None)
def test_at_a_threshold_of_0_or_1_no_prior_changes_anything(model, p):
    assume(len(oracle.instances(model)) <= 100)
    for threshold in (0, 1):
        certain = model.replace(threshold=threshold)
        answer = regimes(certain)
        assert (answer.count, answer.exact) == (1, True)
        moved = certain.replace(prior=[p, 1 - p])
        assert answer.by_prior.positives.tolist() == [int(oracle.decisions(moved).sum())]


@given(model=scorecards())
@settings(max_examples=100, deadline=None)
def test_intercepts_are_counted_exactly_however_wide_the_points(model):
    assume(len(oracle.instances(model)) <= 300)
    answer = regimes(model)
    margins = [oracle.margin(model, i) for i in oracle.instances(model)]
    assert answer.count == len(set(margins)) + 1
    own = next(regime for regime in answer if regime.now)
    assert own.positives == sum(oracle.decides(model, i) for i in oracle.instances(model))
    for a in model.attributes:
        k, b = len(margins) // len(a.values), len(a.values)
        assert answer.bound_by_attribute[a.name] == (k + 1) ** b


def test_beyond_the_limit_it_gives_the_bound_and_says_so():
    answer = regimes(FIGURE_1, max_regimes=8)
    assert (answer.count, answer.exact, answer.by_prior, answer.by_threshold) == (9, False, None, None)
    assert repr(answer).startswith("At most 9 classifiers (Theorem 2.2)")
    with pytest.raises(oddly.Unsupported, match="max_regimes"):
        list(answer)
    assert regimes(FIGURE_1, max_regimes=9).exact


def test_sums_that_differ_by_less_than_the_rounding_are_told_apart():
    """(1 + 10^-30) and 1 + 10^-31 as ratios: one in 64 bits, and two in truth."""
    tiny = [Fraction(1, 2) + Fraction(1, 10**30), Fraction(1, 2) + Fraction(1, 10**31)]
    attributes = [oddly.CPT(f"A{i}", ["a", "b"], {"yes": [t, 1 - t], "no": ["1/2", "1/2"]}) for i, t in enumerate(tiny)]
    model = oddly.NaiveBayes("C", ["yes", "no"], ["0.9", "0.1"], attributes)
    answer = regimes(model)
    edges, _ = priors_of_all_regimes(model)
    assert answer.count == len(edges) + 1 == 5
    assert lower(model).bits == 64 < distinct_sums(lower(model), 100).score.bits


def test_a_diagram_without_a_prior_says_why_it_cannot_answer():
    odd = oddly.compile(FIGURE_1)
    with pytest.raises(oddly.Unsupported, match="no prior behind it"):
        regimes(oddly.ODD(odd.variables, odd.labels, odd.levels, odd.root, odd.places))


def test_counts_beyond_64_bits_are_exact():
    attributes = [oddly.Points(f"A{i}", ["a", "b"], [0, 1]) for i in range(100)]
    answer = regimes(oddly.Scorecard(attributes, cutoff=50))
    assert answer.count == 102
    assert [r.positives for r in answer] == [sum(math.comb(100, j) for j in range(k)) for k in range(102)]


def test_the_command_lists_the_regimes_and_marks_the_model_s_own(capsys, monkeypatch):
    assert main(["regimes", "example:pregnancy"]) == 0
    out = capsys.readouterr().out
    assert "exactly 9 by changing Pr(P=yes)" in out
    assert "at most 17" in out
    assert "[0.6838484, 0.9700885)  " in out.split("the model")[0].splitlines()[-1]
    assert main(["regimes", "example:tic-tac-toe"]) == 0
    out = capsys.readouterr().out
    assert "and 651 more; --json has all of them" in out
    assert sum(line.startswith(("  [", "  (")) for line in out.splitlines()) == 25


def test_the_command_s_json_has_counts_as_text_and_the_sweeps(capsys, monkeypatch):
    assert main(["regimes", "example:pregnancy", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["count"], found["exact"], found["bound_by_attribute"]["U"]) == ("9", True, "17")
    assert found["by_prior"]["positives"] == [str(n) for n in range(9)]
    assert found["by_threshold"]["positives"] == [str(n) for n in reversed(range(9))]
    assert len(found["by_prior"]["edges"]) == 8
    assert main(["regimes", "example:pregnancy", "--json", "--max-regimes", "8"]) == 0
    assert json.loads(capsys.readouterr().out)["exact"] is False
    assert main(["regimes", "example:pregnancy", "--max-regimes", "0"]) == 2


def test_a_bound_beyond_all_counting_is_said_to_say_little():
    wide = [oddly.Points(f"a{i}", ["x", "y"], [0, 3**i]) for i in range(30)]
    found = oddly.regimes(oddly.Scorecard(wide, cutoff=5), 10)
    assert min(found.bound_by_attribute.values()) == (2**29 + 1) ** 2
    assert "the bound is more than 10^12 for each, and says little." in repr(found)
    assert "e+" not in repr(found.blocks())
    mixed = oddly.Scorecard([*wide[:15], oddly.Points("b", list("uvwxyz"), range(6))], cutoff=5)
    assert "a0 " in repr(oddly.regimes(mixed, 10))  # (3 · 2^15 + 1)^2 for two values, (2^15 + 1)^6 for six
    assert "…, more than 10^12 for others." in repr(oddly.regimes(mixed, 10))
