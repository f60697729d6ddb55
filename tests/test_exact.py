# SPDX-License-Identifier: Apache-2.0
"""Logarithms over a coprime base: errors within their bounds, true ties always ties."""

import math
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oddly
from oddly.lowering import exact
from oddly.lowering.exact import GUARD, coprime_base, fixed_logs, plain_logs
from oddly.lowering.score import FINITE, lower
from strategies import naive_bayes

fractions = st.fractions(min_value=Fraction(1, 10**9), max_value=10**9, max_denominator=10**12).filter(bool)


@given(st.lists(st.integers(1, 10**18), max_size=20))
def test_a_coprime_base_is_coprime_and_enough(numbers):
    base = coprime_base(numbers)
    assert all(math.gcd(a, b) == 1 for i, a in enumerate(base) for b in base[:i])
    for number in numbers:
        for g in base:
            while number % g == 0:
                number //= g
        assert number == 1


@given(st.lists(st.lists(fractions, min_size=1, max_size=3), min_size=1, max_size=5), st.sampled_from([60, 124]))
@settings(deadline=None)
def test_a_fixed_log_is_within_its_own_error_of_a_finer_one(groups, room):
    coarse, bits = fixed_logs(groups, room)
    fine, more = fixed_logs(groups, room + 100)
    for group, finer in zip(coarse, fine, strict=True):
        for log, true in zip(group, finer, strict=True):
            error = log.value - Fraction(true.value, 1 << (more - bits))
            assert Fraction(log.low - 1, 1 << GUARD) <= error <= Fraction(log.high + 1, 1 << GUARD)
            assert abs(log.high - log.low) < 1 << (GUARD - 8)
    assert sum(max(abs(log.value) for log in group) for group in coarse) < 2 << room


@given(st.lists(st.lists(fractions, min_size=1, max_size=3), min_size=1, max_size=5), st.sampled_from([60, 124]))
@settings(deadline=None)
def test_a_plain_log_is_within_its_own_error_of_a_finer_one(groups, room):
    coarse, bits = plain_logs(groups, room)
    fine, more = fixed_logs(groups, room + 100)
    for group, finer in zip(coarse, fine, strict=True):
        for log, true in zip(group, finer, strict=True):
            error = log.value - Fraction(true.value, 1 << (more - bits))
            assert Fraction(log.low - 1, 1 << GUARD) <= error <= Fraction(log.high + 1, 1 << GUARD)


@given(st.lists(st.tuples(fractions, fractions), min_size=1, max_size=6), st.randoms())
@settings(deadline=None)
def test_products_that_are_equal_have_equal_logs(pairs, random):
    """Each a/b times all b over all a is one, in any order: the integers must cancel, not nearly cancel."""
    ratios = [a / b for a, b in pairs]
    inverse = Fraction(1)
    for r in ratios:
        inverse /= r
    groups = [[r] for r in ratios] + [[inverse]]
    random.shuffle(groups)
    logs, _ = fixed_logs(groups, 60)
    assert sum(group[0].value for group in logs) == 0
    assert sum(group[0].exponents for group in logs) == 0


@given(naive_bayes())
@settings(deadline=None)
def test_lowered_weights_are_log_ratios_and_states_are_zeros(model):
    if model.threshold in (0, 1):
        return
    score = lower(model)
    for a, terms in zip(model.attributes, score.terms, strict=True):
        for p, q, term in zip(a.given["yes"], a.given["no"], terms, strict=True):
            assert term.state == (p == 0) + 2 * (q == 0)
            if term.state == FINITE:
                assert math.isclose(term.weight * score.unit, math.log(p / q), abs_tol=1e-12)


@given(st.lists(st.integers(1, 10**30), max_size=20), st.integers(1, 4))
def test_a_coprime_base_of_many_numbers_is_coprime_and_enough(numbers, bucket):
    """With the larger primes that many numbers are divided by, and with numbers spread over small buckets."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exact, "MANY", 0)
        patch.setattr(exact, "BUCKET", bucket)
        base = coprime_base([a * b for a, b in pairwise([*numbers, 1])])
    assert all(math.gcd(a, b) == 1 for i, a in enumerate(base) for b in base[:i])
    for a, b in pairwise([*numbers, 1]):
        rest = a * b
        for g in base:
            while rest % g == 0:
                rest //= g
        assert rest == 1


@given(st.lists(st.integers(1, 60), min_size=2, max_size=5), st.data())
def test_exponents_add_up_to_zero_only_where_the_product_is_one(numbers, data):
    fractions = [Fraction(a, b) for a in numbers for b in numbers]
    groups = [fractions] * 4
    logs, _ = fixed_logs(groups, 60)
    for _ in range(20):
        taken = [data.draw(st.integers(0, len(fractions) - 1)) for _ in groups]
        product = math.prod((fractions[i] for i in taken), start=Fraction(1))
        assert (sum(group[i].exponents for group, i in zip(logs, taken, strict=True)) == 0) == (product == 1)


def test_a_prior_that_is_nearly_a_tie_is_not_taken_for_one():
    """Without any attribute as well: 64 bits round its log-odds to nothing."""
    nearly = Fraction(1, 2**71)
    for ties in ("positive", "negative"):
        for more in (nearly, -nearly):
            prior = [Fraction(1, 2) + more, Fraction(1, 2) - more]
            odd = oddly.compile(oddly.NaiveBayes("C", ["yes", "no"], prior, [], ties=ties))
            assert odd.labels[odd.root] == ("yes" if more > 0 else "no")
            assert odd.certificate.proven
            assert odd.certificate.ties == 0
