# SPDX-License-Identifier: Apache-2.0
"""`oddly export`: a decision as SQL, as source code, or as a diagram for other programs."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from cyclopts import Parameter

from oddly import export
from oddly.cli.options import BUILD, NO_CHOICE, NO_LIMITS, AsJson, Build, BuildOptions, Output, Words, X, diagram
from oddly.cli.output import emit, emit_json, note, save
from oddly.cli.texts import File, Text, UsageError, output_beside, say
from oddly.errors import listed
from oddly.export.cells import CellKind
from oddly.export.dialects import DIALECTS
from oddly.export.subject import subject

Target = Literal["sql", "python", "javascript", "c", "dddmp", "cnf", "graphml"]
FOR_SQL = ("dialect", "table", "column", "with", "type", "against")


def run(
    diagram_or_model: X,
    /,
    *,
    to: Annotated[Target, say("What to write.", show_choices=True)],
    output: Annotated[Output, say("The file to write; stdout otherwise.")] = None,
    dialect: Annotated[Text, say(f"Of SQL: {', '.join(DIALECTS)}.")] = None,
    table: Annotated[Text, say("Of SQL: the table's name, perhaps after its schema. Default: rows.")] = None,
    column: Annotated[Text, say("Of SQL: the name of the new column. Default: decision.")] = None,
    with_: Annotated[
        Words, Parameter(name="--with", help="Of SQL: score or reason, a column of its own beside the decision.")
    ] = None,
    type_: Annotated[
        Words,
        Parameter(name="--type", help="Of SQL: NAME=text, NAME=number or NAME=boolean, what the column holds."),
    ] = None,
    against: Annotated[
        File, say("Of SQL: another model or diagram; only rows that the two decide differently.")
    ] = None,
    label: Annotated[Text, say("Of dddmp and cnf: the decision that is true. Of two, the positive one.")] = None,
    build: BuildOptions = BUILD,
    as_json: AsJson = False,
) -> int:
    """Write a decision as SQL, source code, or a diagram for other programs.

    SQL selects the table's columns and one called decision. Source code (Python, JavaScript, C) needs nothing else, and tests
    itself when it is run. DDDMP is a binary decision diagram, CNF its clauses, GraphML the diagram with its values. What
    reads back as a model is written by oddly convert.

    Example:
      oddly export model.json --to sql --dialect postgres --table applicants -o decide.sql
      oddly export model.json --to sql --dialect duckdb --with score --with reason
      oddly export new.json --to sql --dialect sqlite --against old.json
      oddly export model.json --to c -o decide.c
      oddly export model.odd --to cnf --label yes | some-model-counter
    """
    output_beside(output, diagram_or_model, *([against] if against else []))
    asked = {"dialect": dialect, "table": table, "column": column, "with": with_, "type": type_, "against": against}
    _fitting(to, {**asked, "label": label})
    thing = _subject(diagram_or_model, build)
    text = _sql(thing, build, asked) if to == "sql" else _writers(label)[to](thing)
    if output is not None:
        save(text.encode(), output)
        note(f"written to {output}")
    if as_json:
        written = subject(thing)
        told = {"to": to, "dialect": dialect, "digest": written.digest, "certificate": written.proof}
        emit_json({**told, "written": output and str(output), "text": None if output else text})
    elif output is None:
        emit(text)
    return 0


def _writers(label: str | None) -> dict[Target, Callable[[Any], str]]:
    return {
        "python": lambda thing: export.to_source(thing, "python"),
        "javascript": lambda thing: export.to_source(thing, "javascript"),
        "c": lambda thing: export.to_source(thing, "c"),
        "dddmp": lambda thing: export.to_dddmp(thing, label),
        "cnf": lambda thing: export.to_cnf(thing, label),
        "graphml": export.to_graphml,
    }


def _sql(thing: Any, build: Build, asked: dict[str, Any]) -> str:
    types = dict(_typed(text) for text in asked["type"] or ())
    other = None if asked["against"] is None else build.choice.side(asked["against"])
    named = {name: asked[name] for name in ("table", "column") if asked[name] is not None}
    return export.to_sql(thing, asked["dialect"], **named, types=types, also=asked["with"] or (), against=other)


def _subject(path: Path, build: Build) -> Any:
    """The model, whose points may need no diagram; or the diagram, if it is one or is to be built in some way."""
    plain = replace(build, choice=NO_CHOICE, limits=NO_LIMITS) == BUILD
    return build.choice.decider(path) if plain and path.suffix.lower() != ".odd" else diagram(path, build)


def _fitting(to: Target, asked: dict[str, Any]) -> None:
    """Refuse options of something else."""
    if to == "sql" and asked["dialect"] is None:
        raise UsageError(f"--to sql: --dialect says for which engine: {listed(DIALECTS)}")
    for name, value in asked.items():
        if value is not None and (name in FOR_SQL) != (to == "sql"):
            raise UsageError(f"--{name} is {'of sql' if name in FOR_SQL else 'of dddmp and cnf'}, not of {to}")
    if asked["label"] is not None and to not in ("dddmp", "cnf"):
        raise UsageError(f"--label is of dddmp and cnf, not of {to}")


def _typed(text: str) -> tuple[str, Any]:
    name, equals, kind = text.rpartition("=")
    if not equals or kind not in get_args(CellKind):
        raise UsageError(f"--type: expected NAME= and one of {', '.join(get_args(CellKind))}, found {text!r}")
    return name, kind
