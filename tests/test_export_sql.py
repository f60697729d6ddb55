# SPDX-License-Identifier: Apache-2.0
"""SQL decides as `classify` does, row by row, in engines that run here: DuckDB, SQLite and PostgreSQL."""

import random
import sqlite3
from decimal import Decimal
from fractions import Fraction
from itertools import product

import duckdb
import numpy as np
import pytest
import sqlglot
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import oddly
from networks import network_classifiers
from oddly import CPT, Bins, NaiveBayes, Points, Scoreboard, Scorecard, Tally
from oddly.errors import UnknownName, UnknownValue, Unsupported
from oddly.export.dialects import DIALECTS
from oddly.export.sql import to_sql
from servers import postgres  # noqa: F401 - a fixture
from strategies import classifiers, naive_bayes, rows, scorecards

NAMES = [
    "order",
    'say "a"',
    "it's",
    "a.b",
    "two words",
    "größe",
    "select",
    "日本",
    "`tick`",
    "%s",
    "x;--",
    "back\\slash",
]
LABELS = [
    "yes",
    "Yes",
    " yes",
    "yes ",
    "",
    "it's",
    '"',
    "a\\b",
    "a\\",
    "\n",
    "naïve",
    "1",
    "1.0",
    "?",
    "NULL",
    "%",
    "é",
    "e\u0301",
]
OTHERS = [
    None,
    "",
    " ",
    "?",
    " ? ",
    "nothing",
    "\tyes\n",
    "\u2003yes",
    "YES ",
    "\x1fyes\x85",
    "Yes\u3000",
    "yes\u200b",
    "1.00",
]
MOST = 60  # rows of one table
TABLE = 'so "me" rows'


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


class Engine:
    """One way to run a query on a table."""

    def __init__(self, name, run, text, double):
        self.name, self.run, self.text, self.double = name, run, text, double

    def rows(self, classifier, cells, fields=None, **options):
        """What the decision's SELECT gives for rows of cells, in their order; `fields` are types of columns."""
        columns = [v.name for v in classifier.variables]
        self.run(f"DROP TABLE IF EXISTS {quoted(TABLE)}")
        types = ["number INTEGER", *(f"{quoted(c)} {(fields or {}).get(c, self.text)}" for c in columns)]
        self.run(f"CREATE TABLE {quoted(TABLE)} ({', '.join(types)})")
        marks = ", ".join(["%s" if self.name == "postgres" else "?"] * len(types))
        for number, row in enumerate(cells):
            self.run(f"INSERT INTO {quoted(TABLE)} VALUES ({marks})", [number, *(row[c] for c in columns)])
        found = sorted(self.run(to_sql(classifier, self.name, TABLE, **options)), key=lambda row: row[0])
        return [row[len(types) :] for row in found]

    def decisions(self, classifier, cells, fields=None, **options):
        found = self.rows(classifier, cells, fields, **options)
        assert all(len(row) == 1 for row in found)
        return [row[0] for row in found]


@pytest.fixture(params=["duckdb", "sqlite", "postgres"])
def engine(request):
    if request.param == "duckdb":
        duck = duckdb.connect()
        return Engine("duckdb", lambda sql, values=None: duck.execute(sql, values).fetchall(), "VARCHAR", "DOUBLE")
    if request.param == "sqlite":
        lite = sqlite3.connect(":memory:")
        return Engine("sqlite", lambda sql, values=(): lite.execute(sql, values).fetchall(), "", "REAL")
    server = request.getfixturevalue("postgres")

    def run(sql, values=None):
        found = server.execute(sql, values)
        return found.fetchall() if found.description else []

    return Engine("postgres", run, "TEXT", "DOUBLE PRECISION")


def classified(odd, cells):
    """What `classify` says of each row by itself; None where it raises."""
    found = []
    for row in cells:
        try:
            found.append(str(odd.classify([row])[0]))
        except UnknownValue:
            found.append(None)
    return found


