# SPDX-License-Identifier: Apache-2.0
"""Model files: they read back equal, and a bad one is a clear error that names the place."""

import json
import os
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oddly
from file_strategies import binned, networks, scoreboards
from oddly import FormatError, OddlyError, Points, Scorecard
from oddly.formats import as_network, dropped, model_from_json, model_to_json, read_classifier
from oddly.model import Bins, Network, NetworkClassifier, Node, Scoreboard, Tally
from strategies import classifiers, naive_bayes, scorecards

FIGURE_1 = model_to_json(oddly.examples.pregnancy())


def changed(**changes):
    return json.dumps({**FIGURE_1, **changes})


def any_model():
    return classifiers() | scoreboards() | networks() | binned()


@given(model=any_model())
@settings(deadline=None)
def test_every_model_reads_back_equal(model):
    again = model_from_json(json.dumps(model_to_json(model)))
    assert again == model
    assert again.variables == model.variables  # the cut points too, which equality of models may not look at


def test_a_file_reads_back_equal(tmp_path):
    path = tmp_path / "figure1.json"
    oddly.write(oddly.examples.pregnancy(), path)
    assert oddly.read(path) == oddly.examples.pregnancy()
    assert oddly.compile(path) == oddly.compile(oddly.examples.pregnancy())


def test_json_numbers_are_their_decimal_text():
    text = changed(threshold=0.9).replace('"0.87"', "0.87").replace('"0.13"', "0.13")
    assert model_from_json(text) == oddly.examples.pregnancy()


def test_without_a_threshold_it_is_a_half():
    data = {k: v for k, v in FIGURE_1.items() if k != "threshold"}
    assert model_from_json(json.dumps(data)).threshold * 2 == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "m.json: an empty file"),
        ('{"format": "oddly-model",\n "version": 1,,}', "m.json:2:15"),
        ("[]", "m.json: not a model file"),
        ("[" * 100_000, "m.json: nested too deeply"),
        (changed(version=2), "m.json: version 2 of the format"),
        (changed(kind="forest"), "m.json: kind 'forest'; expected one of naive-bayes, scorecard, sum, network"),
        (changed(threshold="1.5"), "m.json: threshold: expected a probability, found 1.5"),
        (changed(threshold=float("nan")), "m.json: NaN is not a number"),
        (changed(treshold="0.5"), "m.json: model: unknown key 'treshold'"),
        (changed(attributes={}), "m.json: model: 'attributes' should be a list, found {}"),
        (changed(attributes=["U"]), "m.json: attribute 1: expected an object, found 'U'"),
        (changed(attributes=[{"name": "U"}]), "m.json: attribute U: 'values' is missing"),
        (changed(attributes=[{"name": "U", "values": []}]), "m.json: attribute U: 'given' is missing"),
        (changed(**{"class": {"name": "P", "values": ["yes", "no"]}}), "m.json: class: 'prior' is missing"),
        ('{"format": "oddly-model", "format": "x"}', "m.json: the key 'format' stands twice"),
    ],
)
def test_a_bad_file_is_an_error_that_names_the_place(text, message):
    with pytest.raises(OddlyError) as error:
        model_from_json(text, "m.json")
    assert message in str(error.value)


def test_a_syntax_error_shows_the_line_and_a_caret():
    with pytest.raises(FormatError) as error:
        model_from_json('{"format": "oddly-model",\n "version" 1}', "m.json")
    where, line, caret = str(error.value).split("\n")
    assert where.startswith("m.json:2:12  ")
    assert line[caret.index("^")] == "1"


@pytest.mark.parametrize("name", ["missing.json", "table.xlsx", "folder.json", "latin.json"])
def test_a_file_that_cannot_be_read_says_why(name, tmp_path):
    (tmp_path / "folder.json").mkdir()
    (tmp_path / "latin.json").write_bytes('{"é": 1}'.encode("latin-1"))
    with pytest.raises(FormatError, match=name):
        oddly.read(tmp_path / name)


