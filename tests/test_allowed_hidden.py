# SPDX-License-Identifier: Apache-2.0
"""How far numbers may move behind hidden variables and in tables: every end is tried, and just past it something changes."""

from dataclasses import replace
from fractions import Fraction
from math import inf, isinf

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import oddly
from networks import decision, decisions, joint, network_classifiers, published
from oddly.cli import main
from oddly.diagram.sources import Tabled
from oddly.engine import slices as slices_module
from oddly.engine.slices import Slices
from oddly.lowering import Families
from oddly.model import Network, NetworkClassifier, Node
from oddly.questions.allowed import comparison, hidden, masses, networks
from oddly.questions.allowed.comparison import ClassComparison
from oddly.questions.allowed.hidden import Ends
from oddly.questions.allowed.masses import InstanceTable
from test_allowed_beyond import with_entry
from test_multiclass import exam

TINY = Fraction(1, 10**9)


def tabled(model, impossible="negative"):
    """The model's diagram, as if its instances had been decided one by one."""
    odd = oddly.compile(model, impossible=impossible)
    return replace(odd, source=Tabled(model, impossible, None))


def check(found, model, change, total=1, impossible="negative"):
    """At the ends, a little inside and a little outside: nothing changes iff the range says so, and past an end
    the case that blocks it is decided as was said."""
    before, _ = decisions(model, impossible)
    for end, block, outward in zip(found.exact, (found.below, found.above), (-1, 1), strict=True):
        for q in (end - TINY, end, end + TINY):
            if 0 < q < total:
                same = np.array_equal(decisions(change(q), impossible)[0], before)
                assert same == (q in found), (q, found)
        assert block is not None or end in (0, total)
        q = end if end not in found else end + outward * TINY
        if block is not None and 0 < q < total:
            assert label_of(change(q), block.instance, impossible) == block.becomes
            assert label_of(model, block.instance, impossible) != block.becomes


def label_of(model, instance, impossible):
    place = tuple(v.index(instance[v.name]) for v in model.variables)
    return model.labels[decision(model, joint(model)[place], impossible)[0]]


def entries(model, answer):
    """(name, row, value, range) of every probability of every variable; no range where the answer leaves it out."""
    for node in model.network.nodes:
        table = list(answer.entries.get(node.name, {}).values())
        for row, numbers in enumerate(node.table):
            for at, value in enumerate(node.values):
                yield node.name, row, at, numbers, table[row][value] if table else None


@given(network_classifiers(), st.sampled_from(["negative", "positive"]), st.booleans(), st.randoms())
@settings(max_examples=60, deadline=None)
def test_a_probability_moves_up_to_what_blocks_it(model, impossible, one_by_one, random):
    assume(joint(model).size <= 60)
    odd = tabled(model, impossible) if one_by_one else oddly.compile(model, impossible=impossible)
    answer = oddly.allowed(odd)
    found = list(entries(model, answer))
    assert all(r is not None or p[at] in (0, sum(p)) for name, _, at, p, r in found if name in answer.entries)
    for name, row, at, numbers, number in random.sample(found, min(5, len(found))):
        if number is not None:
            assert numbers[at] in number
            check(number, model, lambda q, w=(name, row, at): with_entry(model, *w, q), sum(numbers), impossible)
        elif name not in answer.entries and name != model.class_name and 0 < numbers[at] < sum(numbers):
            before, _ = decisions(model, impossible)
            for q in (TINY, sum(numbers) - TINY):  # what is left out decides nothing
                assert np.array_equal(decisions(with_entry(model, name, row, at, q), impossible)[0], before)


@given(network_classifiers(), st.booleans())
@settings(max_examples=60, deadline=None)
def test_priors_and_threshold_move_up_to_what_blocks_them(model, one_by_one):
    assume(joint(model).size <= 60)
    answer = oddly.allowed(tabled(model) if one_by_one else model)
    node = model.network.node(model.class_name)
    if model.positive is None:
        ranges = dict(answer.prior)
    else:
        ranges = {model.positive: answer.prior and answer.prior.probability}
        assert (answer.threshold is None) == (model.threshold in (0, 1))
        if answer.threshold is not None:
            check(answer.threshold.probability, model, lambda p: model.replace(threshold=p))
    for value, found in ranges.items():
        at = node.values.index(value)
        assert (found is None) == bool(node.parents or node.table[0][at] in (0, sum(node.table[0])))
        if found is not None:
            check(found, model, lambda q, at=at: with_entry(model, node.name, 0, at, q), sum(node.table[0]))


