# SPDX-License-Identifier: Apache-2.0
"""Tables where they are: every engine's counts give the models that memory gives."""

import random

import pytest

import oddly
from engines import HERE, held_by
from servers import postgres  # noqa: F401

pa = pytest.importorskip("pyarrow")

STRANGE = 'a "quoted" one'


def table(n=300):
    """Texts with spaces and gaps, whole numbers, short floats that may be no number, truth values; some without a class."""
    draw = random.Random(4)
    classes = [draw.choice("yn") for _ in range(n)]
    columns = {
        STRANGE: pa.array([draw.choice(["x", " x ", "y, z", "?", None, "it's", 'say "hi"']) for _ in classes]),
        "select": pa.array([draw.choice([1, 2, 10]) for _ in classes]),
        "weight": pa.array(
            [round(draw.gauss(c == "y", 1), 2) if draw.random() < 0.9 else float("nan") for c in classes], pa.float32()
        ),
        "Größe": pa.array([draw.choice([True, False]) for _ in classes]),
        "always": pa.array(["one"] * n),
        "class": pa.array([c if draw.random() < 0.95 else draw.choice(["", None]) for c in classes]),
    }
    return pa.table(columns)


@pytest.fixture(scope="module", params=[*HERE, "postgres"])
def held(request, tmp_path_factory):
    server = request.getfixturevalue("postgres") if request.param == "postgres" else None
    return held_by(request.param, table(), tmp_path_factory.mktemp("it's here"), server)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"missing": "drop", "alpha": "1/2"},
        {"missing": "value", "bins": {"*": "frequency:4"}},
        {"structure": "tan", "alpha": 1},
        {"structure": "tan", "missing": "value"},
        {"structure": "kdb", "k": 2, "missing": "drop"},
        {"structure": "kdb", "k": 3, "missing": "value", "missing_text": ["it's", "10"]},
        {"bins": {"*": [0, "0.5"]}, "leave_out": ["select"], "values": {"Größe": ["False", "maybe", "True"]}},
    ],
    ids=str,
)
def test_an_engine_learns_what_memory_learns(held, options):
    options = {"bins": "mdl", **options}
    found, expected = oddly.learn(held, "class", "y", **options), oddly.learn(table(), "class", "y", **options)
    assert found == expected
    assert getattr(found, "learned", None) == getattr(expected, "learned", None)
    assert found.learned_columns == expected.learned_columns


def test_what_does_not_fit_is_a_sentence_in_every_engine(held, tmp_path):
    with pytest.raises(oddly.UnknownName, match="no column 'clas'.  Did you mean 'class'"):
        oddly.learn(held, "clas", bins="mdl")
    with pytest.raises(oddly.ModelError, match="measurements, it seems"):
        oddly.learn(held, "class")
    with pytest.raises(oddly.FormatError, match="a folder without a .parquet file"):
        oddly.learn(tmp_path, "class")
    (tmp_path / "bad.parquet").write_text("not really")
    with pytest.raises(oddly.FormatError, match=r"bad.parquet|magic bytes"):
        oddly.learn(tmp_path, "class")