def test_a_scorecard_file_reads():
    data = {
        "format": "oddly-model",
        "version": 1,
        "kind": "scorecard",
        "class": {"name": "loan", "values": ["grant", "refuse"], "positive": "grant"},
        "intercept": 1,
        "cutoff": 3.5,
        "attributes": [{"name": "age", "values": ["young", "old"], "points": [0, "5/2"]}],
    }
    card = model_from_json(json.dumps(data))
    assert oddly.compile(card).classify([{"age": "young"}, {"age": "old"}]).tolist() == ["refuse", "grant"]


SCHEMA = json.loads((Path(__file__).parents[1] / "docs" / "model.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)  # made once: validate() would check the schema every time


@given(model=any_model())
@settings(max_examples=40, deadline=None)
def test_what_is_written_fits_the_published_schema(model):
    VALIDATOR.validate(model_to_json(model))


def test_learned_models_fit_it_and_misspelt_keys_do_not():
    jsonschema.validate(model_to_json(oddly.examples.tic_tac_toe()), SCHEMA)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**FIGURE_1, "treshold": "0.5"}, SCHEMA)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**FIGURE_1, "threshold": "a half"}, SCHEMA)


# ---- networks ----

RAIN = Network(
    [
        Node("rain", ["yes", "no"], [], [["0.2", "0.8"]]),
        Node("wet", ["yes", "no"], ["rain"], [["0.9", "0.1"], ["0.1", "0.9"]]),
        Node("dark", ["yes", "no"], ["rain"], [["2/3", "1/3"], ["0.1", "0.9"]]),
        Node("mud", ["yes", "no"], ["wet", "rain"], [["0.7", "0.3"]] * 4),
    ],
    "garden",
)


def choices():
    return [
        NetworkClassifier(RAIN, "wet"),
        NetworkClassifier(RAIN, "rain", ["mud", "dark"], "no", "1/3", "negative"),
        NetworkClassifier(RAIN, "mud", ["dark"], evidence={"rain": "yes"}),
    ]


@pytest.mark.parametrize("model", choices(), ids=str)
def test_a_network_classifier_reads_back_equal(model):
    data = model_to_json(model)
    jsonschema.validate(data, SCHEMA)
    assert model_from_json(json.dumps(data)) == model


def test_a_network_without_a_classifier_entry_is_a_network_with_its_name():
    again = model_from_json(json.dumps(model_to_json(RAIN)))
    assert again == RAIN
    assert again.name == "garden"


@given(model=naive_bayes())
@settings(max_examples=30, deadline=None)
def test_a_naive_bayes_written_as_a_network_with_its_choice_reads_as_itself(model):
    chosen = NetworkClassifier(
        as_network(model),
        model.class_name,
        [a.name for a in model.attributes],
        model.positive,
        model.threshold,
        model.ties,
    )
    assert model_from_json(json.dumps(model_to_json(chosen))) == model


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"nodes": []}, "m.json: a network needs a variable"),
        ({"nodes": [3]}, "m.json: node 1: expected an object, found 3"),
        ({"nodes": [{"name": "a", "values": ["x"], "table": [["1"]], "parent": []}]}, "node a: unknown key 'parent'"),
        ({"nodes": [{"name": "a", "values": ["x"], "table": ["1"]}]}, "node a: 'table' should be a list of rows"),
        ({"nodes": [{"name": "a", "values": ["x"], "parents": [1], "table": [["1"]]}]}, "'parents' should hold texts"),
        ({"nodes": [{"name": "a", "values": ["x"], "parents": ["b"], "table": [["1"]]}]}, "its parent 'b' is no var"),
        ({"nodes": [{"name": "a", "values": ["x"], "table": [["0.9"]]}]}, "the probabilities sum to 0.9, not to 1"),
        ({"classifier": []}, "model: 'classifier' should be an object"),
        ({"classifier": {}}, "classifier: 'class' is missing"),
        ({"classifier": {"class": "snow"}}, "m.json: no variable 'snow'"),
        ({"classifier": {"class": "rain", "positive": "maybe"}}, "rain=maybe"),
        ({"classifier": {"class": "rain", "attributes": "wet"}}, "'attributes' should be a list"),
        ({"classifier": {"class": "rain", "evidence": {"wet": "maybe"}}}, "wet=maybe"),
        ({"name": 3}, "model: 'name' should be a text"),
    ],
)
def test_a_bad_network_is_an_error_that_names_the_place(change, message):
    with pytest.raises(OddlyError) as error:
        model_from_json(json.dumps({**model_to_json(RAIN), **change}), "m.json")
    assert message in str(error.value)