def some_rows(odd, seed, others=OTHERS):
    """Rows of values, all of them if they are few, and some with a cell that is missing, unknown or oddly written."""
    chance, names = random.Random(seed), [v.name for v in odd.variables]
    if odd.instances <= MOST:
        known = [dict(zip(names, row, strict=True)) for row in product(*(v.values for v in odd.variables))]
    else:
        known = [{v.name: chance.choice(v.values) for v in odd.variables} for _ in range(MOST)]
    strange = (
        [{**chance.choice(known), chance.choice(names): chance.choice(others)} for _ in range(20)] if names else []
    )
    return known + strange


def hostile(model, seed):
    """The same model under names and values that are hard to write."""
    chance = random.Random(seed)
    names, renamed = chance.sample(NAMES, len(NAMES)), []
    for a, name in zip(model.attributes, names, strict=False):
        numbers = a.given if isinstance(a, CPT) else a.points
        renamed.append(type(a)(name, chance.sample(LABELS, len(a.values)), numbers))
    return model.replace(attributes=renamed)


SLOWLY = settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))


@SLOWLY
@given(model=classifiers(), seed=st.integers(0, 10**6))
def test_a_sum_decides_as_classify_does_whatever_its_names_and_cells_are(engine, model, seed):
    odd = oddly.compile(hostile(model, seed), impossible=["negative", "positive"][seed % 2])
    cells = some_rows(odd, seed)
    assert engine.decisions(odd, cells) == classified(odd, cells)


@SLOWLY
@given(model=network_classifiers(), seed=st.integers(0, 10**6))
def test_a_diagram_walked_by_joins_decides_as_classify_does(engine, model, seed):
    odd = oddly.compile(model, impossible=["negative", "positive"][seed % 2] if model.positive else "negative")
    cells = some_rows(odd, seed)
    assert engine.decisions(odd, cells) == classified(odd, cells)


@st.composite
def many_classes(draw):
    """Three or four classes, ties and zeros among them."""
    classes = [f"c{i}" for i in range(draw(st.integers(3, 4)))]
    sizes = draw(st.lists(st.sampled_from([1, 2, 3]), min_size=1, max_size=3))
    values = [[f"v{v}" for v in range(size)] for size in sizes]
    if draw(st.booleans()):
        scale = draw(st.sampled_from([1, 10**17, 10**30, Fraction(1, 7)]))
        each = st.lists(st.integers(-2, 2).map(lambda p: p * scale), min_size=len(classes), max_size=len(classes))
        tallies = [Tally(f"A{i}", some, [draw(each) for _ in some]) for i, some in enumerate(values)]
        return Scoreboard(tallies, classes, draw(each))
    zeros = draw(st.booleans())
    cpts = [CPT(f"A{i}", some, {c: draw(rows(len(some), zeros)) for c in classes}) for i, some in enumerate(values)]
    return NaiveBayes("C", classes, draw(rows(len(classes), zeros)), cpts)


@SLOWLY
@given(model=many_classes(), seed=st.integers(0, 10**6))
def test_the_greatest_of_many_sums_wins_and_of_equals_the_first(engine, model, seed):
    odd = oddly.compile(model)
    cells = some_rows(odd, seed)
    assert engine.decisions(odd, cells) == classified(odd, cells)
    assert engine.decisions(model, cells) == classified(odd, cells)


# ---- cells ----

AGE = Points("age", ["<30", "[30, 40)", ">=40", "?"], [0, 2, 3, 1], Bins([30, 40]))
THIRDS = Points("x", ["low", "mid", "high"], [0, 1, 3], Bins(["0.1", "1/3"], "right"))


def test_numbers_are_cut_where_classify_cuts_them(engine):
    odd = oddly.compile(Scorecard([AGE, THIRDS], cutoff=4))
    near = [float(np.nextafter(x, to)) for x in (0.1, 1 / 3) for to in (-1, 1)]
    xs = [0.1, 1 / 3, *near, -5.0, float("inf"), float("nan"), None]
    ages = [29.999, 30.0, 40.0, 1e300, None, float("nan"), float("-inf")]
    cells = [{"age": a, "x": x} for a in ages for x in xs]
    assert engine.decisions(odd, cells, {"age": engine.double, "x": engine.double}) == classified(odd, cells)


