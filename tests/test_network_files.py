# SPDX-License-Identifier: Apache-2.0
"""Network files: every published network survives every format, other programs read what we write and we what they do."""

import itertools
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oddly
from file_strategies import ANY_NAMES, PLAIN_NAMES, decimal_rows, networks
from oddly import FormatError, OddlyError, Unsupported
from oddly.formats import as_network, dropped
from oddly.model import Bins, Network, NetworkClassifier, Node
from strategies import naive_bayes

DATA = Path(__file__).parents[2] / "shared" / "data" / "networks"
needs_data = pytest.mark.skipif(
    not DATA.is_dir(), reason="the networks of the reference data are not beside the project"
)
FORMATS = [".bif", ".net", ".xmlbif", ".xdsl", ".uai", ".json"]

RAIN = Network(
    [
        Node("rain", ["yes", "no"], [], [["0.2", "0.8"]]),
        Node("wind", ["calm", "fair", "storm"], ["rain"], [["0.1", "0.2", "0.7"], ["0.5", "0.25", "0.25"]]),
        Node("wet", ["yes", "no"], ["wind", "rain"], [[f"0.{i}", f"0.{10 - i}"] for i in range(1, 7)]),
    ]
)


def there_and_back(network, path):
    oddly.write(network, path)
    return oddly.read(path)


def without_names(network):
    """The network as a file without names has it."""
    places = {node.name: f"x{i}" for i, node in enumerate(network.nodes)}
    return Network(
        Node(places[n.name], [str(i) for i in range(len(n.values))], [places[p] for p in n.parents], n.table)
        for n in network.nodes
    )


def same(again, network, suffix):
    if suffix == ".uai":
        return again == without_names(network)
    if suffix == ".xdsl":  # parents come first there
        return {n.name: n for n in again.nodes} == {n.name: n for n in network.nodes}
    return again == network


def read_text(text, path):
    path.write_text(text, encoding="utf-8")
    return oddly.read(path)


# ---- what is written reads again equal ----


@needs_data
@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("name", sorted(path.stem for path in DATA.glob("*.bif")))
def test_every_published_network_survives_every_format(name, suffix, tmp_path):
    network = oddly.read(DATA / f"{name}.bif")
    assert same(there_and_back(network, tmp_path / f"x{suffix}"), network, suffix)


@needs_data
@pytest.mark.parametrize(
    ("name", "variables", "arcs"),
    [("asia", 8, 8), ("alarm", 37, 46), ("hailfinder", 56, 66), ("hepar2", 70, 123), ("andes", 223, 338)],
)
def test_the_published_sizes_are_found(name, variables, arcs):
    network = oddly.read(DATA / f"{name}.bif")
    assert (len(network.nodes), sum(len(node.parents) for node in network.nodes)) == (variables, arcs)


@pytest.mark.parametrize("suffix", FORMATS)
@given(network=networks(PLAIN_NAMES, ANY_NAMES.filter(lambda v: v == v.strip() and v.isprintable()), decimal_rows))
@settings(max_examples=25, deadline=None)
def test_every_network_survives_every_format(network, suffix, tmp_path_factory):
    path = tmp_path_factory.mktemp("net") / f"x{suffix}"
    if suffix == ".bif" and any('"' in value for node in network.nodes for value in node.values):
        with pytest.raises(Unsupported, match='"'):  # a quote ends a name there
            oddly.write(network, path)
    else:
        assert same(there_and_back(network, path), network, suffix)


@pytest.mark.parametrize("suffix", FORMATS)
@given(network=networks())
@settings(max_examples=25, deadline=None)
def test_any_names_and_numbers_survive_or_are_refused(network, suffix, tmp_path_factory):
    path = tmp_path_factory.mktemp("net") / f"x{suffix}"
    try:
        oddly.write(network, path)
    except Unsupported:
        assert suffix != ".json"
        return
    assert same(oddly.read(path), network, suffix)


@pytest.mark.parametrize("suffix", [".bif", ".net", ".xmlbif", ".xdsl"])
@given(model=naive_bayes())
@settings(max_examples=10, deadline=None)
def test_a_naive_bayes_comes_back_from_a_network_once_its_class_is_chosen(model, suffix, tmp_path_factory):
    path = tmp_path_factory.mktemp("nb") / f"x{suffix}"
    model = model.rounded(8)
    oddly.write(model, path)
    assert any("choice of C as class" in note for note in dropped(model, path))
    names = [a.name for a in model.attributes]
    again = oddly.read(path).classifier("C", model.positive, model.threshold, names, model.ties)
    assert again == model


