# SPDX-License-Identifier: Apache-2.0
"""Model files: they read back equal, and a bad one is a clear error that names the place."""

import json
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given, settings

import oddly
from oddly import FormatError, OddlyError
from oddly.formats import model_from_json, model_to_json
from strategies import classifiers

FIGURE_1 = model_to_json(oddly.examples.pregnancy())


def changed(**changes):
    return json.dumps({**FIGURE_1, **changes})


@given(model=classifiers())
@settings(deadline=None)
def test_every_model_reads_back_equal(model):
    assert model_from_json(json.dumps(model_to_json(model))) == model


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
        ("", "m.json:1:1  Expecting value"),
        ('{"format": "oddly-model",\n "version": 1,,}', "m.json:2:15"),
        ("[]", "m.json: not a model file"),
        ("[" * 100_000, "m.json: nested too deeply"),
        (changed(version=2), "m.json: version 2 of the format"),
        (changed(kind="forest"), "m.json: kind 'forest'; expected one of naive-bayes, scorecard"),
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


@given(model=classifiers())
@settings(max_examples=40, deadline=None)
def test_what_is_written_fits_the_published_schema(model):
    jsonschema.validate(model_to_json(model), SCHEMA)


def test_learned_models_fit_it_and_misspelt_keys_do_not():
    jsonschema.validate(model_to_json(oddly.examples.tic_tac_toe()), SCHEMA)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**FIGURE_1, "treshold": "0.5"}, SCHEMA)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**FIGURE_1, "threshold": "a half"}, SCHEMA)