def test_whole_numbers_and_decimals_are_cut_without_rounding(engine):
    odd = oddly.compile(Scorecard([Points("n", ["a", "b", "c"], [0, 1, 0], Bins([5, "7.25"]))], cutoff=1))
    kinds = {"BIGINT": [4, 5, 7, 8, 2**62]}
    if engine.name != "sqlite":
        kinds["DECIMAL(18, 6)"] = [Decimal("7.249999"), Decimal("7.25"), Decimal("4.999999")]
    for kind, numbers in kinds.items():
        cells = [{"n": number} for number in numbers]
        assert engine.decisions(odd, cells, {"n": kind}) == classified(odd, cells)


def test_numbers_that_are_texts_are_cut_too(engine):
    odd = oddly.compile(Scorecard([AGE, THIRDS], cutoff=4))
    ages = ["29.9", "30", " 40 ", "30.", ".5", "-7", "+35", "<30", "[30, 40)", "?", "", None]
    ages += ["old", "1 2", "--3", "1.2.3", "0x1F", "30e", "³", "nan", "inf", "."]
    cells = [{"age": a, "x": x} for a in ages for x in ("0.1", "0.10001", "0.3333", "0.3334")]
    types = {"age": "text", "x": "text"}
    assert engine.decisions(odd, cells, types=types) == classified(odd, cells)


@pytest.mark.parametrize("missing", [None, ["gone", "-999"]])
@pytest.mark.parametrize("value", [["?"], []])
def test_texts_and_numbers_that_stand_for_missing_cells_are_missing(engine, missing, value):
    points = Points("n", ["low", "high", *value], [0, 1, 5][: 2 + len(value)], Bins([5], missing=missing))
    odd = oddly.compile(Scorecard([points], cutoff=1))
    texts = [
        {"n": cell} for cell in ("NA", " nan ", "Null", "-", "gone", "GONE", "-999", "-999.0", "7", "low", "", None)
    ]
    assert engine.decisions(odd, texts, types={"n": "text"}) == classified(odd, texts)
    numbers = [{"n": cell} for cell in (-999.0, -998.0, 7.0, None, float("nan"))]
    assert engine.decisions(odd, numbers, {"n": engine.double}) == classified(odd, numbers)


@pytest.mark.parametrize("more", [[], ["?"]])
@pytest.mark.parametrize("own", [None, [], ["unknown", "-999", "0.1", "1e400", "0.3" + 20 * "0" + "1"]])
def test_texts_and_numbers_that_mean_missing_do_so_in_sql(engine, own, more):
    points = [0, 1, 2][: 2 + len(more)]
    texts = ["NA", " n/a ", "NaN", "-", ".", "Missing", "mi\xdfing", "unknown", "UNKNOWN", "-999", "-999.0", "0.1", "7"]
    cells = [{"x": text} for text in [*texts, "-999." + 30 * "0" + "1", None]]
    numbers = [
        {"x": number} for number in (-999.0, 0.1, 0.3, 1e300, float(np.nextafter(0.1, 1)), 0.0, float("nan"), None)
    ]
    for values, cut in ((["low", "high"], Bins([0], missing=own)), (["1", "7"], None), (["NA", "7"], None)):
        for cutoff in (1, 2):
            odd = oddly.compile(Scorecard([Points("x", [*values, *more], points, cut)], cutoff=cutoff))
            found, truth = engine.decisions(odd, cells, types={"x": "text"}), classified(odd, cells)
            assert [*found[:-2], found[-1]] == [*truth[:-2], truth[-1]]
            assert found[-2] in (None, truth[-2])
            assert cut is None or engine.decisions(odd, numbers, {"x": engine.double}) == classified(odd, numbers)


