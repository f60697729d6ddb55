# SPDX-License-Identifier: Apache-2.0
"""Scorecards as a spreadsheet has them: a `.csv` with the columns attribute, value and points.

    attribute,value,points
    age,18-29,0
    age,30-39,12
    (cutoff),,20

Other usual headings are read too, in any case: Characteristic, Attribute, Score; Variable, Bin, Points, with the columns that
optbinning prints beside them. An empty attribute cell repeats the one above it. Rows whose attribute is in parentheses say the
rest: (cutoff) and (intercept) have points; (class), (positive), (negative) and (ties) have a value.

Values that are intervals, as `bin_texts` reads them, are bins of a number, and other words beside them labels.
"""

import csv
import io
import logging
from collections.abc import Sequence
from typing import Any, NamedTuple

from oddly.errors import FormatError, ModelError, OddlyError, Unsupported
from oddly.formats.bin_texts import bins_of_texts, interval_of
from oddly.formats.parts import LONGEST_NAME
from oddly.formats.text import as_meant, defused, short
from oddly.model import MISSING_VALUE, Points, Scorecard
from oddly.model.numbers import exact, written
from oddly.model.variable import BESIDE_NUMBERS

log = logging.getLogger("oddly")

COLUMNS = ("attribute", "value", "points")
NAMES = ("characteristic", "variable", "feature", "attribute")
VALUES = ("attribute", "bin", "value", "category", "range")
POINTS = ("points", "score")
BESIDE = {"", "unnamed: 0", "bin id", "count", "count (%)", "non-event", "event", "event rate", "woe", "iv", "js"}
BESIDE |= {"coefficient"}
"""What optbinning prints beside a scorecard; it says nothing about points."""
TOTALS = ("totals", "total")
MARKS = ",;\t"  # between columns: spreadsheets write semicolons where a comma is the decimal point
NUMBERS = ("cutoff", "intercept")
WORDS = ("class", "positive", "negative", "ties")


class Row(NamedTuple):
    """A value of an attribute, its points, and where that stands."""

    value: str
    points: str
    place: str


def read_scorecard_table(text: str, where: str) -> Scorecard:
    """The scorecard in a CSV text."""
    settings: dict[str, str] = {}
    attributes: dict[str, list[Row]] = {}
    name = ""
    for place, cell in _rows(text, where):
        if cell["attribute"].lower() in TOTALS and not cell["value"]:
            continue
        name = cell["attribute"] or name
        if name.startswith("(") and name.endswith(")"):
            _setting(settings, name[1:-1].strip().lower(), cell, place)
            name = ""
            continue
        if not name:
            raise FormatError(f"{place}  a row without an attribute")
        if name in attributes and cell["attribute"] and list(attributes)[-1] != name:
            raise FormatError(f"{place}  the attribute {short(name)} stands in two places")
        _number(cell["points"], place)
        attributes.setdefault(name, []).append(Row(cell["value"], cell["points"], place))
    if "cutoff" not in settings:
        raise FormatError(f"{where}: no cut-off; add a row (cutoff),,N with the points from which on it is positive")
    return _card(attributes, settings, where)


def is_scorecard_table(text: str) -> bool:
    """Whether a CSV text has a scorecard's header: attribute, value and points, or other words for these, in any order."""
    names = _header(text)
    known = _roles(names)
    return len(known) == len(COLUMNS) and (set(COLUMNS) <= set(names) or set(names) <= {*known.values(), *BESIDE})


def _roles(names: Sequence[str]) -> dict[str, str]:
    """Which heading stands for attribute, value and points; as far as there are such."""
    if set(COLUMNS) <= set(names):
        return {name: name for name in COLUMNS}
    found: dict[str, str] = {}
    for role, headings in zip(COLUMNS, (NAMES, VALUES, POINTS), strict=True):
        fitting = [name for name in headings if name in names and name not in found.values()]
        found |= {role: fitting[0]} if fitting else {}
    return found


def scorecard_table(card: Scorecard) -> str:
    """The scorecard as a CSV text that reads back equal; cut points of numbers are kept if their labels say them."""
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(COLUMNS)
    for a in card.attributes:
        _writable(a.name, "attribute")
        try:
            bins_of_texts(a.values)
        except ModelError as error:
            raise Unsupported(f"{a.name}: {error}, so it cannot be read from a .csv file; write .json") from None
        for value, points in zip(a.values, a.points, strict=True):
            _writable(value, f"value of {a.name}", empty=True)
            table.writerow([defused(a.name), defused(value), written(points)])
    table.writerows([["(intercept)", "", written(card.intercept)], ["(cutoff)", "", written(card.cutoff)]])
    words = [("(positive)" if value == card.positive else "(negative)", value) for value in card.class_values]
    for setting, value in [("(class)", card.class_name), *words]:
        _writable(value, "class")
        table.writerow([setting, defused(value), ""])
    if card.ties != "positive":
        table.writerow(["(ties)", card.ties, ""])
    return out.getvalue()