def test_digits_are_kept_exactly_as_written(tmp_path):
    tiny, third = "0.1234567890123456789012345678901234567890", "1e-30"
    rest = str(1 - Fraction(tiny) - Fraction(third))
    row = [tiny, third, f"{Fraction(rest).numerator}/{Fraction(rest).denominator}"]
    network = Network([Node("a", ["x", "y", "z"], [], [row])])
    for suffix in FORMATS:
        again = there_and_back(network, tmp_path / f"x{suffix}").nodes[0].table[0]
        assert again[:2] == (Fraction(tiny), Fraction(1, 10**30))


def test_what_is_no_decimal_is_refused_and_named_or_rounded_knowingly(tmp_path):
    model = oddly.NaiveBayes("C", ["yes", "no"], ["1/3", "2/3"], [oddly.CPT("A", ["v"], {"yes": [1], "no": [1]})])
    for suffix in (".bif", ".net", ".xmlbif", ".xdsl", ".uai"):
        with pytest.raises(Unsupported, match=rf"x\{suffix}: C: 1/3 has no decimal that ends.*--digits 12"):
            oddly.write(model, tmp_path / f"x{suffix}")
    assert list(tmp_path.iterdir()) == []
    oddly.write(model, tmp_path / "x.bif", digits=3)
    assert oddly.read(tmp_path / "x.bif").node("C").table == ((Fraction(333, 1000), Fraction(667, 1000)),)


def test_rounding_keeps_rows_whole_and_refuses_to_make_a_zero(tmp_path):
    network = Network([Node("a", ["x", "y", "z"], [], [["1/3", "1/3", "1/3"]])])
    oddly.write(network, tmp_path / "x.bif", digits=2)
    assert oddly.read(tmp_path / "x.bif").nodes[0].table[0] == (Fraction(34, 100), Fraction(33, 100), Fraction(33, 100))
    small = Network([Node("a", ["x", "y"], [], [["1/1000", "999/1000"]])])
    with pytest.raises(Unsupported, match="0.001 would be rounded to zero"):
        oddly.write(small, tmp_path / "x.bif", digits=2)


def test_what_a_format_has_no_place_for_is_named():
    choice = NetworkClassifier(RAIN, "rain", ["wet"])
    assert dropped(RAIN, "x.bif") == []
    assert "choice of rain as class" in dropped(choice, "x.bif")[0]
    assert dropped(choice, "x.json") == []
    assert "the counts it was learned from" in dropped(oddly.examples.tic_tac_toe(), "x.bif")
    assert "the names of variables" in dropped(RAIN, "x.uai")[0]
    backwards = Network(reversed(RAIN.nodes))
    assert "parents are written first" in dropped(backwards, "x.xdsl")[0]
    cut = Network([Node("age", ["low", "high"], [], [["0.5", "0.5"]], Bins([40]))])
    assert "cut points" in dropped(cut, "x.net")[0]


@pytest.mark.parametrize(
    ("suffix", "name", "value", "message"),
    [
        (".bif", 'a"b', "x", "'a\"b' cannot be written in a .bif file"),
        (".net", "a b", "x", "'a b' cannot be written in a .net file"),
        (".net", "a", "x\ny", "cannot be written in a .net file"),
        (".xdsl", "a b", "x", "'a b' cannot be written in a .xdsl file"),
        (".xmlbif", " a", "x", "' a' cannot be written"),
        (".xmlbif", "a", "\x01", "a character that XML has no way to write"),
    ],
)
def test_a_name_that_a_format_cannot_say_is_refused_and_named(suffix, name, value, message, tmp_path):
    network = Network([Node(name, [value, "other"], [], [["0.5", "0.5"]])])
    with pytest.raises(Unsupported) as error:
        oddly.write(network, tmp_path / f"x{suffix}")
    assert message in str(error.value)


def test_points_are_no_probabilities(tmp_path):
    with pytest.raises(Unsupported, match="not points"):
        oddly.write(oddly.Scorecard([oddly.Points("age", ["x"], [1])]), tmp_path / "x.bif")
    with pytest.raises(FormatError, match="a .txt file; write .json"):
        oddly.write(RAIN, tmp_path / "x.txt")


# ---- each format, as others write it ----

DOG = """
network "Dog-Problem" { // by hand
  property author = "someone; or other";
}
probability ( "light-on" "family-out" ) { //2 variables and 4 values
  table 0.6 0.05 0.4 0.95 ;
}
variable "family-out" { //2 values
  type discrete[2] {  "true"  "false" };
  property position = (112, 69) ;
}
/* the variables may come
   later than the tables */
variable  "light-on" { type discrete[2] {  "true"  "false" }; }
variable type { type discrete [ 3 ] { 0, <5, >=5 }; }
probability ( "family-out" ) { table 0.15 0.85 ; }
probability ( type | light-on, family-out ) {
  (false, true) 0.1, 0.2, 0.7;
  default .5, 5e-1, 0;
  (true, true) 1, 0, 0;
}
"""


