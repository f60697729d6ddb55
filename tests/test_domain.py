# SPDX-License-Identifier: Apache-2.0
"""Which inputs exist: what is possible under a model, and domains as a caller names them, against enumeration."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oddly
import oracle
from networks import every, joint, network_classifiers, published
from oddly import FormatError, ModelError, TooLarge, UnknownName, Unsupported
from oddly.algebra.domain import domain_of, reordered
from oddly.answers import Scope
from oddly.model import elimination
from strategies import domains, small_classifiers

FIGURE_1 = oddly.examples.pregnancy()
ODD_1 = oddly.compile(FIGURE_1)


# ---- possible ----


@settings(deadline=None)
@given(st.data())
def test_possible_is_what_some_class_makes_possible(data):
    model = data.draw(small_classifiers())
    odd = oddly.compile(model, data.draw(st.permutations([v.name for v in model.variables])))
    if model.probabilistic is None:
        assert odd.impossible == 0
        with pytest.raises(Unsupported, match="a model with probabilities"):
            _ = odd.possible
        return
    can = [model.posterior(instance) is not None for instance in oracle.instances(model)]
    assert odd.impossible == can.count(False)
    assert odd.possible.order == odd.order
    assert (odd.possible.decide(oracle.codes(model)) == can).all()


@settings(deadline=None, max_examples=200)
@given(network_classifiers(), st.booleans())
def test_possible_under_a_network_is_the_support_of_its_attributes(classifier, carry):
    """Whether hidden variables are summed out at once or carried along with the class."""
    full = joint(classifier)
    can = np.array([any(full[tuple(c)]) for c in every(full.shape[:-1])], bool)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(elimination, "COMFORTABLE", 1 if carry else 1 << 18)
        odd = oddly.compile(classifier)
        assert (odd.possible.decide(every(full.shape[:-1])) == can).all()
        assert odd.impossible == int((~can).sum())


def test_a_published_network_knows_what_is_impossible():
    """Of some of the 27,648 inputs of water's leaves, against the exact probability of each."""
    odd = oddly.compile(published("water").classifier(class_="C_NI_12_00"))
    model = odd.source.model
    codes = np.random.default_rng(1).integers(0, [len(v.values) for v in model.variables], (40, len(model.variables)))
    can = [any(row) for row in model.masses(codes)]
    assert (odd.possible.decide(codes) == can).all()
    assert 0 < odd.impossible < odd.instances


def test_a_possible_diagram_stops_at_its_limit():
    model = oddly.NaiveBayes(
        "C",
        [f"c{i}" for i in range(12)],
        [oddly.model.numbers.Fraction(1, 12)] * 12,
        [
            oddly.CPT(f"A{i}", ["x", "y"], {f"c{j}": [1, 0] if i == j else ["1/2", "1/2"] for j in range(12)})
            for i in range(12)
        ],
    )
    odd = oddly.compile(model)
    assert odd.impossible == 1  # only where every class is ruled out by its own attribute
    again = oddly.compile(model)
    with pytest.raises(TooLarge, match="to see which inputs are possible"):
        oddly.count(again, within="possible", max_nodes=20)


# ---- domains as people name them ----


def members(odd, within):
    """The instances of a domain, as it says itself."""
    inside = domain_of(within, odd)
    product_ = inside.product
    return {tuple(i.items()) for i in oracle.instances(FIGURE_1) if str(product_.classify([i])[0]) != "outside"}


def satisfying(*conditions):
    return {tuple(i.items()) for i in oracle.instances(FIGURE_1) if all(c(i) for c in conditions)}


def test_a_domain_is_an_expression_a_file_a_diagram_or_several(tmp_path):
    no_s = satisfying(lambda i: i["S"] == "-ve")
    assert members(ODD_1, "S=-ve") == no_s
    assert members(ODD_1, oddly.expression_diagram("S=-ve", ODD_1)) == no_s
    assert members(ODD_1, [ODD_1, "S=-ve"]) == no_s & satisfying(lambda i: oracle.decides(FIGURE_1, i))
    rules = tmp_path / "inputs.txt"
    rules.write_text("# what cannot be\nS=-ve\n\nU=+ve -> B=-ve\n")
    some = no_s & satisfying(lambda i: i["U"] != "+ve" or i["B"] == "-ve")
    assert members(ODD_1, rules) == members(ODD_1, str(rules)) == some
    ODD_1.save(tmp_path / "yes.odd")
    assert members(ODD_1, str(tmp_path / "yes.odd")) == satisfying(lambda i: oracle.decides(FIGURE_1, i))
    assert members(ODD_1, "possible") == members(ODD_1, None) == members(ODD_1, []) == satisfying()


def test_a_domain_says_itself_in_the_callers_words(tmp_path):
    words = {
        "S=-ve": "S=-ve",
        ("possible", "S=-ve"): "possible and S=-ve",
        ("U=+ve  or B=+ve", "S=-ve"): "(U=+ve or B=+ve) and S=-ve",
        None: None,
    }
    for within, said in words.items():
        assert domain_of(within, ODD_1).scope.within == said
    assert domain_of(ODD_1, ODD_1).scope == Scope("the given diagram", 5, 8, 0)


