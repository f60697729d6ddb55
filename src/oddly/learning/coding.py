# SPDX-License-Identifier: Apache-2.0
"""What the values of each attribute are: labels seen or declared, or intervals of a number, and perhaps one for missing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from oddly.errors import ModelError, UnknownName, UnknownValue, listed
from oddly.learning.cutting import EVERY, Cutter
from oddly.learning.numbers import Numbers, looks_measured
from oddly.learning.source import ClassCounts, Coding, TableSource, in_order
from oddly.model import MISSING_VALUE, Missing

LABELS = Cutter("labels")


@dataclass(frozen=True)
class Plan:
    """How one column is read: as labels, perhaps declared ones, or as numbers to be cut."""

    name: str
    cutter: Cutter
    declared: tuple[str, ...] | None


def plans(
    source: TableSource, names: Sequence[str], cutters: Mapping[str, Cutter], declared: Mapping[str, tuple[str, ...]]
) -> list[Plan]:
    """How each column is read; one that looks like a measurement must be cut or called labels."""
    for name in cutters:
        if name != EVERY and name not in names:
            raise UnknownName(f"bins: {UnknownName.among('column', name, names)}")
    found, refused = [], {}
    for name in names:
        distinct, typed = source.distinct(name)
        values = declared.get(name, typed)
        cutter = cutters.get(name)
        if cutter is not None and cutter.way != "labels" and name in declared:
            raise ModelError(f"column {name}: it has either bins or values, not both")
        if cutter is None and values is None and looks_measured(distinct):
            cutter = cutters.get(EVERY)
            if cutter is None:
                refused[name] = len(distinct)
        found.append(Plan(name, cutter or LABELS, values))
    if refused:
        raise ModelError(_refusal(refused))
    return found


def coding(plan: Plan, tally: ClassCounts, smoothed: bool, missing: Missing) -> tuple[Coding, str]:
    """The values of a column, where each distinct cell goes, and a note on values that were declared in vain."""
    if plan.cutter.way == "labels":
        found, note = _labels(plan, tally, smoothed)
    else:
        found, note = _intervals(plan, tally, smoothed)
    if missing == "value" and tally.missing.any():
        values = (*found.values, MISSING_VALUE)
        found = Coding(found.name, values, found.bins, found.codes, len(values) - 1)
    return found, note


def _labels(plan: Plan, tally: ClassCounts, smoothed: bool) -> tuple[Coding, str]:
    seen = {text for text, row in zip(tally.texts, tally.counts, strict=True) if row.any()}
    note = ""
    if plan.declared is None:
        values = in_order(list(seen))
    else:
        for text in in_order(list(seen - set(plan.declared))):
            raise UnknownValue.of(plan.name, text, plan.declared, f"column {plan.name}")
        values = [v for v in plan.declared if smoothed or v in seen]
        if unseen := [v for v in plan.declared if v not in values]:
            note = f"{plan.name}: {listed(unseen)} never observed, so left out"
    place = {text: i for i, text in enumerate(values)}
    codes = np.array([place.get(text, -1) for text in tally.texts], np.int32)
    return Coding(plan.name, tuple(values), None, codes), note


def _intervals(plan: Plan, tally: ClassCounts, smoothed: bool) -> tuple[Coding, str]:
    numbers = Numbers.of(tally.distinct, f"column {plan.name}")
    bins = plan.cutter.cut(numbers, tally.counts)
    codes = numbers.places(bins)
    filled = np.bincount(codes, tally.counts.sum(axis=1), minlength=len(bins.labels)) > 0
    empty = [label for label, any_row in zip(bins.labels, filled, strict=True) if not any_row]
    note = f"{plan.name}: no row in {listed(empty)}, so impossible" if empty and not smoothed else ""
    return Coding(plan.name, bins.labels, bins, codes), note


def _refusal(refused: Mapping[str, int]) -> str:
    names = list(refused)
    what = ", ".join(f"{name} ({refused[name]:,} different numbers)" for name in names[:6])
    more = f" and {len(names) - 6} more" if len(names) > 6 else ""
    first = names[0]
    return (
        f"{'column' if len(names) == 1 else 'columns'} {what}{more}: measurements, it seems, not labels.  "
        f'Cut them: bins="mdl", or bins={{"{first}": [10, 20]}}; or keep them as labels: bins={{"{first}": "labels"}}.'
    )
