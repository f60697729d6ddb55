# SPDX-License-Identifier: Apache-2.0
"""Scorecards as a spreadsheet has them: a `.csv` with the columns attribute, value and points.

    attribute,value,points
    age,18-29,0
    age,30-39,12
    (cutoff),,20

An empty attribute cell repeats the one above it. Rows whose attribute is in parentheses say the rest: (cutoff) and
(intercept) have points; (class), (positive), (negative) and (ties) have a value.
"""

import csv
import io
from typing import Any

from oddly.errors import FormatError, OddlyError, Unsupported
from oddly.formats.parts import LONGEST_NAME
from oddly.formats.text import as_meant, defused, short
from oddly.model import Points, Scorecard
from oddly.model.numbers import exact, written

COLUMNS = ("attribute", "value", "points")
MARKS = ",;\t"  # between columns: spreadsheets write semicolons where a comma is the decimal point
NUMBERS = ("cutoff", "intercept")
WORDS = ("class", "positive", "negative", "ties")


def read_scorecard_table(text: str, where: str) -> Scorecard:
    """The scorecard in a CSV text."""
    settings: dict[str, str] = {}
    attributes: dict[str, list[tuple[str, str]]] = {}
    name = ""
    for place, cell in _rows(text, where):
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
        attributes.setdefault(name, []).append((cell["value"], cell["points"]))
    if "cutoff" not in settings:
        raise FormatError(f"{where}: no cut-off; add a row (cutoff),,N with the points from which on it is positive")
    return _card(attributes, settings, where)


def is_scorecard_table(text: str) -> bool:
    """Whether a CSV text has a scorecard's header: attribute, value and points, in any order and case."""
    return set(COLUMNS) <= set(_header(text))


def scorecard_table(card: Scorecard) -> str:
    """The scorecard as a CSV text that reads back equal; cut points of numbers are not kept, their labels are."""
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(COLUMNS)
    for a in card.attributes:
        _writable(a.name, "attribute")
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
    for name in names:
        if name not in COLUMNS:
            raise FormatError(
                f"{where}:1  an unknown column {short(name)}; a scorecard has attribute, value and points"
            )
        if names.count(name) > 1:
            raise FormatError(f"{where}:1  the column {short(name)} stands twice")
    body = text.lstrip("\r\n")
    reader = csv.reader(io.StringIO(body, newline=""), delimiter=max(MARKS, key=body.split("\n", 1)[0].count))
    rows = []
    try:
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            place = f"{where}:{reader.line_num}"
            if len(cells) != len(names):
                raise FormatError(f"{place}  {len(names)} columns expected, found {len(cells)}")
            if max(map(len, cells)) > LONGEST_NAME:
                raise FormatError(f"{place}  a cell of {max(map(len, cells)):,} characters")
            rows.append((place, {name: as_meant(cell.strip()) for name, cell in zip(names, cells, strict=True)}))
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


def _card(attributes: dict[str, list[tuple[str, str]]], settings: dict[str, str], where: str) -> Scorecard:
    positive, negative = settings.get("positive", "yes"), settings.get("negative", "no")
    order = [key for key in settings if key in ("positive", "negative")]
    values = [negative, positive] if order[:1] == ["negative"] else [positive, negative]
    try:
        rows = [Points(name, [v for v, _ in cells], [p for _, p in cells]) for name, cells in attributes.items()]
        ties: Any = settings.get("ties", "positive")
        numbers = settings["cutoff"], settings.get("intercept", 0)
        return Scorecard(rows, *numbers, settings.get("class", "decision"), values, positive, ties)
    except OddlyError as error:
        raise FormatError(f"{where}: {error}") from None


def _writable(text: str, what: str, empty: bool = False) -> None:
    like_a_setting = what == "attribute" and text.startswith("(") and text.endswith(")")
    if text != text.strip() or not (text or empty) or like_a_setting or "\r" in text or "\0" in text:
        why = "cannot be written in a .csv file as it is; write .json, or rename it"
        raise Unsupported(f"the {what} {short(text)} {why}")
