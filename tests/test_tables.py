# SPDX-License-Identifier: Apache-2.0
"""Tables of every kind read alike: files, frames, arrays, mappings."""

import gzip
import re
import sys
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oddly
from oddly.learning import files, read_columns, read_table
from oddly.model import Bins

NAMES = ["code", "name", "share", "kind"]
CELLS = {
    "code": [1, 2, 10, 2, None],
    "name": ["a, b", "it's", None, 'say "hi"', " spaced "],
    "share": [0.1, 2.0, 2.5, None, 0.1],
    "kind": ["x", "y", "x", "y", "x"],
}
TEXTS = {
    "code": ["1", "2", "10", "2", None],
    "name": ["a, b", "it's", None, 'say "hi"', "spaced"],
    "share": ["0.1", "2", "2.5", None, "0.1"],
    "kind": ["x", "y", "x", "y", "x"],
}
CSV = 'code,name,share,kind\n1,"a, b",0.1,x\n2,it\'s,2,y\n10,,2.5,x\n2,"say ""hi""",?,y\n, spaced ,0.1,x\n'
ARFF = """% a comment
@RELATION 'odd one'
@attribute code integer
@attribute 'name' string
@attribute share REAL
@attribute kind {x, 'y', "never seen"}

@data
1, 'a, b', 0.1, x
2, "it's", 2, y
% another
10, ?, 2.5, x
2, 'say "hi"', ?, 'y'
?, ' spaced ', 0.1, x
"""


def put(path, text):
    path.write_text(text, newline="")
    return path


def kinds(tmp_path):
    frame = pd.DataFrame(CELLS)
    yield "mapping", CELLS
    yield "rows", [dict(zip(CELLS, row, strict=True)) for row in zip(*CELLS.values(), strict=True)]
    yield "pandas", frame
    yield "pandas objects", frame.astype(object)
    yield "pandas nullable", frame.convert_dtypes()
    yield "polars", pl.DataFrame(CELLS)
    yield "csv", put(tmp_path / "t.csv", CSV)
    yield "csv, Windows", put(tmp_path / "w.csv", "\ufeff" + CSV.replace("\n", "\r\n"))
    yield "csv, semicolons", put(tmp_path / "s.csv", CSV.replace(",", ";").replace("a; b", "a, b"))
    yield "tsv", put(tmp_path / "t.tsv", CSV.replace(",", "\t").replace("a\t b", "a, b"))
    yield "arff", put(tmp_path / "t.arff", ARFF)
    mixed = np.array([*zip(*CELLS.values(), strict=True)], object)
    types = [("code", object), ("name", object), ("share", float), ("kind", "U1")]
    yield "structured array", np.array([tuple(row) for row in mixed], types)


def test_every_kind_of_table_reads_alike(tmp_path):
    for kind, table in kinds(tmp_path):
        assert read_table(table) == TEXTS, kind