def shown(answer):
    """All ends of an answer, without who blocks them: of several who do at once, any may be named."""
    numbers = {(n, r, v): x for n, t in answer.entries.items() for r, row in t.items() for v, x in row.items()}
    if answer.prior and isinstance(answer.prior, dict):
        numbers |= answer.prior
    elif answer.prior:
        numbers |= {"prior": answer.prior.probability, "threshold": answer.threshold and answer.threshold.probability}
    return {k: x and (x.exact, x.includes_low, x.includes_high) for k, x in numbers.items()}


@given(network_classifiers())
@settings(max_examples=60, deadline=None)
def test_sums_slices_and_whole_numbers_say_the_same(model):
    """All instances at once; a few at a time, in whole numbers only; and only the nearest of each group."""
    answer = oddly.allowed(tabled(model))
    with pytest.MonkeyPatch.context() as patch:
        for module, name in ((masses, "CACHED"), (masses, "LARGE"), (comparison, "BATCH")):
            patch.setattr(module, name, 3)
        patch.setattr(hidden, "NEAREST", 1)
        patch.setattr(slices_module, "TINY", 1000)  # so that zeros are looked for among truth values
        assert shown(oddly.allowed(tabled(model))) == shown(answer)
        patch.setattr(Slices, "floor", inf)
        assert shown(oddly.allowed(tabled(model))) == shown(answer)
    odd = oddly.compile(model)
    if isinstance(odd.source, Families):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(networks, "SMALL", 0)
            assert shown(oddly.allowed(odd)) == shown(answer)


def test_one_class_against_the_rest_has_a_range_for_every_number():
    naive = exam(5, 3, 3).replace(positive="c1", threshold="2/5")
    model = NetworkClassifier.of(naive)
    answer = oddly.allowed(naive)
    check(answer.threshold.probability, model, lambda p: model.replace(threshold=p))
    check(answer.prior.probability, model, lambda q: with_entry(model, "C", 0, 1, q))
    assert answer.entries["C"][""]["c1"].exact == answer.prior.probability.exact
    found = [(name, row, at, r) for name, row, at, _, r in entries(model, answer)]
    assert all(r is not None for *_, r in found)
    for name, row, at, number in found[::3]:
        check(number, model, lambda q, w=(name, row, at): with_entry(model, *w, q))
    assert "Pr(C=c1) is in" in repr(answer)


def test_the_zone_of_a_table_is_that_of_the_sums():
    model = exam(7, 4, 3)
    ours, theirs = oddly.allowed(tabled(model)), oddly.allowed(model)
    for a, others in theirs.zone.items():
        for b, number in others.items():
            assert ours.zone[a][b].exact == pytest.approx(number.exact)
            assert ours.zone[a][b].interval() == number.interval()
    assert {v: r.exact for v, r in ours.prior.items()} == {v: r.exact for v, r in theirs.prior.items()}
    assert ours.entries.keys() == theirs.entries.keys()
    for name, rows in theirs.entries.items():
        for row, values in rows.items():
            assert {v: r.exact for v, r in ours.entries[name][row].items()} == {v: r.exact for v, r in values.items()}


def test_the_margins_of_a_table_are_those_of_the_sums():
    model = oddly.examples.pregnancy()
    ours, theirs = oddly.allowed(tabled(model)), oddly.allowed(model)
    assert (ours.alpha, ours.beta) == pytest.approx((theirs.alpha, theirs.beta))
    assert ours.together.interval() == theirs.together.interval() == "[-0.282, 0.395)"
    assert ours.prior == theirs.prior
    assert ours.entries == theirs.entries


# ---- special cases ----


