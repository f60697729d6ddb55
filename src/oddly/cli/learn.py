# SPDX-License-Identifier: Apache-2.0
"""`oddly learn`: a model from a table."""

import json
import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import oddly
from oddly.algebra.expressions import QUOTED, unquoted
from oddly.answers.blocks import Table
from oddly.answers.terminal import lines
from oddly.cli.failures import Advice, rewritten
from oddly.cli.options import NO_LIMITS, AsJson, LimitOptions, Output, Words
from oddly.cli.output import emit, emit_json, note
from oddly.cli.texts import Number, Text, UsageError, output_beside, parts_of, say
from oddly.errors import ModelError
from oddly.formats import model_to_json
from oddly.formats.json_values import bins_entry
from oddly.learning import read_columns
from oddly.learning.big import fits
from oddly.learning.columns import told as told_of
from oddly.learning.fitting import Structure, Via
from oddly.model import LearnedColumn, Missing


def run(
    table: Annotated[
        str,
        say(
            "A table with named columns: .csv .tsv .parquet .arrow .feather .arff, a folder of Parquet files, or "
            "postgresql://user@host/db?table=NAME."
        ),
    ],
    /,
    *,
    target: Annotated[str, say("The column to predict.")],
    positive: Annotated[Text, say("The value of interest. Of two values, the first is taken otherwise.")] = None,
    alpha: Annotated[str, say("Added to every count: 0 is plain frequencies, 1 is Laplace.")] = "0",
    threshold: Annotated[str, say("Positive from this probability on: 0.9, 1/2, …")] = "1/2",
    missing: Annotated[
        Missing, say("A missing cell is skipped in its column, drops its row, or is a value, '?'.")
    ] = "skip",
    missing_text: Annotated[
        Words,
        say(
            "A text that stands for a missing cell in every column, such as -999. May be repeated. Default: NA, nan, "
            "null, - and their like, in columns whose other cells are numbers."
        ),
    ] = None,
    bins: Annotated[
        Words,
        say(
            "How measurements are cut: mdl, width:5, frequency:5 or labels, for all or as COLUMN=mdl; or cut "
            "points as COLUMN=30,40,50. May be repeated."
        ),
    ] = None,
    values: Annotated[
        Words,
        say(
            'The values a column may take, as COLUMN=low,middle,high; "A=B"=low,high if its name holds =. May be repeated.'
        ),
    ] = None,
    structure: Annotated[
        Structure, say("Independent given the class, a tree (tan), or --k parents each (kdb).")
    ] = "naive",
    k: Annotated[int, say("Parents of an attribute besides the class, with --structure kdb.")] = 1,
    leave_out: Annotated[Words, say("A column that is no attribute. May be repeated.")] = None,
    folds: Annotated[Number, say("Also tell the accuracy, by cross-validation in so many parts, in memory.")] = None,
    seed: Annotated[int, say("How the rows are dealt to the folds.")] = 0,
    via: Annotated[Via, say("Where rows are counted; duckdb is for files larger than memory.")] = "auto",
    output: Annotated[Output, say("The model file (.json); stdout otherwise.")] = None,
    limits: LimitOptions = NO_LIMITS,
    as_json: AsJson = False,
) -> int:
    """Learn a naive Bayes model, or one with dependencies, from a table.

    Every probability is a fraction of counts, exactly. Cut points are kept with the model, so that raw numbers can be
    classified later. What each column became is said on stderr, and with --json under `columns`: its labels, or where
    its numbers are cut, its missing cells, or why it was left out, as a column that is nearly a key is.

    Example:
      oddly learn patients.csv --target class --positive yes -o model.json
      oddly learn tests.csv --target result --positive=-ve --alpha 1
      oddly learn patients.parquet --target class --bins mdl --bins age=30,40,50 --folds 10
      oddly learn patients.arff --target class --structure tan --missing value --leave-out id
      oddly learn survey.csv --target class --bins mdl --missing-text=-999 --missing-text unknown
    """
    output_beside(output, Path(table), suffixes=[".json"])
    how: dict[str, Any] = {
        "missing": missing,
        "missing_text": missing_text,
        "structure": structure,
        "k": k,
        "leave_out": leave_out or [],
    }
    how |= {"bins": bins_of(bins or []), "values": dict(map(_values, values or []))}
    what = (target, positive, alpha, threshold)
    try:
        if folds is not None and via == "duckdb" and fits(Path(table)):
            note(f"--folds: all rows of {table} are read into memory for cross-validation")
        # once, as it may be a pipe; cross-validation refuses what does not fit into memory
        rows = read_columns(table) if folds is not None and via != "duckdb" and fits(Path(table)) else table
        accuracy = None if folds is None else oddly.cross_validate(rows, *what, folds=folds, seed=seed, **how)
        model = oddly.learn(rows, *what, via=via, **how)
    except ModelError as error:
        error.args = (rewritten(str(error), IN_OPTIONS),)
        raise
    if output is not None:
        oddly.write(model, output)
    if as_json:
        names = [v.name for v in model.variables]
        told = {"class_name": model.class_name, "labels": model.labels, "attributes": names}
        found = {"accuracy": accuracy and accuracy.to_json(), "written": output and str(output)}
        columns = [_column(column, missing) for column in model.learned_columns]
        emit_json({**told, "columns": columns, **found, "model": model_to_json(model)})
    elif output is None:
        emit(json.dumps(model_to_json(model), indent=1, ensure_ascii=False) + "\n")
    each = tuple(told_of(column, missing) for column in model.learned_columns)
    for head, rest in lines([Table("", ("column", "became", "missing"), each)]):
        note((head + rest).rstrip())
    note(f"learned {model!r}" + (f"; written to {output}" if output else ""))
    if accuracy is not None:
        note(str(accuracy))
    return 0


