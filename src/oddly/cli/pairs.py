# SPDX-License-Identifier: Apache-2.0
"""Commands about two classifiers: where they differ, and both as one."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict

from cyclopts import Parameter

import oddly
from oddly.answers import as_json as in_json
from oddly.answers.blocks import Facts
from oddly.cli.classify import InputTable, csv_text, free_name
from oddly.cli.compile import decided, shape
from oddly.cli.failures import UNDECIDED
from oddly.cli.options import (
    IMPOSSIBLE,
    MODEL_OR_DIAGRAM,
    READ,
    AsJson,
    Choice,
    DomainOption,
    Labels,
    OddFile,
    Output,
    ReadOptions,
    Values,
)
from oddly.cli.output import emit_json, lay_out, save, state
from oddly.cli.texts import File, Text, UsageError, assignments, at_least, labels_of, names_file, output_beside, say
from oddly.compiler import as_diagram
from oddly.diagram import combine as algebra
from oddly.errors import TooLarge, UnknownName

if TYPE_CHECKING:
    from oddly.distribution.coarse import Between
    from oddly.questions.compare.difference import Difference
    from oddly.questions.compare.sides import LeftOut

JOINS = ("and", "or", "xor", "implies")
QUANTIFIERS = ("for-all", "for-some")
OPERATIONS = (*JOINS, "not", *QUANTIFIERS, "restrict")


def diff(
    a: Annotated[Path, say(f"{MODEL_OR_DIAGRAM}.")],
    b: Annotated[Path, say("Another.")],
    /,
    *,
    under: Annotated[
        Text, say("The distribution: a or b (that model's own), uniform, or a table of rows (.csv).")
    ] = None,
    max_changed: Annotated[
        float, say("Exit with 0 as long as a changed decision is no more probable than this.")
    ] = 0.0,
    examples: Annotated[int, say("How many instances to show, the most probable first.")] = 3,
    values: Values = "common",
    labels: Labels = None,
    table: Annotated[File, say("Rows to decide: those that the two decide differently are written to -o.")] = None,
    id_: Annotated[
        Text, say("The column that names a row, first in that file. Default: its number.", name="--id")
    ] = None,
    output: Annotated[Output, say("With --table: the CSV file of these rows, with both decisions.")] = None,
    impossible: Annotated[
        Literal["negative", "positive"] | None,
        say(f"{IMPOSSIBLE} By a model; a diagram has its own choice, and a model beside one follows it."),
    ] = None,
    within: DomainOption = None,
    read: ReadOptions = READ,
    as_json: AsJson = False,
) -> int:
    """Compare two classifiers on every possible input.

    Numbers that they cut differently are cut as finely as either does. Exit code 0 if they decide alike, 1 if not, 3 if
    --max-changed lies between what the distribution allows.

    Example:
      oddly diff old.json new.json
      oddly diff old.json new.json --table customers.csv --id customer -o changed.csv
      oddly diff card.json model.json --labels 1=bad,0=good --values skip
      oddly diff old.odd new.json --max-changed 0.001 --under a     in a pipeline: fails above one in a thousand
      oddly diff old.json new.json --under customers.csv --json
    """
    from oddly.questions.compare.weighing import named_distribution

    if not 0 <= max_changed <= 1:
        raise UsageError(f"--max-changed: expected a probability, found {max_changed}")
    if (table is None) != (output is None) or (id_ and table is None):
        raise UsageError("--table, -o and perhaps --id go together: rows, and where to write those that change")
    at_least(0, examples=examples)
    output_beside(output, a, b, *([table] if table else []))
    sides = read.choice.sides([a, b])
    both: Any = {"values": values, "labels": labels_of(labels), "within": within, "impossible": impossible}
    difference = oddly.compare(*sides, **both)
    measured = difference.distribution(under)
    changed = _changed(difference, measured, needed=max_changed > 0)
    holds = _within(difference, changed, max_changed)
    rows = None if table is None or output is None else _changed_rows(difference, table, id_, output)
    if as_json:
        settled = changed is not None and changed.settled
        told = difference.to_json(examples=examples, under=measured)
        if changed and settled and measured not in ("a", "b", "uniform"):
            told["probability"]["rows"] = float(changed.low)
        told |= {
            "under": named_distribution(measured),
            "changed": float(changed.low) if changed and settled else None,
            "changed_between": None if changed is None or settled else in_json(changed),
            "max_changed": max_changed,
            "holds": holds,
            "table": rows,
        }
        emit_json(told)
    else:
        verdict = "undecided" if holds is None else "within it" if holds else "exceeded"
        tolerance = Facts("", (("tolerance", f"{max_changed:g}: {verdict}"),))
        asked = [tolerance] if max_changed and not difference.equivalent else []
        lay_out([*difference.blocks(examples, measured), *asked, *([_told_rows(rows)] if rows else [])])
    return UNDECIDED if holds is None else 0 if holds else 1


def _changed(difference: "Difference", under: Any, needed: bool) -> "Between | None":
    """How probable a changed decision is; None if that takes too long and nothing hangs on it."""
    try:
        return difference.bounds(under)
    except TooLarge:
        if needed:
            raise
        return None


def _within(difference: "Difference", changed: "Between | None", most: float) -> bool | None:
    """Whether a changed decision is no more probable than that; None if it may be."""
    if difference.equivalent or not most or changed is None:
        return difference.equivalent
    return True if changed.high <= most else False if changed.low > most else None


class ChangedRows(TypedDict):
    """The rows of a table that two classifiers decide differently."""

    rows: int
    """How many rows the table has."""
    changed: int
    """How many of them are decided differently."""
    left_out: int
    """How many have a value that only one of the two knows."""
    directions: Mapping[str, int]
    """How many in each direction."""
    written: str
    """The file that they were written to."""


def _changed_rows(difference: "Difference", path: Path, id_: str | None, output: Path) -> ChangedRows:
    """Write the rows that are decided differently: their name, all their columns, the old decision and the new one."""
    table = InputTable.read(str(path))
    if id_ is not None and table.header.count(id_) != 1:
        raise UnknownName(f"--id: {UnknownName.among('column', id_, table.header)}")
    decided = table.asked(difference.decisions, difference.diagram.columns)
    at = None if id_ is None else table.header.index(id_)
    names = [str(number) if at is None else row[at] for number, row in enumerate(table.rows, start=1)]
    changed = [(i, pair) for i, pair in enumerate(decided) if pair is not None and pair[0] != pair[1]]
    kept = [i for i in range(len(table.header)) if i != at]
    lines = [[names[i], *(table.rows[i][k] for k in kept), *pair] for i, pair in changed]
    columns = [table.header[k] for k in kept]
    first = id_ or free_name("row", columns)
    save(csv_text([first, *columns, free_name("old", columns), free_name("new", columns)], lines).encode(), output)
    ways = Counter(f"{old} → {new}" for _, (old, new) in changed)
    return ChangedRows(
        rows=len(decided), changed=len(changed), left_out=decided.count(None), directions=ways, written=str(output)
    )


def _told_rows(found: ChangedRows) -> Facts:
    ways = ", ".join(f"{many:,} {way}" for way, many in found["directions"].items())
    rest = f"; {found['left_out']:,} have a value that only one side knows" if found["left_out"] else ""
    told = f"{found['changed']:,} of {found['rows']:,} are decided differently{f' ({ways})' if ways else ''}{rest}"
    return Facts("", (("rows", told), ("written", found["written"])))


def combine(
    first: Annotated[str, Parameter(name="X", help=f'{MODEL_OR_DIAGRAM}, or an expression such as "U=+ve or B=-ve".')],
    second: Annotated[
        str, Parameter(name="OPERATION", help=f"{', '.join(OPERATIONS)}. It may also be written before X.")
    ],
    rest: Annotated[
        tuple[str, ...],
        Parameter(
            name="REST",
            show_default=False,
            help="Another like X; with for-all and for-some names of attributes; with restrict NAME=VALUE.",
        ),
    ] = (),
    /,
    *,
    values: Values = "common",
    labels: Labels = None,
    output: OddFile = None,
    read: ReadOptions = READ,
    as_json: AsJson = False,
) -> int:
    """Combine classifiers: positive where both are, where either is, whatever one attribute says.

    An attribute that one side lacks is one it ignores, and numbers that they cut differently are cut as finely as either
    does. An expression is over the attributes of the other side.

    Example:
      oddly combine old.json and new.json -o both.odd
      oddly combine model.json xor "U=+ve or (B=+ve and S=-ve)"
      oddly combine model.json for-all sex -o whatever-the-sex.odd
      oddly combine restrict model.json U=+ve -o r.odd
      oddly combine model.odd not
    """
    operation, operands = _read([first, second, *rest])
    files = operands if operation in JOINS else operands[:1]
    output_beside(output, *(Path(text) for text in files if names_file(text)), suffixes=[".odd"])
    odd, left = _combined(operation, operands, read.choice, values, labels_of(labels))
    if output is not None:
        odd.save(output)
    written = [("written", str(output))] if output else []
    left_out = [("left out", f"{left.count:,} with {left!r}")] if left and left.values else []
    lines = [("size", f"{odd.size:,} nodes"), *decided(odd), *left_out, *written]
    state(shape(odd) | {"left_out": left and left.to_json(), "written": output and str(output)}, lines, as_json)
    return 0


def _read(words: Sequence[str]) -> tuple[str, Sequence[str]]:
    """The operation, which stands first or second, and what it is done with."""
    if words[1] in OPERATIONS:
        return words[1], [words[0], *words[2:]]
    if words[0] in OPERATIONS:
        return words[0], words[1:]
    raise UsageError(f"no operation {words[1]!r}.  It is one of {', '.join(OPERATIONS)}.")


def _combined(
    operation: str, operands: Sequence[str], choice: Choice, values: Values, labels: dict[str, str] | None
) -> "tuple[oddly.ODD, LeftOut | None]":
    """The combination, and of two what was left out."""
    if operation not in JOINS:
        return _changed_one(operation, operands, choice), None
    from oddly.questions.compare.sides import meeting

    joins = {"and": algebra.both, "or": algebra.either, "xor": algebra.one_of, "implies": algebra.implies}
    first, second = _sides(operation, operands, choice)
    found = meeting(first, second, values, labels)
    return joins[operation](*(side.cells for side in found.sides)), found.left_out


def _changed_one(operation: str, operands: Sequence[str], choice: Choice) -> "oddly.ODD":
    if not names_file(operands[0]):
        raise UsageError(f"{operands[0]}: no such file; {operation} needs a model or a diagram")
    odd, words = as_diagram(*choice.sides([Path(operands[0])])), operands[1:]
    if operation == "not":
        if words:
            raise UsageError(f"not takes one diagram; unexpected {words[0]!r}")
        return algebra.negated(odd)
    if not words:
        what = "say what is known" if operation == "restrict" else "name the attributes"
        raise UsageError(f"{operation}: {what}, such as {_such_as(odd, operation)}")
    if operation == "restrict":
        return odd.restrict(assignments(words, odd.variables))
    return (algebra.for_all if operation == "for-all" else algebra.for_some)(odd, *words)


def _sides(operation: str, operands: Sequence[str], choice: Choice) -> list["oddly.ODD"]:
    """Both sides; an expression is read over the attributes of the other, and decides between its labels."""
    if len(operands) != 2:
        raise UsageError(f"{operation} takes two diagrams, found {len(operands)}")
    _check(operands)
    found: list[oddly.ODD] = []
    for side in choice.sides([Path(text) for text in operands if names_file(text)]):  # files first
        found.append(as_diagram(side, like=found[0] if found else None))
    for text in operands:
        if not names_file(text):
            found.append(oddly.expression_diagram(text, found[0]))
    return found if names_file(operands[0]) else found[::-1]


def _check(operands: Sequence[str]) -> None:
    """Refuse what is neither a file nor an expression, and expressions without a file."""
    for text in operands:
        if not names_file(text) and not any(sign in text for sign in ("=", "{")):
            raise UsageError(f"{text}: no such file, and no expression such as NAME=VALUE")
    if not any(map(names_file, operands)):
        raise UsageError("both sides are expressions; one must be a model or a diagram, for its attributes")


def _such_as(odd: "oddly.ODD", operation: str) -> str:
    if not odd.variables:
        return "A=x" if operation == "restrict" else "A"
    v = odd.variables[0]
    return f"{v.name}={v.values[0]}" if operation == "restrict" else v.name
