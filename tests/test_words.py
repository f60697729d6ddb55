# SPDX-License-Identifier: Apache-2.0
"""What a tired person reads: sentences about one, none and all, in models where that is all there is."""

import re
from contextlib import redirect_stderr, redirect_stdout
from fractions import Fraction
from io import StringIO
from math import prod
from random import Random

import pytest

import oddly
import oracle
from oddly import CPT, NaiveBayes, Points, Scorecard
from oddly.cli import main
from oddly.model import NetworkClassifier

FIGURE_1 = oddly.examples.pregnancy()
ONE = NaiveBayes("C", ["yes", "no"], ["0.6", "0.4"], [CPT("a", ["x"], {"yes": [1], "no": [1]})])
NONE = NaiveBayes("C", ["yes", "no"], ["0.6", "0.4"], [])
TIED = Scorecard([Points("a", ["x"], [1])], cutoff=1)
ALIKE = NaiveBayes(
    "C", ["yes", "no"], ["0.9", "0.1"], [CPT("a", ["x", "y"], {"yes": ["0.6", "0.4"], "no": ["0.4", "0.6"]})]
)
THREE = NaiveBayes(
    "C",
    ["r", "g", "b"],
    ["0.5", "0.3", "0.2"],
    [
        CPT("a", ["x", "y"], {"r": ["0.6", "0.4"], "g": ["0.3", "0.7"], "b": ["0.1", "0.9"]}),
        CPT("z", ["x", "y", "w"], {"r": ["0.6", "0.2", "0.2"], "g": ["0.3", "0.3", "0.4"], "b": ["0.1", "0.8", "0.1"]}),
    ],
)
SLIPS = re.compile(
    r"\ball [01]\b|\bof 1 \w+s\b(?<!classes)|(?<![\d.,])1 (?:instances|attributes|rules|nodes|orders|changes|digits|steps|points)\b"
    r"|only instance (?:stay|are|satisfy)\b|1 - \d|--order ''|0 reasons: none| ,|For example \\."
)
QUESTIONS = [
    ["info"],
    ["compile"],
    ["count"],
    ["explain"],
    ["allow"],
    ["regimes"],
    ["round"],
    ["robust"],
    ["ask"],
    ["ask", "--subset", "0.9"],
    ["ask", "--subset", "1"],
    ["importance"],
    ["scorecard", "--curve", "2"],
    ["order", "--tries", "1", "--jobs", "1"],
    ["combine", "not"],
    ["check", "--rule", "always yes"],
    ["check", "--rule", "never yes"],
    ["check", "--rule", "always yes", "--rule", "never yes"],
]


def said(*words):
    """What a command prints, and its errors."""
    out = StringIO()
    with redirect_stdout(out), redirect_stderr(out):
        main(list(words))
    return out.getvalue()


@pytest.mark.parametrize(
    "model", [FIGURE_1, ONE, NONE, TIED, ALIKE, THREE], ids=["paper", "one", "none", "tied", "alike", "three"]
)
def test_no_command_says_all_1_or_1_instances(model, tmp_path):
    path = tmp_path / "model.json"
    oddly.write(model, path)
    for command, *rest in QUESTIONS:
        text = said(command, str(path), *rest)
        assert not SLIPS.search(text), f"{command} {rest}: {text}"


def test_the_only_instance_stays_and_satisfies():
    assert repr(oddly.allowed(ONE)).startswith("The only instance stays as decided while")
    assert repr(oddly.allowed(ALIKE)).startswith("All 2 instances stay as decided while")
    assert repr(oddly.must_hold(ONE, "yes", "a=x")) == "Holds: the only instance decided yes satisfies a=x."
    assert "the only instance decided g does not satisfy a=x" in repr(oddly.must_hold(THREE, "g", "a=x"))
    assert repr(oddly.robustness(ONE)) == "Nothing changes a decision: there is only one instance."
    assert repr(oddly.importance(ONE)) == "No attribute matters: there is only one instance."


def test_rules_over_one_instance_or_broken_by_all():
    found = oddly.check(ONE, ["always yes", "never yes", "ignores a"])
    assert [v.summary().split(". For")[0].rstrip(".") for v in found.verdicts] == [
        "Over the only instance",
        "The only instance",
        "There is only one instance",
    ]
    assert "all 2 instances. For example" in repr(oddly.check(ALIKE, ["never yes"])[0])


def test_the_order_that_is_told_can_be_used_again_without_attributes(tmp_path):
    path = tmp_path / "model.json"
    oddly.write(NONE, path)
    again = re.search(r"again +oddly (.*)", said("order", str(path), "--tries", "1", "--jobs", "1"))
    assert main(again[1].split()) == 0


def thirds(attributes):
    """A naive Bayes of many odd fractions that calls everything positive."""
    random = Random(3)

    def row():
        first = Fraction(random.randint(1, 96), 97)
        second = (1 - first) * Fraction(random.randint(1, 88), 89)
        return [first, second, 1 - first - second]

    cpts = [CPT(f"a{i}", ["x", "y", "z"], {"yes": row(), "no": row()}) for i in range(attributes)]
    return NaiveBayes("C", ["yes", "no"], ["0.6", "0.4"], cpts, threshold="1e-90")


def test_what_all_instances_have_has_probability_1_and_not_a_rounding_less():
    for attributes in range(10, 28):
        model = thirds(attributes)
        assert oddly.count(model).counts == {"no": 0, "yes": 3**attributes}
        assert oddly.count(model).probability == {"no": 0, "yes": 1}
        assert [step.probability for step in oddly.robustness(model).histogram] == [1]


def test_a_curve_for_a_label_is_drawn_under_the_model_as_for_the_other():
    """With points up to 1 some card must change something: how probable that is, by a sum over all instances."""
    for label in ("yes", "no"):
        curve = oddly.scorecard(FIGURE_1, label=label).curve(under="model")
        assert curve[0].under == "the model"
        assert repr(curve) == repr(oddly.scorecard(FIGURE_1, label=label).curve())
        assert float(changed(curve[0].card, label)) == pytest.approx(curve[0].probability)
    assert repr(oddly.scorecard(THREE, label="r").curve()).startswith("The best cards, under the model")


def changed(card, label):
    """How probable an instance is that a card for a label decides otherwise than the model."""
    odd, found = oddly.compile(card), Fraction(0)
    for instance in oracle.instances(FIGURE_1):
        own = "yes" if oracle.decides(FIGURE_1, instance) else "no"
        if (odd.classify(instance) == odd.labels[1]) != (own == label):
            found += sum(
                p * prod(a.given[c][a.values.index(instance[a.name])] for a in FIGURE_1.attributes)
                for c, p in zip(FIGURE_1.class_values, FIGURE_1.prior, strict=True)
            )
    return found


@pytest.mark.parametrize("suffix", ["json", "bif", "net"])
def test_a_network_that_is_a_naive_bayes_reads_back_as_that_naive_bayes(suffix, tmp_path):
    path = tmp_path / f"model.{suffix}"
    oddly.write(NetworkClassifier.of(FIGURE_1), path)
    choice = {} if suffix == "json" else {"class_": "P", "positive": "yes", "threshold": "0.9"}
    assert oddly.read(path, **choice) == FIGURE_1