def test_arrow_tables_and_files_read_alike(tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import feather, parquet

    table = pa.table(CELLS)
    parquet.write_table(table, tmp_path / "t.parquet")
    feather.write_feather(table, tmp_path / "t.feather")
    coded = pa.table({name: pa.array(cells).dictionary_encode() for name, cells in CELLS.items()})
    halves = pa.concat_tables([table.slice(0, 2), table.slice(2)])
    for kind in (table, coded, halves, tmp_path / "t.parquet", tmp_path / "t.feather"):
        assert read_table(kind) == TEXTS


def test_a_plain_array_needs_names():
    codes = np.array([[1, 0], [2, 1], [2, 0]])
    assert read_columns(codes, ["a", "c"])["a"].texts == ("1", "2")
    by_name = oddly.learn({"a": [1, 2, 2], "c": [0, 1, 0]}, "c")
    assert oddly.learn(codes, "c", columns=["a", "c"]) == by_name
    with pytest.raises(oddly.ModelError, match="give columns="):
        oddly.learn(codes, "c")
    with pytest.raises(oddly.ModelError, match="expected 2 different names, found a, a"):
        oddly.learn(codes, "a", columns=["a", "a"])


def test_numbers_of_32_bits_are_their_own_shortest_decimals():
    narrow = np.array([0.1, 2.5, np.nan], np.float32)
    for table in ({"x": narrow}, pd.DataFrame({"x": narrow}), pl.DataFrame({"x": narrow})):
        assert read_table(table) == {"x": ["0.1", "2.5", None]}


def test_truth_values_and_numbers_stay_apart():
    assert read_table([{"a": v} for v in (True, 1, 1.0, "1", "True", 0.0)])["a"] == ["True", "1", "1", "1", "True", "0"]


# ---- what a type declares ----


def declaring():
    yield pd.DataFrame({"a": pd.Categorical(["s", "l"], ["s", "m", "l"], ordered=True), "c": ["0", "1"]}), "sml"
    yield pd.DataFrame({"a": pd.Categorical(["s", "l"], ["s", "m", "l"]), "c": ["0", "1"]}), "lms"
    yield pl.DataFrame({"a": pl.Series(["s", "l"], dtype=pl.Enum(["s", "m", "l"])), "c": ["0", "1"]}), "sml"
    yield pl.DataFrame({"a": pl.Series(["s", "l"], dtype=pl.Categorical), "c": ["0", "1"]}), "ls"


def test_categories_are_declared_values_and_keep_an_order_that_means_something():
    for table, values in declaring():
        assert oddly.learn(table, "c", alpha=1).attributes[0].values == tuple(values)
        assert set(oddly.learn(table, "c").attributes[0].values) == {"s", "l"}


def test_an_arrow_dictionary_and_a_nominal_attribute_declare_values(tmp_path):
    text = "@relation r\n@attribute a {s,m,l}\n@attribute c {1,0}\n@data\ns,0\nl,1\n"
    model = oddly.learn(put(tmp_path / "t.arff", text), "c", alpha=1)
    assert (model.attributes[0].values, model.class_values) == (("s", "m", "l"), ("1", "0"))
    pa = pytest.importorskip("pyarrow")
    a = pa.DictionaryArray.from_arrays(pa.array([0, 2]), pa.array(["s", "m", "l"]))
    assert oddly.learn(pa.table({"a": a, "c": ["0", "1"]}), "c", alpha=1).attributes[0].values == ("l", "m", "s")


def test_categories_that_are_numbers_are_labels():
    table = pd.DataFrame({"a": pd.Categorical([0.5, 1.5]), "c": ["x", "y"]})
    assert oddly.learn(table, "c").attributes[0].values == ("0.5", "1.5")


# ---- ARFF ----

HEAD = "@relation r\n@attribute a numeric\n@attribute 'my b' {yes,'no \\'t'}\n@data\n"


def test_arff_quotes_and_escapes(tmp_path):
    path = put(tmp_path / "t.arff", HEAD + "1,'no \\'t'\n2e1,\"yes\"\n")
    assert read_table(path) == {"a": ["1", "2e1"], "my b": ["no 't", "yes"]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a header"),
        ("@relation r\n@data\n", "t.arff:2  @data, but no @attribute"),
        ("@relation r\n1,2\n", "t.arff:2  expected @relation, @attribute or @data, found '1,2'"),
        ("@attribute a numeric\n@attribute a numeric\n@data\n1,2\n", "the attribute 'a' stands twice"),
        ("@attribute a complex\n", "t.arff:1  a: expected numeric, string, date or {values}, found 'complex'"),
        ("@attribute a {x,x}\n", "t.arff:1  a: expected different values, found x, x"),
        ("@attribute a {x,y\n", "t.arff:1  a: expected a closing brace"),
        ("@attribute a relational\n", "t.arff:1  a: a relational attribute holds tables"),
        (HEAD, "no rows of data below @data"),
        (HEAD + "1,yes\n1\n", "t.arff:6  2 values expected, found 1"),
        (HEAD + "1,yes\none,yes\n", "t.arff:6  a: expected a number, found 'one'"),
        (HEAD + "1,yes\n\n2,maybe\n", "t.arff:7  my b=maybe.  It is declared as one of yes, no 't."),
        (HEAD + "{0 1, 1 yes}\n", "t.arff:5  a sparse row"),
        (HEAD + "1,yes,{2}\n", "t.arff:5  a row with a weight"),
        (HEAD + "1,'yes\n", "t.arff:5  expected a value, a comma after it, and quotes in pairs"),
    ],
)
def test_arff_errors_name_the_line(text, message, tmp_path):
    with pytest.raises(oddly.OddlyError) as error:
        read_table(put(tmp_path / "t.arff", text))
    assert message in str(error.value)


