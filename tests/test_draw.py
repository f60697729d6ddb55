# SPDX-License-Identifier: Apache-2.0
"""Drawings decide what their diagrams decide, hold any name, and keep lines and labels off each other."""

import os
import random
import re
import shutil
import subprocess
import sys
from functools import cache
from itertools import combinations, pairwise, product
from math import prod
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oddly
from oddly import TooLarge, UnknownName, UnknownValue
from oddly.answers import percent
from oddly.answers.lettering import columns, shortened, visible
from oddly.diagram import ODD
from oddly.distribution.flow import beside, population, shares
from oddly.draw import dot, figure, save, svg, text
from oddly.draw.bands import MOST_GROUPS, bands
from oddly.draw.graph import graph
from oddly.draw.layers import crossings, mesh, monotone, ordered
from oddly.draw.layout import SINK_HEIGHT, label_width, layout, value_width
from oddly.draw.style import DASHES, SHAPES
from oddly.model import Variable
from oddly.model.elimination import class_masses
from strategies import classifiers

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = ['<script>alert("1")</script>', "a & b &lt; &#x41;", "back\\slash\\n \"quoted\" 'twice'", "]]>", ""]
STRANGE = ["tab\tand\nline\x00\x1b[31m", "\ud800 lone", "\uffff", "\u202eright to left", "天気", "👩‍👩‍👧", "é" * 60]


# ---- diagrams to draw ----


def diagram(variables, labels, decisions):
    """The diagram of any function, given as its decisions on all instances in order."""
    levels, nodes = [], np.asarray(decisions)
    for variable in reversed(variables):
        rows, nodes = np.unique(nodes.reshape(-1, len(variable.values)), axis=0, return_inverse=True)
        levels.append(rows.astype(np.uint32))
        nodes = nodes.reshape(-1)
    places = tuple(range(len(variables)))
    return ODD(tuple(variables), tuple(labels), tuple(levels[::-1]), int(nodes[0]), places)


def variables(*arities):
    return [Variable(f"x{i}", tuple(f"v{j}" for j in range(n))) for i, n in enumerate(arities)]


def small_universe():
    """Every function of a few small shapes, and some of larger ones."""
    for arities, labels in [((), 2), ((1,), 2), ((2, 1, 2), 2), ((2, 2), 3), ((3,), 3)]:
        for decisions in product(range(labels), repeat=prod(arities)):
            yield diagram(variables(*arities), "abc"[:labels], decisions)
    chance = random.Random(0)
    for arities, labels in [((2, 2, 2, 2, 2), 2), ((12, 3, 2), 2), ((3, 2, 2, 3), 5), ((2, 5, 1, 4), 3)] * 5:
        few = [chance.randrange(labels) for _ in range(3)]
        decisions = [chance.choice(few) for _ in range(prod(arities))]
        yield diagram(variables(*arities), "abcde"[:labels], decisions)


def instances(odd):
    return [dict(zip(odd.order, vs, strict=True)) for vs in product(*(v.values for v in odd.variables))]


def scorecard(attributes, values, seed, most=9):
    chance = random.Random(seed)
    names = [str(j) for j in range(values)]
    return oddly.compile(
        oddly.Scorecard(
            [oddly.Points(f"a{i}", names, [chance.randint(-most, most) for _ in names]) for i in range(attributes)],
            cutoff=1,
        )
    )


@cache
def large():
    """More nodes than are drawn one by one."""
    return scorecard(18, 2, 3, most=999)


@pytest.fixture(scope="module")
def pregnancy():
    return oddly.compile(oddly.examples.pregnancy(), order=["U", "B", "S"])


@pytest.fixture(scope="module")
def tic_tac_toe():
    return oddly.compile(oddly.examples.tic_tac_toe(), order=oddly.best_of(100))


# ---- readers: each finds an instance's decision from the finished drawing alone ----


def follow(leaving, asks, node, instance):
    while node in leaving:
        node = next(leaving[node][label] for label in leaving[node] if on(label, instance[asks[node]], leaving[node]))
    return node


def on(label, value, labels):
    """Whether a value is on the edge with this label, among all labels of its node."""
    named = [name for other in labels for name in other.split(", ")]
    return value in label.split(", ") or label == "any" or (label == "other" and value not in named)


