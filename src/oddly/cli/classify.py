# SPDX-License-Identifier: Apache-2.0
"""`oddly classify`: the decision on each row of a table, or on one case."""

import csv
import io
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, TypeVar

import oddly
from oddly.cli.decided import streamed
from oddly.cli.options import BUILD, AsJson, BuildOptions, Flag, Output, Word, X, diagram
from oddly.cli.output import emit, emit_json, note, save
from oddly.cli.texts import Text, UsageError, assignments, complete, output_beside, say
from oddly.diagram.rows import label_of
from oddly.distribution.earned import card_of, earned, totals
from oddly.errors import FormatError, OddlyError, UnknownName
from oddly.formats.text import defused, read_text
from oddly.learning import read_table
from oddly.learning.engines import stays
from oddly.learning.files import ARFF, ARROW, PARQUET, delimiter_of, first_line
from oddly.model.numbers import as_float, written

STDIN = "-"
Answered = TypeVar("Answered")


def run(
    diagram_or_model: X,
    /,
    *rows: Annotated[
        Word,
        say(
            "A table (.csv .tsv .parquet .arrow .feather .arff), - for CSV on stdin, a folder of Parquet files, "
            "postgresql://user@host/db?table=NAME, or one case as NAME=VALUE NAME=VALUE …"
        ),
    ],
    output: Annotated[
        Output, say("The CSV file to write; stdout otherwise. Of a folder or a server also .parquet.")
    ] = None,
    column: Annotated[Text, say("The name of the new column; otherwise that of the class.")] = None,
    points: Annotated[Flag, say("Of a scorecard: also the points, in one more column. JSON always has them.")] = False,
    build: BuildOptions = BUILD,
    as_json: AsJson = False,
) -> int:
    """Decide every row of a table, or one case.

    The table comes back as CSV with the decisions as its last column; a case is one NAME=VALUE per attribute. Where a
    model cut a number into intervals, the number itself may stand.

    Example:
      oddly classify model.json rows.csv -o decided.csv
      cat rows.csv | oddly classify model.odd - | head
      oddly classify model.json U=+ve B=-ve S=+ve
      oddly classify card.csv applicants.csv --points
      oddly classify model.json folder/ -o decided.parquet
    """
    _check(rows)
    if len(rows) == 1 and stays(rows[0]):
        if points or as_json:
            raise UsageError("--points and --json are for tables that fit into memory")
        return streamed(diagram(diagram_or_model, build), rows[0], output, column)
    table = InputTable.read(rows[0]) if _is_table(rows) else None
    if table is None and (output or column):
        raise UsageError("-o and --column are for tables; one case prints its decision")
    output_beside(output, diagram_or_model, *(Path(text) for text in rows))
    odd = diagram(diagram_or_model, build)
    card = card_of(odd)
    if points and card is None:
        raise UsageError(f"--points: {diagram_or_model} is no scorecard, so there are no points")
    sums: list[Fraction] | None = None
    if table is not None:
        decisions, sums = table.decided(odd), None if card is None else table.points(odd)
        if points and sums is not None:
            table = table.wider(free_name("points", table.header), map(written, sums))
        name = odd.source.model.class_name if odd.source else "decision"
        text = table.with_column(column or free_name(name, table.header), decisions)
    else:
        case = complete(assignments(rows, odd.variables), odd.variables)
        decisions = [str(label) for label in odd.classify([case])]
        told_points = earned(odd, {v.name: label_of(case[v.name], v) for v in odd.variables})
        sums = None if told_points is None else [Fraction(told_points.total)]
        text = decisions[0] + "\n" + (f"points  {told_points.words()}\n" if points and told_points else "")
    found = Counter(decisions)
    counts = {label: found[label] for label in reversed(odd.labels)}
    if output is not None:
        save(text.encode(), output)
        each = ", ".join(f"{count:,} {label}" for label, count in counts.items())
        note(f"{len(decisions):,} rows: {each}; written to {output}")
    if as_json:
        told: dict[str, Any] = {"labels": odd.labels, "counts": counts, "decisions": decisions}
        told |= {} if sums is None else {"points": [as_float(p) for p in sums]}
        emit_json({**told, "written": output and str(output)})
    elif output is None:
        emit(text)
    return 0