# ---- large text files ----

TRICKY = 'a,b,c\n1,"x, y",TRUE\n1.0," x ",NA\n\n"two\nlines",""," "\n?,"?",null\n0x10,é,1_000\nab"c,"d ""e""",f\n'


@pytest.mark.parametrize("text", [TRICKY, "\ufeff" + TRICKY, TRICKY.replace("\n", "\r\n"), TRICKY.replace(",", ";")])
def test_the_parallel_reader_gives_the_same_labels_as_the_plain_one(text, tmp_path):
    pytest.importorskip("pyarrow")
    path = put(tmp_path / "t.csv", text)
    assert as_texts(files.delimited_by_arrow(path)) == as_texts(files.delimited(path))


def as_texts(factors):
    return {name: [str(f.distinct[c]) for c in f.codes] for name, f in factors.items()}


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(*[st.text('ab"\n,;? 1.é', max_size=4)] * 2), min_size=1, max_size=6))
def test_both_readers_agree_on_any_cells(tmp_path_factory, rows):
    pytest.importorskip("pyarrow")
    lines = ["p,q", *(",".join('"' + cell.replace('"', '""') + '"' for cell in row) for row in rows)]
    path = put(tmp_path_factory.mktemp("t") / "t.csv", "\n".join(lines) + "\n")
    assert as_texts(files.delimited_by_arrow(path)) == as_texts(files.delimited(path))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n1\n", "t.csv:3  2 columns expected, found 1"),
        ("a,a\n1,2\n", "the column 'a' stands twice"),
        ("a,b\n", "no rows of data"),
        ("", "an empty file"),
    ],
)
def test_a_large_file_that_is_wrong_still_names_the_line(text, message, tmp_path, monkeypatch):
    monkeypatch.setattr(files, "LARGE", 0)
    with pytest.raises(oddly.FormatError) as error:
        read_table(put(tmp_path / "t.csv", text))
    assert message in str(error.value)


def test_what_is_not_installed_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for name in ("t.parquet", "t.feather"):
        with pytest.raises(oddly.Unsupported, match="is read with pyarrow.*pip install pyarrow"):
            read_table(put(tmp_path / name, "x"))


def test_a_broken_or_absent_file_is_named(tmp_path):
    pytest.importorskip("pyarrow")
    for name in ("t.parquet", "t.feather"):
        with pytest.raises(oddly.FormatError, match=f"{name}: "):
            read_table(put(tmp_path / name, "not really"))
    with pytest.raises(oddly.FormatError, match="no such file"):
        read_table(tmp_path / "u.parquet")


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"a": [1], "b": [1, 2]}, "the columns differ in length"),
        ({"a": "text"}, "column a: expected a list of values, found 'text'"),
        ({"a": [[1]]}, "column a: a cell holds a text or a number, found \\[1\\]"),
        ([1], "row 1: expected a mapping"),
        (np.zeros(3), "expected an array of rows and columns, found shape \\(3,\\)"),
    ],
)
def test_a_table_that_is_none_says_what_was_found(table, message):
    with pytest.raises(oddly.ModelError, match=message):
        read_table(table)


# ---- cells that are easily misread ----


@pytest.mark.parametrize("number", [1e17, 1e23, -1e22, np.float32(1e23), np.float32(123456789), -0.0, 2.0**70])
def test_a_large_float_is_its_shortest_decimal_as_a_label_and_as_a_measurement(number):
    meant = Decimal(str(number))
    for column in ([number, 1.5], np.array([number, 1.5], np.asarray(number).dtype)):
        labels = oddly.learn({"x": column, "c": ["a", "b"]}, "c", bins="labels")
        text = next(v for v in labels.attributes[0].values if v != "1.5")
        assert Decimal(text) == meant
        assert oddly.compile(labels).classify({"x": column}).tolist() == ["a", "b"]
        for closed, place in (("left", 1), ("right", 0)):
            bins = Bins([int(meant)], closed)
            cut = oddly.learn({"x": column, "c": ["a", "b"]}, "c", bins={"x": bins})
            assert cut.attributes[0].given["a"][place] == 1