# ---- points per class, and cut points ----


def test_a_scorecard_of_three_classes_is_a_scoreboard():
    data = {
        "format": "oddly-model",
        "version": 1,
        "kind": "scorecard",
        "class": {"name": "day", "values": ["sun", "rain", "snow"]},
        "attributes": [{"name": "sky", "values": ["clear", "grey"], "points": [[2, 0, 0], [0, "1/3", 1]]}],
    }
    board = model_from_json(json.dumps(data))
    assert isinstance(board, Scoreboard)
    assert board.attributes[0].points[1][1] * 3 == 1
    with pytest.raises(OddlyError, match="the class with the most points wins"):
        model_from_json(json.dumps({**data, "cutoff": 3}))


def test_cut_points_are_read_exactly_and_checked():
    attribute = {
        "name": "age",
        "values": ["young", "old"],
        "points": [0, 1],
        "bins": {"cuts": [39.5], "closed": "right"},
    }
    data = {
        "format": "oddly-model",
        "version": 1,
        "kind": "scorecard",
        "class": {"name": "loan", "values": ["yes", "no"]},
        "cutoff": 1,
        "attributes": [attribute],
    }
    assert model_from_json(json.dumps(data)).variables[0].bins == Bins(["39.5"], "right")
    for bins, message in [
        ({"cuts": [2, 1]}, "attribute age: bins: cut points rise"),
        ({"cuts": [1, 2, 3]}, "3 cut points make 4 values"),
        ({"cuts": [1], "closed": "both"}, "closed is 'left' or 'right'"),
        ({"cuts": "x"}, "'cuts' should be a list"),
        ({"cut": [1]}, "unknown key 'cut'"),
    ]:
        with pytest.raises(OddlyError, match=message):
            model_from_json(json.dumps({**data, "attributes": [{**attribute, "bins": bins}]}))


# ---- scorecards as a table ----

CARD = """Attribute,Value,Points
age,18-29,0
,30-39,1.5
owner,no,-1/3
owner,yes,2
(intercept),,1
(cutoff),,3
(class),loan,
(negative),refuse,
(positive),grant,
"""


def written_as(text, path):
    path.write_text(text, encoding="utf-8")
    return path


def test_a_scorecard_table_reads_as_a_spreadsheet_has_it(tmp_path):
    card = oddly.read(written_as(CARD, tmp_path / "card.csv"))
    assert card == Scorecard(
        [Points("age", ["18-29", "30-39"], [0, "1.5"], Bins([30])), Points("owner", ["no", "yes"], ["-1/3", 2])],
        cutoff=3,
        intercept=1,
        class_name="loan",
        class_values=["refuse", "grant"],
        positive="grant",
    )
    semicolons = CARD.replace(",", ";")
    assert oddly.read(written_as(semicolons, tmp_path / "card2.csv")) == card


@given(card=scorecards(), positive=st.sampled_from(["yes", "no"]))
@settings(max_examples=40, deadline=None)
def test_every_scorecard_survives_its_table(card, positive, tmp_path_factory):
    path = tmp_path_factory.mktemp("csv") / "card.csv"
    card = card.replace(positive=positive)
    oddly.write(card, path)
    assert oddly.read(path) == card


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "an empty file"),
        ("age,owner,class\n1,2,3\n", "a table of data, not a model .* oddly learn"),
        ("attribute,value,points,note\n", "unknown column 'note'"),
        ("attribute,value,points\nage,x,1\n", "no cut-off; add a row"),
        ("attribute,value,points\nage,x\n", ":2  3 columns expected, found 2"),
        ("attribute,value,points\n,x,1\n", ":2  a row without an attribute"),
        ("attribute,value,points\nage,x,much\n", ":2  points: expected a number, found 'much'"),
        ("attribute;value;points\nage;x;1,5\n", "write 1.5, not 1,5"),
        ("attribute,value,points\nage,x,nan\n", "expected a number, found 'nan'"),
        ("attribute,value,points\nage,x,1\n(cutof),,1\n", r":3  an unknown row \(cutof\)"),
        ("attribute,value,points\n(cutoff),,1\n(cutoff),,2\n", r":3  \(cutoff\) stands twice"),
        ("attribute,value,points\n(cutoff),3,\n", "its number in the column points"),
        ("attribute,value,points\nage,x,1\nsex,m,1\nage,y,1\n(cutoff),,1\n", "'age' stands in two places"),
        ("attribute,value,points\nage,x,1\nage,x,2\n(cutoff),,1\n", "the value 'x' stands twice"),
        ("attribute,value,points\n(ties),none,\n(cutoff),,1\n", "expected 'positive' or 'negative'"),
    ],
)
def test_a_bad_table_says_what_is_wrong(text, message, tmp_path):
    with pytest.raises(FormatError, match=message):
        oddly.read(written_as(text, tmp_path / "card.csv"))