@pytest.mark.parametrize(
    ("within", "kind", "words"),
    [
        ("nonsense", FormatError, "no file, no expression such as NAME=VALUE, and not 'possible'"),
        ("missing.odd", FormatError, "no such file"),
        ("T=-ve", UnknownName, "no attribute 'T'"),
        (7, ModelError, "expected an expression, a file, a diagram or 'possible', found 7"),
        (
            oddly.compile(oddly.Scoreboard([oddly.Tally("U", ["+ve"], [[0, 0, 1]])], ["a", "b", "c"])),
            Unsupported,
            "two labels",
        ),
        (oddly.compile(oddly.Scorecard([oddly.Points("T", ["a"], [1])], 0)), UnknownName, "no attribute 'T'"),
    ],
)
def test_what_is_no_domain_is_refused_with_the_reason(within, kind, words):
    with pytest.raises(kind, match=words):
        domain_of(within, ODD_1)


def test_a_line_that_is_no_condition_is_named(tmp_path):
    path = tmp_path / "inputs.txt"
    path.write_text("U=+ve\nU=maybe\n")
    with pytest.raises(oddly.UnknownValue, match=r"inputs.txt:2  U=maybe"):
        domain_of(path, ODD_1)
    path.write_text("# nothing\n")
    with pytest.raises(FormatError, match="no conditions"):
        domain_of(path, ODD_1)


def test_possible_needs_a_model_with_probabilities():
    card = oddly.compile(oddly.Scorecard([oddly.Points("A", ["x", "y"], [0, 1])], cutoff=1))
    with pytest.raises(Unsupported, match="points and no probabilities"):
        domain_of("possible", card)
    with pytest.raises(Unsupported, match="combined from others"):
        domain_of("possible", ~card)


# ---- the product, and orders ----


@settings(deadline=None)
@given(st.data())
def test_the_product_has_what_is_outside_as_a_label_of_its_own(data):
    model = data.draw(small_classifiers())
    odd = oddly.compile(model, data.draw(st.permutations([v.name for v in model.variables])))
    within, inside = data.draw(domains(model))
    domain = domain_of(within, odd)
    codes = oracle.codes(model)
    expected = [
        x if tuple(c) in inside else len(odd.labels) for c, x in zip(codes.tolist(), odd.decide(codes), strict=True)
    ]
    assert domain.product.decide(codes).tolist() == expected
    assert domain.scope.inputs == len(inside)
    can = model.probabilistic and odd.possible.decide(codes)
    lost = 0 if can is None else sum(tuple(c) in inside and not ok for c, ok in zip(codes.tolist(), can, strict=True))
    assert domain.scope.impossible == lost


@settings(deadline=None)
@given(st.data())
def test_a_diagram_reads_its_attributes_in_any_order(data):
    model = data.draw(small_classifiers())
    odd = oddly.compile(model)
    order = data.draw(st.permutations(odd.order))
    again = reordered(odd, order)
    assert list(again.order) == order
    assert again == oddly.compile(model, order)  # as small as if it were built so
    codes = oracle.codes(model)
    assert (again.decide(codes) == odd.decide(codes)).all()


def test_scopes_speak():
    assert Scope(None, 8, 8).said("Holds.") == "Holds."
    assert Scope("S=-ve", 1, 8).said("Holds.") == "Of the 1 input within S=-ve: Holds."
    assert Scope(None, 8, 8, None).said("Holds.") == "Holds."  # not counted
    assert Scope(None, 8, 8, 8).note() == "All 8 of these inputs are impossible under the model."
    assert Scope(None, 8, 8, 1).note() == (
        "1 of these 8 inputs (12.5%) is impossible under the model; 7 are within possible."
    )
    assert Scope("x", 3, 8, 2).said("A\nB").splitlines()[-1].startswith("2 of these 3 inputs")


# ---- a label of their own ----


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_impossible_inputs_have_a_label_of_their_own(data):
    model = data.draw(small_classifiers())
    order = data.draw(st.permutations([v.name for v in model.variables]))
    plain, apart = oddly.compile(model, order), oddly.compile(model, order, impossible="apart")
    if model.probabilistic is None:
        assert apart == plain
        return
    assert apart.labels == (*plain.labels, "impossible")
    codes = oracle.codes(model)
    can = [model.posterior(i) is not None for i in oracle.instances(model)]
    expected = [str(x) if ok else "impossible" for x, ok in zip(plain.classify(codes), can, strict=True)]
    assert apart.classify(codes).tolist() == expected
    assert apart.certificate.proven
    assert oddly.count(apart, within="possible").counts["impossible"] == 0


def test_a_diagram_with_that_label_is_kept_and_proven_again(tmp_path):
    model = oddly.learn({"a": list("xxyy"), "b": list("xxyz"), "class": list("ppnn")}, target="class", positive="p")
    apart = oddly.compile(model, impossible="apart")
    apart.save(tmp_path / "x.odd")
    again = oddly.load(tmp_path / "x.odd")
    assert again == apart
    assert again.unproven is None
    assert apart.restrict(a="x").count("impossible") == 2
    with pytest.raises(ModelError, match="'negative', 'positive' or 'apart'"):
        oddly.compile(model, impossible="aside")