def test_bytes_are_classified_as_they_are_learned():
    table = np.array([(b"x", 1), (b"y", 2)], dtype=[("a", "S1"), ("c", "i4")])
    assert oddly.compile(oddly.learn(table, "c")).classify(table).tolist() == ["1", "2"]


def test_a_comma_inside_of_a_quoted_name_does_not_separate(tmp_path):
    (tmp_path / "t.csv").write_text('"a, b";c\nx;p\ny;q\n')
    assert [a.name for a in oddly.learn(tmp_path / "t.csv", "c").attributes] == ["a, b"]


def test_empty_lines_before_the_header_do_not_count_and_lines_are_still_numbered(tmp_path):
    (tmp_path / "t.csv").write_text("\n\r\na;c\nx;p\ny;q\n")
    assert oddly.learn(tmp_path / "t.csv", "c").class_values == ("p", "q")
    (tmp_path / "t.csv").write_text("\n\na,c\nx,p\ny\n")
    with pytest.raises(oddly.FormatError, match=r"t.csv:5  2 columns expected, found 1"):
        oddly.learn(tmp_path / "t.csv", "c")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (gzip.compress(b"a,c\nx,p\n", mtime=0), "compressed by gzip; unpack it first"),
        (b"PK\x03\x04...", "an Excel workbook or a zip archive"),
        (b"PAR1...", "a Parquet table, whatever its name says"),
        (b"\x89ODDLY\r\n", "a diagram, whatever its name says"),
        (b"\xff\xfea\x00", "UTF-16 text; save it as UTF-8"),
    ],
)
def test_a_file_that_is_no_text_says_what_it_is(data, message, tmp_path):
    (tmp_path / "t.csv").write_bytes(data)
    with pytest.raises(oddly.FormatError, match=re.escape(message)):
        oddly.learn(tmp_path / "t.csv", "c")


def test_a_column_without_a_name_is_named_by_its_place(tmp_path):
    (tmp_path / "t.csv").write_text(",a,c\n0,x,p\n1,y,q\n")  # as data frames write their index
    with pytest.raises(oddly.ModelError, match=r"column 1 has no name.*leave_out=\[\"\"\]"):
        oddly.learn(tmp_path / "t.csv", "c")
    assert [a.name for a in oddly.learn(tmp_path / "t.csv", "c", leave_out=[""]).attributes] == ["a"]


def test_arff_comments_after_a_declaration_and_a_question_mark_among_the_values(tmp_path):
    text = "@relation r\n@attribute a {x, ?, 'y%z'} % kinds\n@attribute n\tnumeric\n@attribute c {p,q}\n@data\n"
    (tmp_path / "t.arff").write_text(text + "x,1,p\n'y%z',2,q\n?,?,p\n")
    model = oddly.learn(tmp_path / "t.arff", "c", alpha=1, missing="value")
    assert model.attributes[0].values == ("x", "y%z", "?")
    assert model.attributes[0].given["p"] == (Fraction(2, 5), Fraction(1, 5), Fraction(2, 5))


def test_columns_of_too_many_pairs_of_values_are_refused_before_they_fill_the_memory():
    table = {"i": [f"i{n}" for n in range(3000)], "j": [f"j{n}" for n in range(3000)], "c": ["p", "q"] * 1500}
    with pytest.raises(oddly.TooLarge, match="columns i and j: 9,000,000 pairs of values"):
        oddly.learn(table, "c", structure="tan", bins={"i": "labels", "j": "labels"})


@pytest.mark.parametrize("table", [[], {}, [{}]])
def test_a_table_of_nothing_says_so(table):
    with pytest.raises(oddly.ModelError, match="an empty table: it has no columns"):
        oddly.learn(table, "c")