def test_what_a_table_cannot_hold_is_not_written(tmp_path):
    with pytest.raises(oddly.Unsupported, match="only a scorecard"):
        oddly.write(oddly.examples.pregnancy(), tmp_path / "p.csv")
    with pytest.raises(oddly.Unsupported, match=r"the attribute '\(age\)'"):
        oddly.write(Scorecard([Points("(age)", ["x"], [1])]), tmp_path / "p.csv")
    assert list(tmp_path.iterdir()) == []
    card = Scorecard([Points("age", ["young", "old"], [0, 1], Bins([40]))])
    assert dropped(card, "x.csv") == ["the cut points of numeric attributes; their labels are kept"]
    assert dropped(card, "x.json") == []


# ---- choosing what a network decides ----


def test_a_network_becomes_a_classifier_as_it_is_read(tmp_path):
    oddly.write(RAIN, tmp_path / "rain.json")
    wanted = RAIN.classifier("rain", "no", "1/3", ["dark"])
    again = oddly.read(tmp_path / "rain.json", class_="rain", positive="no", threshold="1/3", attributes=["dark"])
    assert again == wanted
    assert read_classifier(tmp_path / "rain.json", class_="rain").attributes == ("dark", "mud")


def test_a_network_whose_class_is_not_chosen_says_how_to(tmp_path):
    oddly.write(RAIN, tmp_path / "rain.json")
    with pytest.raises(oddly.ModelError, match=r"class_='rain' \(--class rain\).*leaves: dark, mud"):
        read_classifier(tmp_path / "rain.json")
    with pytest.raises(oddly.ModelError, match="which variable is the class"):
        oddly.read(tmp_path / "rain.json", threshold="1/3")


def test_a_choice_that_was_made_can_be_changed(tmp_path):
    oddly.write(NetworkClassifier(RAIN, "rain", ["mud", "wet"], "no", "1/3"), tmp_path / "rain.json")
    read = lambda **choice: read_classifier(tmp_path / "rain.json", **choice)  # noqa: E731
    assert read(threshold="0.9") == NetworkClassifier(RAIN, "rain", ["mud", "wet"], "no", "0.9")
    assert read(class_="rain", attributes=["mud"]) == NetworkClassifier(RAIN, "rain", ["mud"], "no", "1/3")
    assert read(class_="wet") == NetworkClassifier(RAIN, "wet")


def test_of_a_naive_bayes_too_but_not_of_a_scorecard(tmp_path):
    oddly.write(oddly.examples.pregnancy(), tmp_path / "p.json")
    model = oddly.read(tmp_path / "p.json", threshold="0.5", attributes=["S", "B"])
    assert [a.name for a in model.attributes] == ["S", "B"]
    assert model.threshold * 2 == 1
    with pytest.raises(oddly.UnknownName, match="no variable 'Q'"):
        oddly.read(tmp_path / "p.json", class_="Q")
    oddly.write(Scorecard([Points("age", ["x"], [1])]), tmp_path / "s.json")
    with pytest.raises(oddly.Unsupported, match="said by the model"):
        oddly.read(tmp_path / "s.json", threshold="0.5")