def read_svg(picture):
    whole = ElementTree.fromstring(picture)
    leaving, asks, reached = {}, {}, set()
    for line in whole.iterfind(f".//{SVG}path[@data-from]"):
        source, target = line.get("data-from"), line.get("data-to")
        asks[source], _, label = line.findtext(f"{SVG}title").partition(" = ")
        leaving.setdefault(source, {})[label] = target
        reached.add(target)
    sinks = {sink.get("data-label"): sink.findtext(f"{SVG}text") for sink in whole.iterfind(f".//{SVG}g[@data-label]")}
    (root,) = {*leaving, *sinks} - reached
    return lambda instance: sinks[follow(leaving, asks, root, instance)]


def read_dot(code):
    names = dict(re.findall(r'(?<!-> )\b(n\d+) \[label="(.*?)"', code))
    leaving, reached = {}, set()
    for source, target, label in re.findall(r'(n\d+) -> (n\d+) \[label="(.*?)"', code):
        leaving.setdefault(source, {})[label] = target
        reached.add(target)
    (root,) = set(names) - reached
    return lambda instance: names[follow(leaving, names, root, instance)]


def read_text(lines):
    leaving, names, above = {}, {}, []
    for place, line in enumerate(line for line in lines.split("\n") if line and "Never asked" not in line):
        shape = r"(?P<branch>[│├└─ ]*)((?P<label>[^:]*): )?(→ )?(\[(?P<number>\d+)\] )?(?P<name>.*)"
        found = re.fullmatch(shape, line)
        node = found["number"] or f"on line {place}"
        names[node] = found["name"]
        del above[len(found["branch"]) // 3 :]
        if above:
            leaving.setdefault(above[-1], {})[found["label"]] = node
        above.append(node)
    root = next(iter(names))
    return lambda instance: names[follow(leaving, names, root, instance)][2:]


# ---- what drawings decide ----


@pytest.mark.parametrize("reduced", [True, False])
@pytest.mark.parametrize(("draw", "read"), [(svg, read_svg), (dot, read_dot), (text, read_text)])
def test_a_reader_of_the_drawing_reaches_every_decision(draw, read, reduced):
    for odd in small_universe():
        decides = read(draw(odd, reduced=reduced, most=1000))
        assert [decides(instance) for instance in instances(odd)] == odd.classify(instances(odd)).tolist()


@given(classifiers())
@settings(max_examples=40, deadline=None)
def test_a_compiled_model_is_drawn_as_it_decides(model):
    odd = oddly.compile(model)
    some = instances(odd)[:: max(1, odd.instances // 50)]
    for read, drawing in [
        (read_svg, svg(odd, most=10_000)),
        (read_dot, dot(odd, most=10_000)),
        (read_text, text(odd, most=10_000, width=400)),
    ]:
        assert list(map(read(drawing), some)) == odd.classify(some).tolist()


def test_a_drawing_holds_the_nodes_that_the_root_reaches(pregnancy, tic_tac_toe):
    assert graph(pregnancy).size == 7
    assert graph(pregnancy.reduce()).size == 5
    assert graph(tic_tac_toe).size == tic_tac_toe.size
    assert graph(pregnancy.restrict(S="+ve").reduce()).rows == ((1,),)


def labels(odd):
    return [edge.label for edge in graph(odd).edges]


def test_values_that_lead_to_one_node_share_an_edge():
    a, b = Variable("a", tuple("pqrs")), Variable("b", tuple(f"value {i}" for i in range(12)))
    assert labels(diagram([a], ["no", "yes"], [0, 1, 1, 0])) == ["p, s", "q, r"]
    assert labels(diagram([a], ["no", "yes"], [1, 1, 1, 1])) == ["any"]
    assert labels(diagram([b], ["no", "yes"], [1, 0] + [1] * 10)) == ["other", "value 1"]
    assert labels(diagram([Variable("c", ("only",))], ["no", "yes"], [1])) == ["only"]
    taken = Variable("d", ("any", "other"))
    assert labels(diagram([taken], ["no", "yes"], [1, 1])) == ["any, other"]


def test_attributes_that_are_never_asked_are_named_but_have_no_row():
    odd = diagram(variables(2, 2, 2), ["no", "yes"], [0, 0, 0, 0, 1, 1, 1, 1])
    assert text(odd) == "x0\n├─ v0: ○ no\n└─ v1: ● yes\n\nNever asked: x1, x2."
    rows = [row.text or row[0].tail for row in ElementTree.fromstring(svg(odd)).iterfind(f"{SVG}text[@class='row']")]
    assert rows == ["x0"]
    assert "Never asked: x1, x2." in svg(odd)


# ---- marked paths ----


def test_the_path_of_an_instance_is_marked_from_the_root_to_its_decision(pregnancy):
    for instance in instances(pregnancy):
        whole = ElementTree.fromstring(svg(pregnancy, reduced=False, instance=instance))
        marked = [p for p in whole.iterfind(f".//{SVG}path[@data-from]") if " on" in p.get("class")]
        taken = sorted(p.findtext(f"{SVG}title") for p in marked)
        assert [step.split(" = ")[0] for step in taken] == ["B", "S", "U"]
        assert all(instance[step.split(" = ")[0]] in step for step in taken)
        assert {p.get("data-to") for p in marked[:-1]} == {p.get("data-from") for p in marked[1:]}
        (sink,) = (g for g in whole.iterfind(f".//{SVG}g[@data-label]") if " on" in g[1].get("class"))
        assert sink.findtext(f"{SVG}text") == pregnancy.classify([instance])[0]
        assert f"decision {sink.findtext(f'{SVG}text')}." in whole.findtext(f"{SVG}desc")


def test_a_path_says_which_name_or_value_is_wrong(pregnancy):
    with pytest.raises(UnknownName, match="no value for B"):
        svg(pregnancy, instance={"U": "+ve", "S": "+ve"})
    with pytest.raises(UnknownValue, match="maybe"):
        svg(pregnancy, instance={"U": "+ve", "B": "maybe", "S": "+ve"})
    row = {"U": "+ve", "B": "-ve", "S": "+ve", "P": "yes"}
    assert svg(pregnancy, instance=row) == svg(pregnancy, instance={k: row[k] for k in "UBS"})


# ---- any name ----


def test_names_that_are_code_elsewhere_are_only_names_here():
    odd = diagram([Variable(name, tuple(HOSTILE)) for name in HOSTILE[:2]], HOSTILE, [0, 1, 2, 3, 4] * 5)
    whole = ElementTree.fromstring(svg(odd, reduced=False, instance=instances(odd)[0]))
    assert {element.tag.removeprefix(SVG) for element in whole.iter()} <= {
        *("svg", "title", "desc", "style", "rect", "g", "path", "circle", "polygon", "text")
    }
    sinks = [sink.findtext(f"{SVG}title") for sink in whole.iterfind(f".//{SVG}g[@data-label]")]
    assert sinks == [*HOSTILE[:4], '""']


names = st.text(st.characters(), max_size=12) | st.sampled_from(HOSTILE + STRANGE)


@given(st.lists(names.filter(bool), min_size=2, max_size=2, unique=True), st.lists(names, min_size=3, unique=True))
@settings(max_examples=60, deadline=None)
def test_any_unicode_can_be_a_name(attributes, words):
    """Whatever Python can hold as text makes well-formed XML that can be written, and lines that stay lines."""
    decisions = [i % len(words) for i in range(len(words) ** 2)]
    odd = diagram([Variable(name, tuple(words)) for name in attributes], words, decisions)
    ElementTree.fromstring(svg(odd, reduced=False).encode())
    lines = dot(odd, reduced=False).encode().decode().split("\n")
    assert all(len(re.findall(r'(?<!\\)"', line.replace("\\\\", ""))) % 2 == 0 for line in lines)
    assert len(text(odd, reduced=False, most=500).encode().decode().split("\n")) == 1 + sum(
        map(len, graph(odd).leaving.values())
    )


def test_graphviz_reads_what_we_write(tic_tac_toe):
    if not (graphviz := shutil.which("dot")):
        pytest.skip("Graphviz is not installed")
    odd = diagram([Variable(name, tuple(HOSTILE)) for name in HOSTILE[:3]], HOSTILE, [0, 1, 2, 3, 4] * 25)
    for drawn in (odd, tic_tac_toe):
        ran = subprocess.run([graphviz, "-Tsvg"], input=dot(drawn), capture_output=True, text=True, check=True)
        assert not ran.stderr
        shown = [element.text for element in ElementTree.fromstring(ran.stdout).iter(f"{SVG}text")]
        expected = [visible(drawn.labels[sink]) for sink in graph(drawn.reduce()).sinks]
        assert {*expected, *(edge.label for edge in graph(drawn.reduce()).edges)} <= {
            (words or "").replace("\xa0", " ") for words in shown
        }


# ---- the same again ----


def test_a_drawing_is_the_same_in_another_process(tic_tac_toe):
    code = (
        "import oddly; from oddly.draw import dot, svg, text\n"
        "odd = oddly.compile(oddly.examples.tic_tac_toe(), order=oddly.best_of(100))\n"
        "print(svg(odd), dot(odd), text(odd), svg(odd, most=9))"
    )
    here = f"{svg(tic_tac_toe)} {dot(tic_tac_toe)} {text(tic_tac_toe)} {svg(tic_tac_toe, most=9)}\n"
    for seed in "12":
        there = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"}
        ran = subprocess.run([sys.executable, "-c", code], env=there, capture_output=True, check=True)
        assert ran.stdout.decode() == here


# ---- too large ----


@pytest.mark.parametrize("draw", [dot, text])
def test_too_many_nodes_are_refused_with_their_number_and_a_way_out(draw, tic_tac_toe):
    size = tic_tac_toe.reduce().size
    with pytest.raises(TooLarge, match=rf"{size} nodes to draw\.  Try odd\.restrict.*, or most={size}\."):
        draw(tic_tac_toe, most=size - 1)
    with pytest.raises(TooLarge, match="Try reduced=True"):
        draw(tic_tac_toe, reduced=False, most=10)
    assert draw(tic_tac_toe, most=size)


def test_a_picture_of_too_many_edges_has_its_nodes_in_groups_too():
    odd = scorecard(3, 30, 1, most=100)
    drawn = graph(odd.reduce())
    few = -(-len(drawn.edges) // 3)  # three edges a node
    assert drawn.size < few
    assert svg(odd, most=few).count("<circle") == drawn.size - len(drawn.sinks)
    assert svg(odd, most=few - 1).count("<circle") == 0
    assert svg(odd, most=few - 1, instance=instances(odd)[0]).count("<circle") == 0
    assert svg(odd, most=few - 1, against=odd).count("<circle") == 0


def test_a_picture_of_too_many_nodes_has_them_in_groups(tic_tac_toe):
    size = tic_tac_toe.reduce().size
    one_by_one, grouped = svg(tic_tac_toe, most=size), svg(tic_tac_toe, most=size - 1)
    assert one_by_one.count("<circle") == size - 2
    assert grouped.count("<circle") == 0
    assert "58 nodes in groups; widths are shares under the model." in grouped
    assert svg(tic_tac_toe, reduced=False, most=size).count("<circle") == 0


# ---- how it looks ----


def pictures(tic_tac_toe):
    yield from (graph(d) for odd in list(small_universe())[::9] for d in (odd, odd.reduce()))
    yield from (graph(odd.reduce()) for odd in (tic_tac_toe, scorecard(14, 2, 1), scorecard(5, 5, 2)))


def boxes(drawn, plan):
    """What stands in each row and between rows: its height, left and right end."""
    for node, (x, y) in plan.nodes.items():
        half = label_width(drawn.labels[node]) / 2 if node in drawn.sinks else plan.radius
        yield y, x - half, x + half
    for edge, line in plan.lines.items():
        yield line[1].y, line[1].x - value_width(edge) / 2, line[1].x + value_width(edge) / 2


def points(line):
    """Points along a drawn line, from the same handles as the path's."""
    for a, b in pairwise(line):
        reach = (b.y - a.y) * 0.45
        xs, ys = (a.x, a.x + a.slant * reach, b.x - b.slant * reach, b.x), (a.y, a.y + reach, b.y - reach, b.y)
        for t in (i / 24 for i in range(25)):
            weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
            yield sum(map(float.__mul__, weights, xs)), sum(map(float.__mul__, weights, ys))


def test_no_label_and_no_node_stands_on_another(tic_tac_toe):
    for drawn in pictures(tic_tac_toe):
        plan = layout(drawn)
        found = sorted(boxes(drawn, plan))
        assert all(a[0] < b[0] or a[2] < b[1] for a, b in pairwise(found))
        assert all(left >= 0 and right <= plan.width and 0 <= y <= plan.height for y, left, right in found)


def test_no_line_runs_through_a_node_it_does_not_join(tic_tac_toe):
    for drawn in pictures(tic_tac_toe):
        plan = layout(drawn)
        lines = [({e.source, e.target}, line) for e, line in plan.lines.items()]
        lines += [({trunk.edges[0].target}, trunk.line) for trunk in plan.trunks]
        inner = [(node, *at) for node, at in plan.nodes.items() if node not in drawn.sinks]
        for ends, line in lines:
            for x, y in points(line):
                assert all(node in ends or (x - nx) ** 2 + (y - ny) ** 2 > plan.radius**2 for node, nx, ny in inner)


def test_every_edge_runs_on_to_its_target(tic_tac_toe):
    for drawn in pictures(tic_tac_toe):
        plan = layout(drawn)
        for edge, line in plan.lines.items():
            parts = [line, *(trunk.line for trunk in plan.trunks if edge in trunk.edges)]
            assert all(above[-1][:2] == below[0][:2] for above, below in pairwise(parts))
            x, y = plan.nodes[edge.target]
            assert parts[-1][-1].x == x
            assert 0 < y - parts[-1][-1].y < SINK_HEIGHT


def test_sweeps_undo_crossings_and_crossings_are_counted_right(tic_tac_toe):
    for drawn in pictures(tic_tac_toe):
        made = mesh(drawn)
        best = ordered(made)
        assert crossings(best, made) == counted(best, made) <= counted(made.layers, made)
        assert [set(layer) for layer in best] == [set(layer) for layer in made.layers]


def counted(layers, made):
    """Crossings, by looking at every two lines."""
    found = 0
    for upper, lower in pairwise(layers):
        lines = [(upper.index(v), lower.index(w)) for v in upper for w in made.below.get(v, ())]
        found += sum((a - c) * (b - d) < 0 for (a, b), (c, d) in combinations(lines, 2))
    return found


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(1, 5)), min_size=1, max_size=8))
def test_spacing_is_nearest_to_what_is_wanted(wanted):
    """The nearest non-decreasing numbers have a formula: the greatest over starts of the least over ends of means."""
    xs, ws = zip(*wanted, strict=True)
    n = len(xs)

    def mean(j, k):
        return sum(map(int.__mul__, xs[j : k + 1], ws[j : k + 1])) / sum(ws[j : k + 1])

    expected = [max(min(mean(j, k) for k in range(i, n)) for j in range(i + 1)) for i in range(n)]
    assert monotone(wanted) == pytest.approx(expected)


def test_nothing_is_told_by_colour_alone():
    many = diagram([Variable("a", tuple("abcdefghijkl"))], [f"label {i}" for i in range(12)], range(12))
    whole = ElementTree.fromstring(svg(many))
    dashes = [line.get("stroke-dasharray") for line in whole.iterfind(f".//{SVG}path[@data-from]")]
    assert len(set(dashes)) == len(DASHES) == 12
    outlines = [g[1] for g in whole.iterfind(f".//{SVG}g[@data-label]")]
    assert len({(shape.tag, shape.get("points")) for shape in outlines[: len(SHAPES)]}) == len(SHAPES)


def test_a_drawing_speaks_to_those_who_cannot_see_it(pregnancy):
    whole = ElementTree.fromstring(svg(pregnancy))
    assert whole.get("role") == "img"
    assert whole[0].text == "Decision diagram over U, B, S"
    assert whole[1].text.startswith("ODD: 7 nodes deciding P over 8 instances of U, B, S: 5 yes, 3 no. Drawn with 5")


def test_a_drawing_stands_alone(tic_tac_toe):
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)|url\(|@import|href", svg(tic_tac_toe))


def test_text_keeps_to_its_width(tic_tac_toe):
    for width in (24, 40, 80):
        lines = text(tic_tac_toe, width=width).split("\n")
        assert max(map(columns, lines)) <= width


def test_branches_without_room_are_written_below():
    odd = scorecard(14, 2, 1)
    narrow = text(odd, most=500, width=40)
    assert narrow.count("\n\n") > 1
    some = instances(odd)[::97]
    assert list(map(read_text(narrow), some)) == odd.classify(some).tolist()


def test_names_are_measured_as_they_are_shown():
    assert columns("天気") == 4
    assert columns("e\u0301") == 1
    assert shortened("天気予報", 5) == "天気…"
    assert visible("a\tb\u2028\x7f") == "a␉b\ufffd\ufffd"


# ---- where instances run ----


def weights(odd, under):
    """What each instance weighs, by its definition."""
    rows = instances(odd)
    if under == "uniform":
        return rows, [1 / len(rows)] * len(rows)
    if isinstance(under, list):
        return rows, [under.count(row) / len(under) for row in rows]
    model = odd.source.model
    network = model if isinstance(model, oddly.NetworkClassifier) else oddly.NetworkClassifier.of(model)
    codes = odd.encode(rows)
    masses, _ = class_masses(network, codes)
    sums = [sum(row) for row in masses.tolist()]
    return rows, [s / sum(sums) for s in sums]


def enumerated(odd, rows, chances, kind):
    """By depth: the share of every edge, one instance after the other; `kind` says where an instance counts."""
    found = [np.zeros((level.shape[1], len(level))) for level in odd.levels]
    for row, chance in zip(rows, chances, strict=True):
        node = odd.root
        for depth, variable in enumerate(odd.variables):
            value = variable.index(row[variable.name])
            found[depth][value, node] += chance * kind(row)
            node = odd.levels[depth][node, value]
    return found


def sprinkler():
    node = oddly.Node
    network = oddly.Network(
        [
            node("cloudy", ["yes", "no"], [], [["0.5", "0.5"]]),
            node("sprinkler", ["on", "off"], ["cloudy"], [["0.1", "0.9"], ["0.5", "0.5"]]),
            node("rain", ["none", "some", "much"], ["cloudy"], [["0.2", "0.3", "0.5"], ["0.8", "0.2", "0"]]),
            node("wet", ["yes", "no"], ["sprinkler", "rain"], [["0.9", "0.1"], ["0.95", "0.05"], ["1", "0"]] * 2),
        ]
    )
    return oddly.NetworkClassifier(network, "cloudy", ["sprinkler", "rain", "wet"], threshold="0.6")


def weighed_diagrams():
    chance = random.Random(5)
    for odd in list(small_universe())[5::17]:
        if odd.levels:
            yield odd, "uniform"
            yield odd, chance.choices(instances(odd), k=7)
    for model in (oddly.examples.pregnancy(), sprinkler()):
        for order in ("as-given", "descending"):
            yield oddly.compile(model, order=order), "model"


def test_shares_of_edges_are_those_of_enumeration():
    for odd, under in weighed_diagrams():
        rows, chances = weights(odd, under)
        decided = dict(zip(map(repr, rows), odd.classify(rows).tolist(), strict=True))
        found = list(shares(odd, population(odd, under), np.eye(len(odd.labels))))
        for place, label in enumerate(odd.labels):
            wanted = enumerated(odd, rows, chances, lambda row, label=label, d=decided: d[repr(row)] == label)
            for depth, edges in enumerate(wanted):
                assert found[depth][place] == pytest.approx(edges, abs=1e-12)


@given(classifiers())
@settings(max_examples=40, deadline=None)
def test_groups_hold_every_node_once_and_flows_add_up(model):
    odd = oddly.compile(model)
    found = bands(odd)
    assert [sum(g.nodes for g in row) for row in found.rows] == odd.widths
    assert all(len(row) <= MOST_GROUPS + 1 + len(odd.labels) for row in found.rows)
    for (above, below), flow in zip(pairwise(found.rows), found.flows, strict=True):
        assert flow.sum(axis=1) == pytest.approx([g.share for g in above], abs=1e-9)
        assert flow.sum(axis=0) == pytest.approx([g.share for g in below], abs=1e-9)
    if found.under == "the model":
        counted_ = oddly.count(odd).probability
        assert [g.share for g in found.rows[-1]] == pytest.approx([counted_[label] for label in odd.labels], abs=1e-9)


def test_groups_are_told_by_how_their_instances_end():
    odd = large()
    found = bands(odd)
    assert odd.size > 500
    for row in found.rows[:-1]:
        parts = [g.ends[1] / g.share for g in row]
        assert parts == sorted(parts)  # the chain, from the least sum to the greatest
        assert all((g.decided is None) or g.share == pytest.approx(g.ends[g.decided]) for g in row)
    assert found.rows[-1][1].share == pytest.approx(odd.count("yes") / odd.instances)


def test_the_way_of_an_instance_passes_groups_that_end_as_it_does():
    odd = large()
    chance = random.Random(1)
    for _ in range(20):
        instance = {v.name: chance.choice(v.values) for v in odd.variables}
        found = bands(odd, instance=instance)
        label = odd.labels.index(odd.classify([instance])[0])
        assert found.path[-1] == label
        assert all(found.rows[k][i].ends[label] > 0 for k, i in enumerate(found.path))


def test_a_large_diagram_of_many_classes_is_drawn_in_groups():
    chance = random.Random(2)
    tallies = [
        oddly.Tally(f"a{i}", list("xyz"), [[chance.randint(0, 9) for _ in range(4)] for _ in "xyz"]) for i in range(9)
    ]
    odd = oddly.compile(oddly.Scoreboard(tallies, ["red", "green", "blue", "grey"]))
    assert odd.reduced_size > 500
    whole = ElementTree.fromstring(svg(odd))
    sinks = {
        g.findtext(f"{SVG}title"): g.findtext(f"{SVG}text[@class='caption']")
        for g in whole.iterfind(f".//{SVG}g[@data-label]")
    }
    assert sinks == {label: f"{100 * odd.count(label) / odd.instances:.1f}%" for label in odd.labels}
    outlines = [g[1] for g in whole.iterfind(f".//{SVG}g[@data-label]")]
    assert (
        len({(shape.tag, len(shape.get("points", "").split()), shape.get("points", "")[:3]) for shape in outlines}) == 4
    )
    shown = [float(g.get("data-share")) for g in whole.iterfind(f".//{SVG}g[@data-row]")]
    assert sum(shown) == pytest.approx(len(odd.order) + 1, abs=1e-3)


# ---- another classifier ----


def test_what_another_decides_otherwise_is_lit_and_nothing_else():
    some = [odd for odd in small_universe() if odd.levels and len(odd.labels) == 2][3::9]
    for odd, other in pairwise(some):
        if odd.variables != other.variables:
            continue
        rows = instances(odd)
        ours, theirs = odd.classify(rows), other.classify(rows)
        wanted = enumerated(
            odd,
            rows,
            [1 / len(rows)] * len(rows),
            lambda row, o=odd, b=other: o.classify([row])[0] != b.classify([row])[0],
        )
        assert all(
            found == pytest.approx(edges)
            for found, edges in zip(beside(odd, other).shares(population(odd, "uniform")), wanted, strict=True)
        )
        whole = ElementTree.fromstring(svg(odd, against=other, reduced=False))
        lit = sum(" on" in line.get("class") for line in whole.iterfind(f".//{SVG}path[@data-from]"))
        edges = [
            {
                (depth, int(node), int(level[node, value]))
                for value, node in zip(*np.nonzero(wanted[depth]), strict=True)
            }
            for depth, level in enumerate(odd.levels)
        ]
        assert lit == sum(map(len, edges))
        assert f"{percent(float((ours != theirs).mean()))} of all instances" in whole.findtext(f"{SVG}desc")


def test_the_marks_of_two_models_say_what_a_comparison_says(pregnancy):
    other = oddly.examples.pregnancy().replace(prior=["0.6", "0.4"])
    whole = ElementTree.fromstring(svg(pregnancy, against=other))
    steps = [p.findtext(f"{SVG}title") for p in whole.iterfind(f".//{SVG}path[@data-from]") if " on" in p.get("class")]
    assert steps == ["U = +ve", "B = +ve"]
    assert whole.findtext(f".//{SVG}text[@class='caption']") == "12.5%"
    under = svg(pregnancy, against=other, under="model")
    assert f"{100 * oddly.compare(pregnancy, other).probability():.1f}% under the model" in under


def test_an_attribute_that_only_the_other_reads_is_no_obstacle(pregnancy):
    other = oddly.compile(oddly.examples.pregnancy().replace(attributes=oddly.examples.pregnancy().attributes[:2]))
    difference = oddly.compare(other, pregnancy)
    assert f"{percent(difference.count / difference.instances)} of all" in svg(other, against=pregnancy)
    model = oddly.examples.pregnancy()
    assert "0% of all instances" in svg(pregnancy, against=model)
    rows = instances(pregnancy)[:3]
    differing = sum(a != b for a, b in zip(other.classify(rows), pregnancy.classify(rows), strict=True))
    for most in (1, 500):  # one by one, and in groups
        assert percent(differing / 3) in svg(other, against=pregnancy, under=rows, most=most)
        assert percent(difference.count / difference.instances) in svg(
            other, against=pregnancy, under="uniform", most=most
        )


def test_groups_are_marked_where_another_decides_otherwise():
    odd = large()
    other = odd.source.model.replace(cutoff=200)
    found = bands(odd, against=other)
    difference = oddly.compare(odd, other)
    assert found.differs == pytest.approx(difference.count / difference.instances)
    assert all(sum(g.differs for g in row) == pytest.approx(found.differs) for row in found.rows)
    assert found.rows[-1][1].differs == pytest.approx(difference.directions["yes → no"] / difference.instances)
    assert percent(found.differs) in svg(odd, against=other)


def test_only_one_thing_is_marked_at_a_time(pregnancy):
    with pytest.raises(oddly.Unsupported, match="one thing is marked"):
        svg(pregnancy, instance={"U": "+ve", "B": "-ve", "S": "+ve"}, against=pregnancy)


# ---- figures and files ----


def test_a_figure_shows_what_the_svg_does(pregnancy, tic_tac_toe):
    pytest.importorskip("matplotlib")
    for odd, options in [
        (pregnancy, {"instance": {"U": "+ve", "B": "-ve", "S": "+ve"}}),
        (tic_tac_toe, {"most": 20}),
        (diagram([Variable("$a$", tuple(HOSTILE))], HOSTILE, range(5)), {}),
    ]:
        whole = ElementTree.fromstring(svg(odd, **options))
        words = [t.text or t[0].tail for t in whole.iter(f"{SVG}text")]
        shapes = [e for tag in ("rect", "path", "circle", "polygon") for e in whole.iter(f"{SVG}{tag}")]
        (ax,) = figure(odd, **options).axes
        assert [t.get_text() for t in ax.texts] == words
        assert len(ax.patches) == len(shapes)
        assert (ax.get_xlim()[1], ax.get_ylim()[0]) == (float(whole.get("width")), float(whole.get("height")))
        for patch in ax.patches:
            corners = patch.get_path().vertices
            assert (corners >= -1).all()
            assert (corners <= [ax.get_xlim()[1] + 1, ax.get_ylim()[0] + 1]).all()


def test_a_figure_goes_into_the_axes_given(pregnancy):
    plain = pytest.importorskip("matplotlib.figure").Figure()
    left, right = plain.subplots(1, 2)
    assert figure(pregnancy, ax=right) is plain
    assert right.texts
    assert not left.texts


def test_a_file_is_drawn_as_its_name_says_and_always_the_same(pregnancy, tmp_path):
    pytest.importorskip("matplotlib")
    starts = {".svg": b"<svg", ".png": b"\x89PNG", ".pdf": b"%PDF", ".dot": b"digraph", ".txt": b"U"}
    for suffix, start in starts.items():
        for name in ("a", "b"):
            save(pregnancy, tmp_path / f"{name}{suffix}")
        first, second = ((tmp_path / f"{name}{suffix}").read_bytes() for name in "ab")
        assert first.startswith(start)
        assert first == second
    with pytest.raises(oddly.FormatError, match="expected a name that ends in"):
        save(pregnancy, tmp_path / "a.gif")


def test_without_matplotlib_a_figure_says_what_to_install(pregnancy, monkeypatch):
    for name in ("matplotlib", "matplotlib.figure"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(oddly.Unsupported, match=r"pip install 'oddly\[plots\]'"):
        figure(pregnancy)


# ---- answers in notebooks ----


def test_an_answer_is_shown_in_a_notebook_with_nothing_but_words():
    odd = diagram([Variable(HOSTILE[0], tuple(HOSTILE)), Variable("b", ("x", "y"))], HOSTILE[:2], [0, 1] * 5)
    other = diagram([Variable(HOSTILE[0], tuple(HOSTILE)), Variable("b", ("x", "y"))], HOSTILE[:2], [1, 1] * 5)
    shown = oddly.compare(odd, other)._repr_html_()
    whole = ElementTree.fromstring(shown)
    assert {e.tag for e in whole.iter()} <= {"div", "p", "table", "caption", "thead", "tbody", "tr", "th", "td"}
    assert "<script" not in shown
    assert repr(oddly.compare(odd, other)) == whole.findtext("p")


def test_every_kind_of_answer_has_a_table_where_one_fits():
    model = oddly.examples.pregnancy()
    for answer in (oddly.count(model), oddly.allowed(model), oddly.rounding(model), oddly.regimes(model)):
        whole = ElementTree.fromstring(answer._repr_html_())
        assert whole.findtext("p") == answer.sentence()
        assert all(
            row.findtext("th") or row.findtext("td") for table in whole.iter("table") for row in table.iter("tr")
        )
        assert next(whole.iter("tr"))


# ---- the documents ----


def test_the_pictures_of_the_documents_are_those_drawn_now(pregnancy):
    docs = Path(__file__).parents[1] / "docs"
    assert (docs / "pregnancy.svg").read_text() == svg(pregnancy)
    assert (docs / "gallery" / "path.svg").read_text() == svg(pregnancy, instance={"U": "+ve", "B": "-ve", "S": "+ve"})
    other = oddly.examples.pregnancy().replace(prior=["0.6", "0.4"])
    assert (docs / "gallery" / "against.svg").read_text() == svg(pregnancy, against=other)


def test_a_drawing_is_a_text_that_a_notebook_shows_as_a_picture(pregnancy):
    drawn = svg(pregnancy)
    assert drawn._repr_svg_() == drawn == str(drawn)
    assert isinstance(drawn, str)
    whole = ElementTree.fromstring(drawn)
    assert drawn.size == (float(whole.get("width")), float(whole.get("height")))