def fault(**more):
    nodes = [
        Node("fault", ["yes", "no"], [], [["0.1", "0.9"]]),
        Node("power", ["low", "ok"], ["fault"], [["0.8", "0.2"], ["0.05", "0.95"]]),
        Node("fan", ["off", "on"], ["power"], [["0.7", "0.3"], ["0.02", "0.98"]]),
        Node("lamp", ["off", "on"], ["power"], [["0.6", "0.4"], ["0.1", "0.9"]]),
        Node("season", ["dry", "wet"], [], [["0.5", "0.5"]]),
        Node("dust", ["much", "little"], ["season"], [["0.4", "0.6"], ["0.1", "0.9"]]),
    ]
    names = more.pop("attributes", ["fan", "lamp", "dust"])
    return NetworkClassifier(Network(nodes), "fault", names, "yes", **more)


def test_what_decides_nothing_is_left_out_and_named_by_its_first_value():
    answer = oddly.allowed(fault())
    assert list(answer.entries) == ["power", "fan", "lamp"]
    assert answer.entries["power"]["yes"]["low"].below.instance == {"fan": "off", "lamp": "off", "dust": "much"}
    assert list(answer.entries["fan"]) == ["power=low", "power=ok"]


def test_evidence_and_restricting_say_the_same():
    observed = oddly.allowed(fault(attributes=["fan"], evidence={"lamp": "off"}))
    restricted = oddly.allowed(tabled(fault(attributes=["fan", "lamp"])).restrict(lamp="off"))
    assert shown(observed) == shown(restricted)
    model = fault(attributes=["fan"], evidence={"lamp": "off"})
    check(observed.entries["lamp"]["power=low"]["off"], model, lambda q: with_entry(model, "lamp", 0, 0, q))


def test_a_saved_table_still_knows(tmp_path):
    model = exam(1, 2, 3).replace(positive="c0")
    oddly.compile(model).save(tmp_path / "x.odd")
    assert oddly.allowed(tmp_path / "x.odd").to_json() == oddly.allowed(model).to_json()


def test_numbers_of_more_digits_than_floats_have_exact_ends():
    near = Fraction(1, 3) + Fraction(1, 10**40)
    nodes = [
        Node("C", ["y", "n"], [], [["1/2", "1/2"]]),
        Node("H", ["a", "b"], ["C"], [[near, 1 - near], ["1/3", "2/3"]]),
        Node("A", ["a", "b"], ["H"], [["3/4", "1/4"], ["1/4", "3/4"]]),
    ]
    model = NetworkClassifier(Network(nodes), "C", ["A"], "y")
    found = oddly.allowed(model).entries["H"]["y"]["a"]
    assert (found.exact, found.interval()[0]) == ((Fraction(1, 3), 1), "(")
    assert found.below.becomes == "y"
    assert found.below.instance == {"A": "b"}


def test_a_chain_of_forty_tests_is_too_large_and_says_so():
    lean = [["2/3", "1/3"], ["1/3", "2/3"]]
    nodes = [Node("ill", ["yes", "no"], [], [["1/2", "1/2"]]), Node("state", ["bad", "good"], ["ill"], lean)]
    nodes += [Node(f"test{i}", ["+", "-"], ["state"], lean) for i in range(40)]
    odd = oddly.compile(Network(nodes).classifier("ill", "yes"))
    with pytest.raises(oddly.TooLarge, match="1,099,511,627,776 instances to look at one by one, 67,108,864 allowed"):
        oddly.allowed(odd)


def test_too_little_memory_is_said_and_too_much_work_leaves_entries_unknown(monkeypatch):
    odd = tabled(fault())
    with pytest.raises(oddly.TooLarge, match="instances to look at one by one"):
        oddly.allowed(odd, max_memory=30)
    monkeypatch.setattr(masses, "MOST_WORK", 10)
    answer = oddly.allowed(odd)
    assert answer.prior.exact == oddly.allowed(fault()).prior.exact
    assert answer.entries == {}
    assert answer.entries_unknown.startswith("4 instances and 4 tables: ")
    assert "single probabilities are not known: 4 instances and 4 tables: " in repr(answer)


def test_progress_is_told_table_by_table():
    told = []
    oddly.allowed(tabled(fault()), progress=lambda *now: told.append(now))
    entries = [now for now in told if now[0] == "entries"]
    assert entries == [("entries", 1, 4), ("entries", 2, 4), ("entries", 3, 4)]


