# SPDX-License-Identifier: Apache-2.0
"""What did each column of a table become?  As values to ask, and as the words beside a model that was learned."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from oddly.errors import listed
from oddly.learning.source import ClassCounts, Coding, ColumnPlan, MissingTexts, TableSource
from oddly.model import LearnedColumn, Missing
from oddly.model.naive_bayes import Became

if TYPE_CHECKING:
    from oddly.learning.fitting import Options

TREATED = {"skip": "skipped", "drop": "their rows left out", "value": "the value ?"}
"""What happens to missing cells."""


def learned_columns(
    source: TableSource,
    options: "Options",
    classes: Sequence[str],
    settled: Iterable[ColumnPlan],
    made: Iterable[tuple[Coding, ClassCounts]],
    texts: MissingTexts,
) -> tuple[LearnedColumn, ...]:
    """Every column of the table, in its order, and what it became."""
    found = {coding.name: (coding, tally) for coding, tally in made}
    why = {plan.name: plan.left_out for plan in settled if plan.left_out}
    columns = []
    for name in source.columns:
        if name == options.target:
            missing = source.cells(name).missing
            column = LearnedColumn(name, "class", tuple(classes), None, missing, texts.get(name, {}))
        elif name in found:
            coding, tally = found[name]
            # dropped rows are counted in the table, as they are gone from the tally
            missing = source.cells(name).missing if options.missing == "drop" else int(tally.missing.sum())
            kind: Became = "labels" if coding.bins is None else "bins"
            column = LearnedColumn(name, kind, coding.values, coding.bins, missing, texts.get(name, {}))
        else:
            column = LearnedColumn(name, "left out", why=why.get(name, "as asked"))
        columns.append(column)
    return tuple(columns)


def notes_on(texts: MissingTexts, settled: Iterable[ColumnPlan], options: "Options") -> list[str]:
    """What a person should hear even if they do not look: cells taken for missing, and columns left out."""
    because = ", as its other cells are numbers" if options.gaps.own is None else ""
    used = {options.target, *(plan.name for plan in settled)}
    taken = [
        f"{name}: the texts {_texts(found)} are taken for missing{because}"
        for name, found in texts.items()
        if name in used
    ]
    keep = "to keep it, name it in values or bins"
    gone = [p for p in settled if p.left_out and p.name not in options.kept]
    return taken + [f"{p.name}: left out, as it has {p.left_out}; {keep}" for p in gone]


def told(column: LearnedColumn, missing: Missing) -> tuple[str, str, str]:
    """A column's name, what it became, and its missing cells, in words."""
    if column.became == "left out":
        return column.name, f"left out: {column.why}", ""
    what = f"{column.became}: {listed(column.values)}"
    if not column.missing:
        return column.name, what, ""
    of_texts = f", {_texts(column.missing_texts)}" if column.missing_texts else ""
    treated = "rows left out" if column.became == "class" else TREATED[missing]
    return column.name, what, f"{column.missing:,} missing{of_texts}: {treated}"


def _texts(counts: Mapping[str, int]) -> str:
    """Texts, and in how many cells each stands."""
    often = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return listed([f"{text} ({n:,})" for text, n in often])