def test_a_number_is_cut_though_every_value_has_blanks_around_it(engine):
    odd = oddly.compile(Scorecard([Points("x", [" low", "high "], [0, 1], Bins([0]))], cutoff=1))
    cells = [{"x": text} for text in ("-1", "1", " low", "low", "high ", None)]
    assert engine.decisions(odd, cells, types={"x": "text"}) == classified(odd, cells)


def test_a_text_of_more_digits_than_a_double_has_is_never_decided_wrongly(engine):
    odd = oddly.compile(Scorecard([THIRDS], cutoff=1))
    cells = [
        {"x": f"0.{digits}"}
        for digits in ("1" + 20 * "0", "1" + 20 * "0" + "1", "09" + 20 * "9", 30 * "3", 29 * "3" + "4")
    ]
    found, truth = engine.decisions(odd, cells, types={"x": "text"}), classified(odd, cells)
    assert all(label in (None, right) for label, right in zip(found, truth, strict=True))
    assert engine.name != "postgres" or found == truth


def test_floats_and_truth_values_are_told_from_their_texts(engine):
    values = ["0", "1.0", "1", "2.5", "1e-07", "?"]
    card = Scorecard([Points("f", values, [0, 1, 2, 3, 4, 5]), Points("b", ["False", "True"], [0, 10])], cutoff=3)
    odd = oddly.compile(card)
    cells = [
        {"f": f, "b": b} for f in (0.0, -0.0, 1.0, 2.5, 1e-7, 3.0, float("nan"), None) for b in (True, False, None)
    ]
    fields = {"f": engine.double, "b": "BOOLEAN"}
    assert engine.decisions(odd, cells, fields, types={"f": "number", "b": "boolean"}) == classified(odd, cells)


@pytest.mark.parametrize("labels", [("A", "a"), ("a", "b"), ("a ", "a")])
def test_collations_and_padding_do_not_blur_values(engine, labels):
    odd = oddly.compile(Scorecard([Points("u", labels, [0, 1])], cutoff=1))
    blurred = {
        "duckdb": "VARCHAR COLLATE NOCASE",
        "sqlite": "TEXT COLLATE NOCASE",
        "postgres": 'TEXT COLLATE "blurred"',
    }
    if engine.name == "postgres":
        engine.run(
            "CREATE COLLATION IF NOT EXISTS blurred (provider=icu, locale='und-u-ks-level2', deterministic=false)"
        )
    cells = [{"u": cell} for cell in ("a", "A", "a ", " A", "b", "á")]
    assert engine.decisions(odd, cells, {"u": blurred[engine.name]}) == classified(odd, cells)
    if labels != ("a ", "a"):
        assert engine.decisions(odd, cells, {"u": "CHAR(5)"}) == classified(odd, cells)


# ---- what stands beside ----


@SLOWLY
@given(model=scorecards() | naive_bayes(), seed=st.integers(0, 10**6))
def test_a_score_is_what_the_model_adds_up(engine, model, seed):
    odd = oddly.compile(model)
    cells = [row for row in some_rows(odd, seed) if None not in classified(odd, [row])]
    try:
        found = engine.rows(odd, cells, also=["score"])
    except Unsupported:
        assert engine.name != "postgres"
        return
    for (decision, score), row in zip(found, cells, strict=True):
        assert decision == odd.classify([row])[0]
        truth = true_score(model, row)
        assert (score is None) == (truth is None)
        assert score is None or score == pytest.approx(float(truth), rel=1e-9, abs=1e-9 * scale(model))


def true_score(model, row):
    """The points, or the log-odds, by the definition."""
    if isinstance(model, Scorecard):
        return model.intercept + sum(a.points[a.values.index(row[a.name])] for a in model.attributes)
    if model.threshold in (0, 1):
        return None
    posterior = model.posterior(row)
    if posterior is None or 0 in posterior:
        return None
    return float(np.log(float(posterior[0] / posterior[1])))


