# SPDX-License-Identifier: Apache-2.0
"""Tables where they are: every engine's counts give the models that memory gives."""

import random

import pytest

import oddly
from engines import HERE, held_by, in_postgres
from oddly.cli import main
from servers import postgres  # noqa: F401

pa = pytest.importorskip("pyarrow")
pytest.importorskip("pyarrow.compute")

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


@pytest.mark.parametrize("engine", [*HERE[:3], "dataset"])
@pytest.mark.parametrize("structure", ["naive", "tan"])
def test_a_lazy_table_is_decided_as_rows_in_memory_are(engine, structure, tmp_path):
    odd = oddly.compile(cut_model(structure))
    rows = table().append_column("row", pa.array(range(len(table()))))
    strange = rows.slice(0, 1).set_column(1, "select", pa.array([7])).set_column(6, "row", pa.array([len(rows)]))
    held = held_by(engine, pa.concat_tables([rows, strange]), tmp_path)
    found = as_rows(odd.classify(held))
    assert found == dict(enumerate([*odd.classify(table()).tolist(), None]))


def as_rows(lazy):
    """The decisions by the number of the row, from whatever kind of lazy table."""
    import narwhals as nw

    if isinstance(lazy, pa.RecordBatchReader):
        frame = nw.from_native(lazy.read_all())
    else:
        frame = nw.from_native(lazy).collect()
    decisions = [d if isinstance(d, str) else None for d in frame["decision"].to_list()]
    return dict(sorted(zip(frame["row"].to_list(), decisions, strict=True)))


def test_a_table_that_lacks_a_column_or_has_a_decision_is_refused():
    polars = pytest.importorskip("polars")
    odd = oddly.compile(oddly.examples.pregnancy())
    with pytest.raises(oddly.UnknownName, match="no column 'S'"):
        odd.classify(polars.LazyFrame({"U": ["+ve"], "B": ["-ve"]}))
    with pytest.raises(oddly.ModelError, match="has a column 'decision' already"):
        odd.classify(polars.LazyFrame({"U": ["+ve"], "B": ["-ve"], "S": ["-ve"], "decision": [1]}))


@pytest.mark.parametrize("engine", ["folder", "postgres"])
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_the_command_writes_a_folder_and_a_server_s_table_with_decisions(engine, ending, tmp_path, request):
    from pyarrow import csv, parquet

    model = cut_model()
    oddly.write(model, tmp_path / "m.json")
    (tmp_path / "rows").mkdir()
    server = request.getfixturevalue("postgres") if engine == "postgres" else None
    held = held_by(engine, table(), tmp_path / "rows", server)
    out = tmp_path / f"out.{ending}"
    assert main(["classify", str(tmp_path / "m.json"), str(held), "-o", str(out)]) == 0
    found = csv.read_csv(out) if ending == "csv" else parquet.read_table(out)
    assert found["decision"].to_pylist() == oddly.compile(model).classify(table()).tolist()


def test_a_row_that_does_not_fit_leaves_no_file(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    (tmp_path / "rows").mkdir()
    bad = pa.table({"U": ["+ve", "+ve"], "B": ["-ve", "-ve"], "S": ["-ve", "maybe"]})
    parquet.write_table(bad, tmp_path / "rows" / "a.parquet")
    assert main(["classify", "example:pregnancy", str(tmp_path / "rows"), "-o", str(tmp_path / "out.csv")]) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["rows"]


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("postgresql://nobody@localhost:1/db?table=t", "table t of localhost/db: .*refused"),
        ("postgresql://nobody:secret@localhost/db", r"expected \?table=NAME, or #SELECT …"),
    ],
)
def test_a_server_that_does_not_answer_is_a_sentence(url, said):
    pytest.importorskip("psycopg")
    with pytest.raises(oddly.FormatError, match=said) as error:
        oddly.learn(url, "class")
    assert "secret" not in str(error.value)