def test_bif_with_tables_defaults_quotes_comments_and_properties(tmp_path):
    network = read_text(DOG, tmp_path / "dog.bif")
    assert network.name == "Dog-Problem"
    assert [node.name for node in network.nodes] == ["family-out", "light-on", "type"]
    light = network.node("light-on")
    assert light.parents == ("family-out",)
    assert [[str(p) for p in row] for row in light.table] == [["3/5", "2/5"], ["1/20", "19/20"]]
    half = (Fraction(1, 2), Fraction(1, 2), 0)
    assert network.node("type").values == ("0", "<5", ">=5")
    assert network.node("type").table == ((1, 0, 0), half, (Fraction(1, 10), Fraction(1, 5), Fraction(7, 10)), half)


HUGIN = """
class Weather
{
    inputs = ();
    node_size = (80 40);
    node rain { label = "Is it raining; or not? }"; position = (1 2); states = ("yes" "no"); HR_State_0 = "x"; }
    discrete node wind { states = (calm "a \\"fair\\" one" storm); }
    potential (rain) { data = ( 0.2 0.8 ); }
    potential (wind | rain) { data = ((0.1 0.2 0.7)   % rain=yes
                                      (0.5 0.25 0.25)); % rain=no
    }
}
"""


def test_hugin_with_a_class_layout_labels_and_comments(tmp_path):
    network = read_text(HUGIN, tmp_path / "w.net")
    assert network.node("wind").values == ("calm", 'a "fair" one', "storm")
    assert network.node("wind").table == RAIN.node("wind").table
    flat = 'net {} node rain { states = ("yes" "no"); } potential (rain | ) { data = (0.2 0.8); }'
    assert read_text(flat, tmp_path / "r.net").nodes == RAIN.nodes[:1]


def test_uai_as_its_page_shows_it(tmp_path):
    text = "BAYES\n3\n2 2 3\n3\n1 0\n2 0 1\n3 1 0 2\n\n2\n 0.436 0.564\n\n4\n 0.128 0.872\n 0.920 0.080\n\n12\n"
    text += " 0.2 0.3 0.5\n 0.1 0.1 0.8\n 0.3 0.3 0.4\n 0.6 0.2 0.2  # a comment\n"
    network = read_text(text, tmp_path / "n.uai")
    assert [node.name for node in network.nodes] == ["x0", "x1", "x2"]
    assert network.node("x2").parents == ("x1", "x0")
    assert network.node("x2").table[1] == (Fraction(1, 10), Fraction(1, 10), Fraction(4, 5))  # x1=0, x0=1


def test_xmlbif_with_its_type_definition(tmp_path):
    text = """<?xml version="1.0" encoding="US-ASCII"?>
<!DOCTYPE BIF [ <!ELEMENT BIF ( NETWORK )*> <!ATTLIST BIF VERSION CDATA #REQUIRED> ]>
<BIF VERSION="0.3"><NETWORK><NAME>Dog &amp; Co</NAME>
<VARIABLE TYPE="nature"><NAME>out</NAME><OUTCOME>t</OUTCOME><OUTCOME>f</OUTCOME><PROPERTY>x</PROPERTY></VARIABLE>
<VARIABLE><NAME>light</NAME><OUTCOME>t</OUTCOME><OUTCOME>f</OUTCOME></VARIABLE>
<DEFINITION><FOR>light</FOR><GIVEN>out</GIVEN><TABLE>0.6 0.4 <!-- not out --> 0.05 0.95</TABLE></DEFINITION>
<DEFINITION><FOR>out</FOR><TABLE>0.15 0.85</TABLE></DEFINITION></NETWORK></BIF>"""
    network = read_text(text, tmp_path / "dog.xml")
    assert network.name == "Dog & Co"
    assert [[str(p) for p in row] for row in network.node("light").table] == [["3/5", "2/5"], ["1/20", "19/20"]]


def test_xdsl_with_a_deterministic_node(tmp_path):
    text = """<?xml version="1.0" encoding="ISO-8859-1"?>
<smile version="1.0" id="Net" numsamples="1000"><nodes>
<cpt id="a"><state id="t" label="x" /><state id="f" /><probabilities>0.25 0.75</probabilities></cpt>
<cpt id="b"><state id="t" /><state id="f" /><probabilities>0.5 0.5</probabilities></cpt>
<deterministic id="and"><state id="t" /><state id="f" /><parents>a b</parents>
<resultingstates>t f f f</resultingstates></deterministic>
</nodes><extensions><genie version="1.0"><node id="a"><name>é</name></node></genie></extensions></smile>"""
    (tmp_path / "n.xdsl").write_bytes(text.encode("latin-1"))
    network = oddly.read(tmp_path / "n.xdsl")
    assert network.node("and").table == ((1, 0), (0, 1), (0, 1), (0, 1))