@dataclass(frozen=True)
class InputTable:
    """A table as it stands: its name, its header and its rows of cells."""

    name: str
    header: list[str]
    rows: list[list[str]]

    @classmethod
    def read(cls, path: str) -> "InputTable":
        """The table in a file, or CSV on stdin."""
        if path != STDIN and Path(path).suffix.lower() in (*ARFF, *ARROW, *PARQUET):
            return cls._typed(path)
        name, text = ("stdin", _stdin()) if path == STDIN else (path, read_text(Path(path)))
        mark = delimiter_of(Path(name), first_line(text))
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark)
        try:
            header, *rows = [row for row in reader if row] or [[]]
        except csv.Error as error:
            raise FormatError(f"{name}:{reader.line_num}  {error}") from None
        if not header:
            raise FormatError(f"{name}: empty; expected a header row and data rows")
        for number, row in enumerate(rows, 1):
            if len(row) != len(header):
                raise FormatError(f"{name}: row {number}: {len(header)} columns expected, found {len(row)}")
        return cls(name, header, rows)

    @classmethod
    def _typed(cls, path: str) -> "InputTable":
        """A table whose cells are more than texts, as texts; a missing one is empty."""
        columns = read_table(path)
        cells = zip(*(["" if cell is None else cell for cell in column] for column in columns.values()), strict=True)
        return cls(path, list(columns), [list(row) for row in cells])

    def decided(self, odd: "oddly.ODD") -> list[str]:
        """The decision on each row."""
        if not odd.variables:
            return [odd.labels[odd.root]] * len(self.rows)
        return [str(label) for label in self.asked(odd.classify, odd.columns)]

    def asked(self, question: Callable[[Any], Answered], names: Iterable[str]) -> Answered:
        """What is answered of these columns; an error names the file."""
        columns = {name: self._column(name) for name in names}
        try:
            return question(columns or [{}] * len(self.rows))
        except OddlyError as error:
            error.args = (f"{self.name}: {error}",)
            raise

    def points(self, odd: "oddly.ODD") -> list[Fraction] | None:
        """The points of each row, if it is decided by points."""
        return totals(odd, odd.encode({v.name: self._column(v.name) for v in odd.variables}).tolist())

    def wider(self, name: str, cells: Iterable[str]) -> "InputTable":
        """The table with one more column."""
        rows = [[*row, cell] for row, cell in zip(self.rows, cells, strict=True)]
        return InputTable(self.name, [*self.header, name], rows)

    def with_column(self, name: str, cells: Iterable[str]) -> str:
        """The table with one more column, as CSV."""
        if name in self.header:
            raise UsageError(f"--column: {self.name} has a column {name!r} already")
        return csv_text([*self.header, name], ([*row, cell] for row, cell in zip(self.rows, cells, strict=True)))

    def _column(self, name: str) -> list[str]:
        if self.header.count(name) > 1:
            raise FormatError(f"{self.name}: the column {name!r} stands twice")
        if name not in self.header:
            error = UnknownName.among("column", name, self.header)
            raise UnknownName(f"{self.name}: {error}")
        place = self.header.index(name)
        return [row[place] for row in self.rows]


def csv_text(header: Iterable[str], rows: Iterable[Sequence[str]]) -> str:
    """A table as CSV, whose cells no spreadsheet takes for formulas."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(map(defused, header))
    writer.writerows(map(defused, row) for row in rows)
    return text.getvalue()


def _check(rows: Sequence[str]) -> None:
    if not rows:
        raise UsageError("nothing to classify; give a table, - for stdin, or NAME=VALUE for each attribute")
    for text in rows:
        if text.startswith("-") and text != STDIN:
            raise UsageError(f"unknown option {text}.  See oddly classify --help.")


def _is_table(rows: Sequence[str]) -> bool:
    return len(rows) == 1 and (rows[0] == STDIN or "=" not in rows[0] or Path(rows[0]).is_file())


def _stdin() -> str:
    if sys.stdin is None:
        raise FormatError("stdin: closed")
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(f"stdin: not UTF-8 text, at byte {error.start}") from None


def free_name(name: str, taken: Sequence[str]) -> str:
    """The name, marked as ours if the table has it already."""
    while name in taken:
        name += " (oddly)"
    return name