# ---- published networks, and the command ----


@pytest.mark.parametrize("name", ["NetPrint", "PrtPScript"])
def test_win95pts_keeps_its_16466_decisions_up_to_the_ends(name):
    model = published("win95pts").classifier("PTROFFLINE", "Offline")
    odd = oddly.compile(model, "as-given")
    table = InstanceTable(odd, model, 1 << 30)
    family = next(f for f in table.blocks.families if f.node.name == name)
    ranges = Ends(table, ClassComparison(model), family).table()
    row, found = next((r, x[0]) for r, x in enumerate(ranges) if x[0] is not None and not x[0].any)
    for q in (end + step for end in found.exact for step in (-TINY, 0, TINY)):
        if 0 < q < 1:
            assert (oddly.compile(with_entry(model, name, row, 0, q), "as-given") == odd) == (q in found)


def test_child_s_diseases_have_ranges_from_the_nearest_of_each_block(monkeypatch):
    model = published("child").classifier(
        "Disease", attributes=["LVHreport", "XrayReport", "GruntingReport", "CO2Report"]
    )
    odd = oddly.compile(model)
    assert isinstance(odd.source, Families)
    by_table = shown(oddly.allowed(odd))
    monkeypatch.setattr(networks, "SMALL", 0)
    assert shown(oddly.allowed(odd)) == by_table
    assert sum(number is not None for number in by_table.values()) > 50


@pytest.fixture
def network_file(tmp_path):
    path = tmp_path / "fault.bif"
    oddly.write(fault().network, path)
    return str(path)


def test_the_command_shows_probabilities_behind_hidden_variables(network_file, capsys):
    assert main(["allow", network_file, "--class", "fault", "--positive", "yes", "--attributes", "fan,lamp"]) == 0
    line = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("  Pr(power=low | yes)"))
    assert line.split()[3:] == ["0.8", "[0.488,", "0.9996)", "case", "1", "case", "2"]


def test_an_end_is_what_one_works_out_by_hand():
    """0.1 (0.42 q + 0.002 (1 - q)) >= 0.9 * 0.0229 for fan and lamp off, and < for the lamp alone on."""
    found = oddly.allowed(fault()).entries["power"]["yes"]["low"]
    assert found.exact == (Fraction(2041, 4180), Fraction(2619, 2620))


def test_an_instance_too_improbable_for_floats_still_blocks(monkeypatch):
    """a=yes, b=yes has 0.7 * 3p + 0.3 * 2 against 0.2 * 3p + 0.8 * 2, in units of 1e-360: positive down to p = 2/3."""
    unit, values = Fraction(1, 10**180), ["yes", "no"]
    nodes = [Node("ill", values, [], [["0.5", "0.5"]]), Node("h", values, ["ill"], [["0.7", "0.3"], ["0.2", "0.8"]])]
    for name, rows in {"a": (1, 2), "b": (3, 1)}.items():
        nodes.append(Node(name, values, ["h"], [[n * unit, 1 - n * unit] for n in rows]))
    monkeypatch.setattr(hidden, "NEAREST", 1)  # as if there were more instances than are looked at in any case
    found = oddly.allowed(NetworkClassifier(Network(nodes), "ill", ["a", "b"], "yes")).entries["a"]["h=yes"]["yes"]
    assert found.exact[0] == Fraction(2, 3) * unit
    assert found.below.instance == {"a": "yes", "b": "yes"}


def test_the_command_lists_those_with_the_least_room_and_counts_the_others(network_file, capsys):
    asked = ["allow", network_file, "--class", "fault", "--positive", "yes", "--attributes", "fan,lamp", "--list", "2"]
    assert main(asked) == 0
    out = capsys.readouterr().out
    assert out.count(" | ") == 2
    assert "more" in out
    assert "probabilities that have more room, each alone" in out


def test_at_a_threshold_of_0_nothing_stops_a_probability():
    assert isinf(oddly.allowed(fault(threshold=0)).alpha)
    assert oddly.allowed(fault(threshold=0)).entries["power"]["yes"]["low"].any