# ---- other programs ----


def numbers(network):
    """Every probability by variable, parents' values and value: the order of parents does not matter."""
    return {
        (n.name, frozenset(zip(n.parents, combination, strict=True)), v): float(p)
        for n in network.nodes
        for combination, row in zip(
            itertools.product(*(network.node(p).values for p in n.parents)), n.table, strict=True
        )
        for v, p in zip(n.values, row, strict=True)
    }


def agrum_numbers(bn):
    found = {}
    for name in bn.names():
        table = bn.cpt(name)
        parents = [other for other in table.names if other != name]
        for values in itertools.product(*(bn.variable(p).labels() for p in parents)):
            for value in bn.variable(name).labels():
                at = {**dict(zip(parents, values, strict=True)), name: value}
                found[name, frozenset(zip(parents, values, strict=True)), value] = float(table[at])
    return found


def in_agrum(gum, network):
    bn = gum.BayesNet("t")
    for node in network.nodes:
        bn.add(gum.LabelizedVariable(node.name, node.name, list(node.values)))
    for node in network.nodes:
        for parent in node.parents:
            bn.addArc(parent, node.name)
    for (name, given_, value), p in numbers(network).items():
        bn.cpt(name)[{**dict(given_), name: value}] = p
    return bn


@pytest.mark.parametrize("suffix", [".bif", ".net", ".bifxml"])
def test_agrum_reads_what_we_write_and_we_what_it_writes(suffix, tmp_path):
    gum = pytest.importorskip("pyagrum", reason="pyAgrum is not installed")
    oddly.write(RAIN, tmp_path / f"ours{suffix}")
    theirs = agrum_numbers(gum.loadBN(str(tmp_path / f"ours{suffix}")))
    assert theirs == pytest.approx(numbers(RAIN), abs=1e-6)  # it keeps 32 bits
    gum.saveBN(in_agrum(gum, RAIN), str(tmp_path / f"theirs{suffix}"))
    assert numbers(oddly.read(tmp_path / f"theirs{suffix}")) == pytest.approx(numbers(RAIN), abs=1e-6)


@pytest.mark.parametrize("suffix", [".xdsl", ".uai"])
def test_agrum_agrees_on_one_parent_where_it_has_several_the_other_way_round(suffix, tmp_path):
    """Its .xdsl and .uai files let the first parent change fastest, unlike those formats' own pages."""
    gum = pytest.importorskip("pyagrum", reason="pyAgrum is not installed")
    chain = Network(RAIN.nodes[:2])
    gum.saveBN(in_agrum(gum, chain), str(tmp_path / f"theirs{suffix}"))
    assert same(oddly.read(tmp_path / f"theirs{suffix}"), chain, suffix)
    if suffix == ".xdsl":
        oddly.write(chain, tmp_path / "ours.xdsl")
        assert agrum_numbers(gum.loadBN(str(tmp_path / "ours.xdsl"))) == pytest.approx(numbers(chain), abs=1e-6)


@pytest.mark.parametrize("suffix", [".bif", ".net", ".xmlbif", ".xdsl"])
def test_pgmpy_reads_what_we_write(suffix, tmp_path):
    formats = pytest.importorskip("pgmpy.readwrite", reason="pgmpy is not installed")
    oddly.write(RAIN, tmp_path / f"ours{suffix}")
    reader = {".bif": "BIF", ".net": "NET", ".xmlbif": "XMLBIF", ".xdsl": "XDSL"}[suffix]
    model = getattr(formats, f"{reader}Reader")(str(tmp_path / f"ours{suffix}")).get_model()
    for (name, given_, value), p in numbers(RAIN).items():
        assert model.get_cpds(name).get_value(**{name: value}, **dict(given_)) == pytest.approx(p)


# ---- the same model, whatever the file ----


@given(network=networks(PLAIN_NAMES, PLAIN_NAMES, decimal_rows), data=st.data())
@settings(max_examples=15, deadline=None)
def test_all_formats_say_the_same(network, data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("same")
    first, second = data.draw(st.permutations([".bif", ".net", ".xmlbif", ".json"]))[:2]
    between = there_and_back(network, folder / f"a{first}")
    assert there_and_back(between, folder / f"b{second}") == network
    assert as_network(between) is between


def test_an_error_is_one_of_ours_for_any_text(tmp_path):
    for suffix in (".bif", ".net", ".uai", ".xmlbif", ".xdsl"):
        with pytest.raises(OddlyError, match=rf"x\{suffix}"):
            read_text("what is this?", tmp_path / f"x{suffix}")