def scale(model):
    return (
        float(max((abs(p) for a in model.attributes for p in a.points), default=1))
        if isinstance(model, Scorecard)
        else 1
    )


def test_the_reason_is_the_value_that_counts_most_for_the_decision(engine):
    card = Scorecard(
        [Points("a", ["x", "y"], [0, 3]), Points("b", ["x", "y", "z"], [0, 5, -9]), Points("c", ["x"], [7])], cutoff=10
    )
    odd = oddly.compile(card)
    cells = [dict(zip("abc", row, strict=True)) for row in product("xy", "xyz", "x")]
    found = engine.rows(odd, cells, also=["reason"])
    assert found == [
        (label, reason(card, row, label)) for label, row in zip(classified(odd, cells), cells, strict=True)
    ]
    assert ("yes", "b=y") in found
    assert ("no", "a=x") in found or ("no", "b=z") in found


def reason(card, row, label):
    """By the definition: by how much the sum would move against the decision, if one attribute were at its worst."""
    sign, gaps = (1 if label == "yes" else -1), {}
    for a in card.attributes:
        points = [sign * p for p in a.points]
        gaps[f"{a.name}={row[a.name]}"] = points[a.values.index(row[a.name])] - min(points)
    best = max(gaps, key=gaps.get)
    return best if gaps[best] else None


def test_a_value_that_rules_the_other_side_out_is_the_first_reason(engine):
    model = NaiveBayes(
        "C",
        ["yes", "no"],
        ["1/2", "1/2"],
        [
            CPT("a", ["x", "y"], {"yes": ["0.99", "0.01"], "no": ["0.01", "0.99"]}),
            CPT("b", ["x", "y"], {"yes": [1, 0], "no": ["0.9", "0.1"]}),
        ],
    )
    odd = oddly.compile(model)
    cells = [{"a": a, "b": b} for a in "xy" for b in "xy"]
    found = dict(zip(product("xy", "xy"), engine.rows(odd, cells, also=["reason"]), strict=True))
    assert found["x", "y"] == ("no", "b=y")
    assert found["y", "x"] == ("no", "a=y")


@SLOWLY
@given(model=classifiers(), seed=st.integers(0, 10**6))
def test_two_classifiers_differ_on_the_rows_that_the_where_clause_keeps(engine, model, seed):
    chance = random.Random(seed)
    labels = (
        {"class_values": ["no", "yes"], "positive": "no"}
        if chance.random() < 0.5 and isinstance(model, Scorecard)
        else {}
    )
    other = oddly.compile(model.replace(ties="negative" if model.ties == "positive" else "positive", **labels))
    odd = oddly.compile(model)
    cells = some_rows(odd, seed)
    pairs = zip(classified(odd, cells), classified(other, cells), strict=True)
    assert engine.rows(odd, cells, against=other) == [(a, b) for a, b in pairs if a is not None and a != b]


def test_a_diagram_and_a_sum_are_compared_too(engine):
    model = oddly.examples.pregnancy()
    odd, moved = oddly.compile(model), oddly.compile(model.replace(prior=["0.6", "0.4"]))
    cells = [dict(zip("UBS", row, strict=True)) for row in product(["+ve", "-ve"], repeat=3)]
    found = engine.rows(odd & odd, cells, against=moved)
    assert found == [("yes", "no")]
    assert engine.rows(odd & odd, cells, against=moved & moved) == found


def test_as_many_attributes_as_a_table_has_columns_are_added_up(engine):
    chance = random.Random(2)
    values = ["a", "b", "c"]
    card = Scorecard([Points(f"c{i}", values, [chance.randint(-9, 9) for _ in values]) for i in range(120)])
    cells = [{f"c{i}": chance.choice(values) for i in range(120)} for _ in range(20)]
    found = engine.rows(card, cells, also=["reason"])
    sums = [sum(a.points[values.index(row[a.name])] for a in card.attributes) for row in cells]
    labels = ["yes" if total >= 0 else "no" for total in sums]
    assert found == [(label, reason(card, row, label)) for label, row in zip(labels, cells, strict=True)]