def test_the_files_that_the_page_shows_read(tmp_path):
    page = (Path(__file__).parents[1] / "docs" / "formats.md").read_text()
    shown = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    for text in shown:
        jsonschema.validate(json.loads(text), SCHEMA)
    assert [json.loads(text)["kind"] for text in shown] == ["sum", "network"]
    assert model_from_json(shown[0]).class_name == "loan"
    network = shown[1]
    assert model_from_json(network).class_name == "rain"
    (table,) = re.findall(r"```\n(attribute,.*?)```", page, re.DOTALL)
    card = oddly.read(written_as(table, tmp_path / "card.csv"))
    assert (card.class_name, card.cutoff, card.labels) == ("loan", 12, ("refuse", "grant"))


# ---- what the schema and the reader say of the same text ----

ATOMS = [None, True, 0, 1, -1, 0.5, 1e300, "", "x", "1", "1/2", " 0.5 ", "٣", "1/0", "1_0", "5.", "positive", "left"]
ATOMS += [[], {}, [[]], ["x"], [0.5, 0.5], [["0.5", "0.5"]], {"x": 1}]
KEYS = ["x", "bins", "ties", "positive", "cutoff", "intercept", "learned", "evidence", "threshold", "name", "closed"]
BINS = Bins([1, 2])
EACH_KIND = [
    FIGURE_1,
    model_to_json(oddly.learn([{"a": "x", "c": "p"}, {"a": "y", "c": "q"}], "c", alpha="1/3")),
    model_to_json(Scorecard([Points("n", BINS.labels, [1, 2, 3], BINS)], 1, ties="negative")),
    model_to_json(Scoreboard([Tally("n", [*BINS.labels, "?"], [[1, 2, 3]] * 4, BINS)], ["p", "q", "r"])),
    model_to_json(Scoreboard([Tally("a", ["x", "y"], [[1, 2], [0, 0]])], ["p", "q"])),
    model_to_json(RAIN),
    model_to_json(NetworkClassifier(RAIN, "wet", ["dark"], "no", "0.3", "negative", {"mud": "yes"})),
]
MEANING = (  # what no schema of JSON says: lengths that must agree, names that must be known, sums
    r"need|stands twice|rows$|no variable|cut points|points per value|count per class|sum to|no row for|is one of|"
    r"expected a probability|a number too|not negative|from 0 on|needs two|a row for|too large|Unicode|cycle|"
    r"attributes, evidence"
)


@given(data=st.data())
@settings(max_examples=400, deadline=None)
def test_the_schema_and_the_reader_agree(data):
    document = mutated(data, json.loads(json.dumps(data.draw(st.sampled_from(EACH_KIND)))))
    refused = why_refused(document)
    if VALIDATOR.is_valid(document):
        assert refused is None or re.search(MEANING, refused), document
    else:
        assert refused is not None, document


def why_refused(document):
    try:
        model_from_json(json.dumps(document))
    except OddlyError as error:
        return str(error)
    return None


def mutated(data, document):
    """The document with an entry replaced, left out, added or repeated."""
    *way, key = data.draw(st.sampled_from([place for place in places_in(document) if place]))
    parent = document
    for step in way:
        parent = parent[step]
    change = data.draw(st.sampled_from(["replace", "drop", "add"]))
    if change == "replace":
        parent[key] = data.draw(st.sampled_from(ATOMS))
    elif change == "drop":
        del parent[key]
    elif isinstance(parent, dict):
        parent[data.draw(st.sampled_from(KEYS))] = data.draw(st.sampled_from(ATOMS))
    else:
        parent.append(parent[key])
    return document


def places_in(document, way=()):
    yield way
    entries = document if isinstance(document, dict) else range(len(document)) if isinstance(document, list) else ()
    for key in entries:
        yield from places_in(document[key], (*way, key))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"name": "U"', '"name": 1', "'name' should be a text, found 1"),
        ('"values": ["+ve", "-ve"]', '"values": [0, 1]', 'attribute U: values are texts, found 0; write "0"'),
        ('"positive": "yes"', '"positive": 1', "class: 'positive' should be a text, found 1"),
        ('"version": 1', '"version": "1"', "version '1' of the format"),
    ],
)
def test_a_name_or_a_label_is_a_text_and_a_version_a_number(old, new, message):
    with pytest.raises(OddlyError, match=re.escape(message)):
        model_from_json(json.dumps(FIGURE_1).replace(old, new))