def _column(column: LearnedColumn, missing: Missing) -> dict[str, Any]:
    """What a column became, in JSON."""
    about: dict[str, Any] = {"name": column.name, "became": column.became}
    if column.became == "left out":
        return about | {"why": column.why}
    gaps = {"missing": column.missing, "missing_texts": dict(column.missing_texts)}
    treated = {} if column.became == "class" else {"treated": missing}
    return about | {"values": list(column.values), **bins_entry(column.bins), **gaps, **treated}


def bins_of(texts: Sequence[str]) -> dict[str, Any]:
    """The bins by column, as `oddly.learn` takes them; "*" is for all that look like measurements.

    >>> bins_of(["mdl", "age=30,40", "dose=width:5"])
    {'*': 'mdl', 'age': ['30', '40'], 'dose': 'width:5'}
    """
    found: dict[str, Any] = {}
    for text in texts:
        name, equals, spec = text.rpartition("=")
        name = name if equals else "*"
        if name in found:
            raise UsageError(f"--bins: {'all columns' if name == '*' else name} twice")
        found[name] = spec if re.match(r"\s*[a-z]", spec) else [cut.strip() for cut in spec.split(",")]
        if not equals and not isinstance(found[name], str):
            raise UsageError(f"--bins {text}: cut points belong to a column.  Write --bins COLUMN={text}.")
    return found


def _values(text: str) -> tuple[str, list[str]]:
    """A column and its values; a name that holds = is written in quotes.

    >>> _values("size=S,M"), _values("'a=b'=S,M")
    (('size', ['S', 'M']), ('a=b', ['S', 'M']))
    """
    found = re.fullmatch(rf"({QUOTED}|[^=]*)=(.*)", text, re.DOTALL)
    if not found:
        raise UsageError(f"--values {text}: expected COLUMN=VALUE,VALUE,…")
    return unquoted(found[1]), parts_of(found[2])


IN_OPTIONS: Advice = {
    r'bins="(\w+)"': r"--bins \1",
    r'bins=\{"([^"]*)": \[10, 20\]\}': lambda found: f"--bins {shlex.quote(found[1] + '=10,20')}",
    r'bins=\{"([^"]*)": "labels"\}': lambda found: f"--bins {shlex.quote(found[1] + '=labels')}",
    r'missing="(\w+)"': r"--missing \1",
    r'missing_text=\[("[^\]]*")\]': lambda found: " ".join(
        shlex.quote(f"--missing-text={text}") for text in re.findall(r'"([^"]*)"', found[1])
    ),
    r'leave_out=\["([^"]+)"\]': lambda found: f"--leave-out {shlex.quote(found[1])}",
    r"\bleave (the column|columns) out": r"leave \1 out with --leave-out",
    r'leave_out=\[""\]': '--leave-out ""',
}