# ---- what every dialect gets ----


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("kind", ["sum", "wide", "classes", "diagram"])
def test_every_dialect_is_written_so_that_it_reads_back_the_same(dialect, kind):
    model = hostile(oddly.examples.tic_tac_toe(), 3)
    huge = Scorecard([Points("a", ["x", "y"], [10**30, -3]), Points("b", ["x", "y"], [-(10**30), 1])])
    board = Scoreboard([Tally("sky", ["clear", "gr'ey"], [[2, 0, 0], [0, 1, 1]])], ["sun", "rain", "snow"])
    small = oddly.compile(oddly.examples.pregnancy())
    thing = {"sum": model, "wide": huge, "classes": board, "diagram": small & small}[kind]
    text = to_sql(thing, dialect, "public.rows")
    tree = sqlglot.parse_one(text, dialect=dialect)
    assert tree.sql(dialect) == sqlglot.parse_one(tree.sql(dialect), dialect=dialect).sql(dialect)
    literals = {node.this for node in tree.find_all(sqlglot.exp.Literal) if node.is_string}
    assert set(thing.labels) <= literals
    if kind == "sum":
        assert {v for a in model.attributes for v in a.values if v.strip() and v != "?"} <= literals
        named = {a.name for a in model.attributes} - (
            {"a.b"} if dialect == "bigquery" else set()
        )  # it has no such columns
        assert named <= {column.name for column in tree.find_all(sqlglot.exp.Column)}


def test_the_head_says_which_model_it_is_and_how_it_is_proven():
    model = oddly.examples.pregnancy()
    first, second = to_sql(model, "duckdb").splitlines()[:2]
    assert first.startswith("-- Written by oddly export.  SHA-256 of the model: 11d3911e")
    assert "proven; the closest instance is 1.13" in second
    assert "none was rounded" in to_sql(Scorecard([Points("a", ["x"], [1])]), "sqlite")
    assert "No model" in to_sql(oddly.compile(model) ^ oddly.compile(model), "sqlite")


def test_what_cannot_be_written_says_why():
    model = oddly.examples.pregnancy()
    with pytest.raises(UnknownName, match="no SQL dialect 'postgers'.  Did you mean 'postgres'"):
        to_sql(model, "postgers")
    with pytest.raises(UnknownName, match="no attribute 'V'"):
        to_sql(model, "duckdb", types={"V": "number"})
    with pytest.raises(UnknownName, match="no type of column 'float'"):
        to_sql(model, "duckdb", types={"U": "float"})
    with pytest.raises(Unsupported, match="NUL"):
        to_sql(oddly.examples.pregnancy(), "duckdb", column="a\0b")
    with pytest.raises(Unsupported, match="NUL"):
        to_sql(Scorecard([Points("a", ["x\0"], [1])]), "duckdb")
    with pytest.raises(Unsupported, match="a score is of one sum"):
        to_sql(oddly.compile(model) & oddly.compile(model), "duckdb", also=["score"])
    with pytest.raises(Unsupported, match="different labels"):
        to_sql(model, "duckdb", against=Scorecard([Points("a", ["x"], [1])], class_values=["good", "bad"]))


def test_a_table_that_is_called_as_the_query_calls_its_own_is_still_read(engine):
    odd = oddly.compile(oddly.examples.pregnancy())
    for name in ("edges", "blanks", "t"):
        engine.run(f'DROP TABLE IF EXISTS "{name}"')
        engine.run(f'CREATE TABLE "{name}" ("U" {engine.text}, "B" {engine.text}, "S" {engine.text})')
        engine.run(f"INSERT INTO \"{name}\" VALUES ('+ve', '-ve', '+ve')")
        for thing in (odd, odd & odd):
            assert engine.run(to_sql(thing, engine.name, name)) == [("+ve", "-ve", "+ve", "yes")]
        engine.run(f'DROP TABLE "{name}"')