def test_a_query_is_learned_from_and_a_wrong_name_is_a_sentence(postgres):  # noqa: F811
    url = in_postgres(table(), postgres)
    base = url.split("&table=")[0]
    query = 'SELECT "select" AS select_, class FROM "it\'s a ""table""" WHERE 1 < 2;'
    found = oddly.learn(f"{base}#{query}", "class")
    some = pa.table({"select_": table()["select"], "class": table()["class"]})
    assert found == oddly.learn(some, "class")
    with pytest.raises(oddly.FormatError, match="table nix of .*does not exist"):
        oddly.learn(f"{base}&table=nix", "class")


def cut_model(structure="naive"):
    cuts = {"weight": ["-0.7", "0.1", "0.7"]}
    return oddly.learn(table(), "class", "y", alpha=1, missing="value", bins=cuts, structure=structure)


def test_rows_are_a_distribution_wherever_they_are(held):
    model, other = cut_model(), cut_model("tan")
    assert oddly.count(model, under=held) == oddly.count(model, under=table())
    difference = oddly.compare(model, other)
    assert difference.probability(held) == difference.probability(table())
    odd = oddly.compile(model)
    assert list(oddly.instances(odd, "y", under=held)) == list(oddly.instances(odd, "y", under=table()))
    assert oddly.importance(model, under=held) == oddly.importance(model, under=table())


def test_groups_of_people_are_counted_wherever_they_are(held):
    found, expected = (oddly.fairness(cut_model(), "Größe", under=rows) for rows in (held, table()))
    assert (found.groups, found.gaps, found.probability) == (expected.groups, expected.gaps, expected.probability)
    assert found.contributions == expected.contributions


def test_rows_to_be_added_are_read_wherever_they_are(tmp_path):
    rows = table().filter(pa.compute.is_in(table()["class"], pa.array(["y", "n"])))
    model = oddly.learn(rows, "class", "y", bins={"weight": [0]}, missing="value")
    held = held_by("folder", rows, tmp_path)
    found, expected = oddly.added_rows(model, held), oddly.added_rows(model, rows)
    key = lambda row: tuple(str(cell) for cell in row.values())  # noqa: E731
    assert sorted(found.changing, key=key) == sorted(expected.changing, key=key)
    assert found.checked == expected.checked


def test_a_value_that_the_model_lacks_is_named_wherever_it_is(held):
    model = oddly.learn(
        table().filter(pa.compute.equal(table()["select"], 1)), "class", alpha=1, missing="value", bins={"weight": [0]}
    )
    with pytest.raises(oddly.UnknownValue, match="some row: select="):
        oddly.count(model, under=held)


# ---- work over a cluster ----

CASES = [{"U": u, "B": b, "S": s} for u in ("+ve", "-ve") for b in ("+ve", "-ve") for s in ("+ve", "-ve")]


def test_a_batch_is_the_same_answers_as_one_by_one():
    model = oddly.examples.pregnancy()
    assert oddly.batch(model, CASES) == [oddly.explain(model, case) for case in CASES]
    assert oddly.batch(model, CASES, "change", options={"fixed": ["S"]}) == [
        oddly.change(model, c, fixed=["S"]) for c in CASES
    ]
    with pytest.raises(oddly.UnknownName, match="no question 'explane'.  Did you mean 'explain'"):
        oddly.batch(model, CASES, "explane")
    with pytest.raises(oddly.UnknownValue, match="row 2: .*S=maybe"):
        oddly.batch(model, [CASES[0], {**CASES[0], "S": "maybe"}])


def test_a_batch_and_a_search_of_orders_run_under_a_dask_cluster_of_two_processes():
    distributed = pytest.importorskip("distributed", reason="no distributed here: the Dask cluster is left out")
    import joblib

    model = oddly.examples.pregnancy()
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster), joblib.parallel_config("dask"):
        assert oddly.batch(model, CASES) == [oddly.explain(model, case) for case in CASES]
        assert oddly.compile(model, order=oddly.best_of(5)).count("yes") == 5
        import dask.dataframe as dd

        frame = dd.from_pandas(table().to_pandas(), npartitions=4)
        assert oddly.learn(frame, "class", "y", bins="mdl") == oddly.learn(table(), "class", "y", bins="mdl")
        decided = oddly.compile(cut_model()).classify(frame).compute()["decision"].tolist()
    assert decided == oddly.compile(cut_model()).classify(table()).tolist()