def _header(text: str) -> list[str]:
    line = text.lstrip("\r\n").split("\n", 1)[0][:10_000]
    try:
        return [name.strip().lower() for name in next(csv.reader([line], delimiter=max(MARKS, key=line.count)), [])]
    except csv.Error:
        return []


def _rows(text: str, where: str) -> list[tuple[str, dict[str, str]]]:
    """The rows below the header: where each stands, and its cells by column."""
    names = _header(text)
    roles = _roles(names)
    for name in names:
        if name not in {*roles.values(), *BESIDE}:
            raise FormatError(
                f"{where}:1  an unknown column {short(name)}; a scorecard has attribute, value and points"
            )
        if name in roles.values() and names.count(name) > 1:
            raise FormatError(f"{where}:1  the column {short(name)} stands twice")
    columns = {role: names.index(name) for role, name in roles.items()}
    body = text.lstrip("\r\n")
    reader = csv.reader(io.StringIO(body, newline=""), delimiter=max(MARKS, key=body.split("\n", 1)[0].count))
    rows = []
    try:
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            place = f"{where}:{reader.line_num}"
            cells = [as_meant(cell.strip()) for cell in cells]
            if len(cells) == len(COLUMNS) < len(names) and cells[0].startswith("("):
                rows.append((place, dict(zip(COLUMNS, cells, strict=True))))  # a setting below a wider table
                continue
            if len(cells) != len(names):
                raise FormatError(f"{place}  {len(names)} columns expected, found {len(cells)}")
            if max(map(len, cells)) > LONGEST_NAME:
                raise FormatError(f"{place}  a cell of {max(map(len, cells)):,} characters")
            rows.append((place, {role: cells[at] for role, at in columns.items()}))
    except csv.Error as error:
        raise FormatError(f"{where}:{reader.line_num}  {error}") from None
    return rows[1:]


def _setting(settings: dict[str, str], key: str, cell: dict[str, str], place: str) -> None:
    if key not in NUMBERS + WORDS:
        known = ", ".join(f"({name})" for name in NUMBERS + WORDS)
        raise FormatError(f"{place}  an unknown row ({key}); expected {known}")
    if key in settings:
        raise FormatError(f"{place}  ({key}) stands twice")
    column, other = ("points", "value") if key in NUMBERS else ("value", "points")
    if cell[other] or not cell[column]:
        raise FormatError(f"{place}  ({key}) has its {'number' if key in NUMBERS else 'word'} in the column {column}")
    if key in NUMBERS:
        _number(cell[column], place)
    settings[key] = cell[column]


def _number(text: str, place: str) -> None:
    try:
        exact(text, "points")
    except OddlyError as error:
        advice = "; write 1.5, not 1,5" if "," in text else ""
        raise FormatError(f"{place}  {error}{advice}") from None


def _card(attributes: dict[str, list[Row]], settings: dict[str, str], where: str) -> Scorecard:
    positive, negative = settings.get("positive", "yes"), settings.get("negative", "no")
    order = [key for key in settings if key in ("positive", "negative")]
    values = [negative, positive] if order[:1] == ["negative"] else [positive, negative]
    try:
        rows = [_points(name, cells, where) for name, cells in attributes.items()]
        ties: Any = settings.get("ties", "positive")
        numbers = settings["cutoff"], settings.get("intercept", 0)
        return Scorecard(rows, *numbers, settings.get("class", "decision"), values, positive, ties)
    except OddlyError as error:
        raise FormatError(f"{where}: {error}") from None


def _points(name: str, rows: Sequence[Row], where: str) -> Points:
    """An attribute: bins of a number if its values are intervals, the lowest first and the words beside them last."""
    points = {row.value: row.points for row in rows}
    found = None
    if len(points) == len(rows):
        try:
            found = bins_of_texts(list(points), [f"line {row.place.rpartition(':')[2]}" for row in rows])
        except ModelError as error:
            raise ModelError(f"{name}: {error}") from None
    if found is None:
        return Points(name, [row.value for row in rows], [row.points for row in rows])
    bins, order = found
    _say_ends(name, order[: len(bins.cuts) + 1], where)
    values = [MISSING_VALUE if v.lower() in ("", *BESIDE_NUMBERS) else v for v in order]
    return Points(name, values, [points[v] for v in order], bins)


def _say_ends(name: str, order: Sequence[str], where: str) -> None:
    """Every number earns some points: those beyond the last bin count as in it, and a word says so."""
    low, high = interval_of(order[0]), interval_of(order[-1])
    beyond = [f"below {written(low.low)} count as {order[0]}"] if low and low.low is not None else []
    beyond += [f"above {written(high.high)} count as {order[-1]}"] if high and high.high is not None else []
    if beyond:
        log.warning(f"{where}: {name}: numbers {' and '.join(beyond)}")


def _writable(text: str, what: str, empty: bool = False) -> None:
    like_a_setting = what == "attribute" and text.startswith("(") and text.endswith(")")
    if text != text.strip() or not (text or empty) or like_a_setting or "\r" in text or "\0" in text:
        why = "cannot be written in a .csv file as it is; write .json, or rename it"
        raise Unsupported(f"the {what} {short(text)} {why}")