# ---- choosing again ----


def test_a_naive_bayes_is_a_network_of_which_another_variable_can_be_asked(tmp_path):
    oddly.write(oddly.examples.pregnancy(), tmp_path / "p.json")
    oddly.write(oddly.examples.pregnancy(), tmp_path / "p.bif")
    choice = {"class_": "U", "attributes": ["B", "S"]}
    again = oddly.read(tmp_path / "p.json", **choice)
    assert again == oddly.read(tmp_path / "p.bif", **choice)
    assert repr(again) == "Network classifier: U=+ve if Pr >= 0.5, from 2 attributes (B, S), 1 hidden"


def test_what_is_known_stays_when_another_class_is_chosen(tmp_path):
    oddly.write(NetworkClassifier(RAIN, "wet", ["mud"], evidence={"dark": "yes"}), tmp_path / "r.json")
    again = oddly.read(tmp_path / "r.json", class_="rain")
    assert again.evidence == (("dark", "yes"),)


def test_a_choice_that_leaves_a_naive_bayes_is_one(tmp_path):
    oddly.write(NetworkClassifier(RAIN, "rain", ["mud", "dark"]), tmp_path / "r.json")
    again = oddly.read(tmp_path / "r.json", attributes=["dark"])
    assert again == RAIN.classifier("rain", attributes=["dark"])
    assert isinstance(again, oddly.NaiveBayes)


def test_counts_stay_with_the_attributes_that_stay(tmp_path):
    rows = [{"a": "x", "b": "u", "c": "p"}, {"a": "y", "b": None, "c": "q"}, {"a": "x", "b": "v", "c": "q"}]
    oddly.write(oddly.learn(rows, "c"), tmp_path / "m.json")
    alone = oddly.learn([{"b": row["b"], "c": row["c"]} for row in rows], "c")
    chosen = oddly.read(tmp_path / "m.json", attributes=["b"])
    assert (chosen, chosen.learned) == (alone, alone.learned)


@pytest.mark.parametrize("suffix", [".json", ".bif", ".net", ".xmlbif", ".xdsl"])
@given(data=st.data())
@settings(max_examples=10, deadline=None)
def test_a_naive_bayes_is_recognised_in_any_order_among_variables_that_do_not_matter(data, suffix, tmp_path_factory):
    model = data.draw(naive_bayes(zeros=False)).rounded(6)
    nodes = list(as_network(model).nodes)
    barren = [
        Node(f"below{i}", ["u", "v"], [node.name], [["0.5", "0.5"]] * len(node.values)) for i, node in enumerate(nodes)
    ]
    path = tmp_path_factory.mktemp("order") / f"x{suffix}"
    oddly.write(Network(data.draw(st.permutations([*nodes, *barren]))), path)
    kept = (
        data.draw(st.lists(st.sampled_from(model.attributes), unique_by=lambda a: a.name)) if model.attributes else []
    )
    found = oddly.read(
        path, class_="C", positive=model.positive, threshold=model.threshold, attributes=[a.name for a in kept]
    )
    assert found == model.replace(attributes=kept, ties="positive")


# ---- writing ----


def test_a_pipe_is_written_to_as_it_is(tmp_path):
    pipe = tmp_path / "pipe.json"
    os.mkfifo(pipe)
    with ThreadPoolExecutor() as pool:
        told = pool.submit(pipe.read_text)
        oddly.write(oddly.examples.pregnancy(), pipe)
        assert model_from_json(told.result(10)) == oddly.examples.pregnancy()


def test_a_name_of_full_length_can_be_written_and_nothing_is_left_beside_it(tmp_path):
    path = tmp_path / ("x" * 250 + ".json")
    oddly.write(oddly.examples.pregnancy(), path)
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(FormatError, match="not a name of a file"):
        oddly.write(oddly.examples.pregnancy(), str(tmp_path / "a\0b.json"))
    with pytest.raises(FormatError, match="a diagram, not a model"):
        oddly.write(oddly.examples.pregnancy(), tmp_path / "x.odd")
    with pytest.raises(FormatError, match="a directory, not a file"):
        oddly.read(tmp_path)
