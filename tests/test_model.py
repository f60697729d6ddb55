# SPDX-License-Identifier: Apache-2.0
"""Models are what was written, number for number, or an error that names the place."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import oddly
from oddly import CPT, ModelError, NaiveBayes, Points, Scorecard
from oddly.model import Bins
from oddly.model.numbers import exact, written

YES_NO = {"yes": ["0.5", "0.5"], "no": ["0.25", "0.75"]}


def model(**changes):
    fields = {
        "class_name": "C",
        "class_values": ["yes", "no"],
        "prior": ["0.5", "0.5"],
        "attributes": [CPT("A", ["x", "y"], YES_NO)],
    }
    return NaiveBayes(**{**fields, **changes})


@pytest.mark.parametrize(
    ("number", "value"),
    [
        ("0.87", Fraction(87, 100)),
        (" 1e-3 ", Fraction(1, 1000)),
        ("87/101", Fraction(87, 101)),
        (3, Fraction(3)),
        (0.1, Fraction(0.1)),
        (np.float64(0.1), Fraction(0.1)),
        (np.float32(0.1), Fraction(float(np.float32(0.1)))),
        (np.int64(7), Fraction(7)),
        (Decimal("0.10"), Fraction(1, 10)),
        (Fraction(1, 3), Fraction(1, 3)),
    ],
)
def test_numbers_are_taken_exactly(number, value):
    assert exact(number, "here") == value
    assert exact(written(value), "here") == value


@pytest.mark.parametrize(
    "number",
    [
        "",
        "a",
        "1/0",
        "1e99999999",
        "9" * 9000,
        "nan",
        "inf",
        float("nan"),
        float("inf"),
        True,
        None,
        [1],
        "1 2",
        "٣",
    ],
)
def test_what_is_not_a_finite_number_is_refused_at_once(number):
    with pytest.raises(ModelError, match=r"^prior of yes: "):
        exact(number, "prior of yes")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"prior": ["0.5", "0.4"]}, "prior of C: the probabilities sum to 0.9, not to 1"),
        ({"prior": ["1.5", "-0.5"]}, "prior of C, no: a probability is not negative, found -0.5"),
        ({"prior": ["1"]}, "prior of C: 2 values need 2 probabilities, found 1"),
        ({"threshold": "1.5"}, "threshold: expected a probability, found 1.5"),
        ({"threshold": -0.1}, "threshold: expected a probability, found -0.1"),
        ({"positive": "maybe"}, "positive: C=maybe.  C is one of yes, no."),
        ({"ties": "up"}, "ties: expected 'positive' or 'negative', found 'up'"),
        ({"class_values": ["yes"], "prior": [1]}, "class C: a classifier needs two class values, found 1"),
        ({"class_values": ["yes", "yes"]}, "class C: the value 'yes' stands twice"),
        ({"class_name": "A"}, "attributes and class: the name 'A' stands twice"),
        ({"class_name": ""}, "class: expected a name, found ''"),
        ({"attributes": [CPT("A", ["x"], {"yes": [1]})]}, "attribute A: no row for C=no"),
        (
            {"attributes": [CPT("A", ["x"], {"yes": [1], "no": [1], "oh": [1]})]},
            "attribute A: a row for 'oh'",
        ),
        ({"attributes": [CPT("A", ["x"], {"yes": [1], "no": [1]})] * 2}, "the name 'A' stands twice"),
    ],
)
def test_a_model_that_makes_no_sense_is_refused_with_the_place(changes, message):
    with pytest.raises((ModelError, oddly.UnknownValue)) as error:
        model(**changes)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: CPT("A", [], {}), "attribute A: it has no values"),
        (lambda: CPT("A", "xy", {}), "attribute A: expected a list of values, found 'xy'"),
        (lambda: CPT("A", [1], {}), "attribute A: values are texts, found 1"),
        (lambda: CPT("A", ["x"], {"yes": ["0.9"]}), "A given yes: the probabilities sum to 0.9, not to 1"),
        (lambda: CPT("A", ["x", "y"], {"yes": "12"}), "A given yes: "),
        (lambda: Points("A", ["x", "y"], [1]), "attribute A: 2 values need 2 points, found 1"),
        (lambda: Points("A", ["x"], ["one"]), "points of A=x: expected a number, found 'one'"),
        (
            lambda: Scorecard([], class_values=["a", "b", "c"]),
            "a scorecard decides between 2 values, found 3",
        ),
        (lambda: Scorecard([1]), "expected Points per attribute, found 1"),
    ],
)
def test_an_attribute_that_makes_no_sense_is_refused_with_the_place(make, message):
    with pytest.raises(ModelError) as error:
        make()
    assert message in str(error.value)


def test_a_row_may_miss_one_by_a_millionth_and_is_used_as_given():
    found = model(prior=["0.333333", "0.666666"])
    assert found.prior == (Fraction(333333, 10**6), Fraction(666666, 10**6))


def test_models_are_values():
    assert model() == model()
    assert hash(model()) == hash(model())
    assert model() != model(threshold="0.6")
    assert model().replace(threshold="0.6") == model(threshold="0.6")
    with pytest.raises(ModelError):
        model().replace(threshold=2)


def test_labels_name_the_other_value_where_there_is_one():
    assert model(positive="no").labels == ("yes", "no")
    three = {"class_values": ["a", "b", "c"], "prior": ["0.2", "0.3", "0.5"], "attributes": []}
    assert model(**three, positive="b").labels == ("not b", "b")
    assert model(**three).labels == ("a", "b", "c")


def test_of_more_than_two_classes_the_most_probable_is_taken():
    three = model(class_values=["a", "b", "c"], prior=["0.2", "0.3", "0.5"], attributes=[])
    assert oddly.compile(three).count("c") == 1


def test_posterior_is_bayes_rule_in_fractions():
    assert model().posterior({"A": "x"}) == (Fraction(2, 3), Fraction(1, 3))


def test_observing_gives_the_paper_s_network_of_what_remains():
    figure = oddly.examples.pregnancy()
    rest = figure.observe({"S": "+ve"})
    assert [a.name for a in rest.attributes] == ["U", "B"]
    case = {"U": "-ve", "B": "-ve"}
    assert rest.posterior(case) == figure.posterior({**case, "S": "+ve"})


def test_errors_are_also_the_built_in_one_would_expect():
    assert issubclass(ModelError, ValueError)
    assert issubclass(oddly.UnknownName, KeyError)
    assert issubclass(oddly.TooLarge, MemoryError)
    assert str(oddly.UnknownName("no such thing")) == "no such thing"


class TestNumbersAsLabels:
    def test_a_label_that_is_a_number_of_another_interval_is_refused(self):
        with pytest.raises(
            oddly.ModelError, match="attribute age: the value '1' is a number too, and one that lies in"
        ):
            Points("age", ["0", "1", "2"], [0, 1, 2], Bins([30, 40]))
        with pytest.raises(oddly.ModelError, match="the value '-1' is a number too"):
            Points("age", ["young", "old", "-1"], [0, 1, 2], Bins([30]))

    def test_one_of_its_own_interval_can_only_be_meant_one_way(self):
        card = Scorecard([Points("age", ["20", "35", "50"], [0, 1, 2], Bins([30, 40]))], cutoff=2)
        cells = [20, 35, 50, 1, "50", "35.0"]
        for column in (cells, [str(cell) for cell in cells]):
            assert oddly.compile(card).classify({"age": column}).tolist() == ["no", "no", "yes", "no", "yes", "no"]


@pytest.mark.parametrize(
    "number",
    [
        Fraction(3**8000, 5**5700),
        Fraction(10**3999 + 7, 2**4000),
        Fraction(10**4000 - 1, 10**4000 - 3),
        Fraction(1, 10**3999),
        Fraction(-7, 10**12),
    ],
)
def test_a_number_of_any_length_that_is_allowed_reads_back(number):
    assert exact(written(number), "number") == number


def test_spaces_around_the_stroke_of_a_fraction_do_not_count():
    assert exact(" 1\t/ 3\n", "number") == Fraction(1, 3)
