# SPDX-License-Identifier: Apache-2.0
"""Two classifiers brought to one table: the same attributes in one order, the same cells, the same labels.

A side keeps its own diagram, with the model behind it, and has another over the cells that both know; what each calls its
labels and values is translated here, so that a case can be told to either.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any, Literal, get_args

from oddly.answers import Count, TypedJson
from oddly.compiler import as_diagram, compile, is_diagram
from oddly.diagram import ODD
from oddly.diagram.combine import in_one_order, same_labels
from oddly.diagram.refine import Values, refined, refused, shared_by
from oddly.errors import ModelError, Unsupported
from oddly.lowering.score import Impossible
from oddly.model import Variable
from oddly.model.shared import SharedCell, SharedValues
from oddly.model.variable import distinct

Labels = Mapping[str, str]


@dataclass(frozen=True, eq=False)
class ComparedSide:
    """One of the two."""

    odd: ODD
    """As it decides by its own values; where it skips some, these are one more."""
    cells: ODD
    """The same over the cells that are compared, and with the first side's labels."""
    places: Mapping[str, Sequence[int]]
    """By attribute that both have: the own value that each cell lies in."""

    def own(self, case: Mapping[str, str]) -> dict[str, str]:
        """A case in the side's own values, of the attributes that it has."""
        found = {}
        for v in self.odd.variables:
            place = self.cells.attribute(v.name).index(case[v.name])
            found[v.name] = v.values[self.places[v.name][place] if v.name in self.places else place]
        return found

    def own_label(self, label: str) -> str:
        """What it calls a label of the first side."""
        return self.odd.labels[self.cells.label_index(label)]

    def decides(self, case: Mapping[str, str]) -> str:
        """What it decides of a case, in the first side's words."""
        return str(self.cells.classify([{name: case[name] for name in self.cells.columns}])[0])


@dataclass(frozen=True)
class OneSided:
    """A value that only one side knows."""

    attribute: str
    value: str
    only: Literal["a", "b"]
    """The side that knows it."""


@dataclass(frozen=True, repr=False)
class LeftOut(TypedJson):
    """What is not compared, because only one side has a value for it."""

    values: tuple[OneSided, ...]
    """The values that only one side knows."""
    count: Count
    """How many instances, or cells, have such a value."""

    def __repr__(self) -> str:
        told = [f"{v.attribute}={v.value}" for v in self.values[:MOST_TOLD]]
        more = len(self.values) - len(told)
        named = ", ".join(told) + (f" and {more} more" if more else "")
        return f"{named}, which only one side knows"

    def told(self, unit: str) -> str:
        """How many instances, or cells, and of which values."""
        return f"{self.count:,} {unit}{'' if self.count == 1 else 's'} with {self!r}"


MOST_TOLD = 4  # values that are named in a sentence


@dataclass(frozen=True, eq=False)
class Meeting:
    """Both sides, and the values that were theirs."""

    sides: tuple[ComparedSide, ComparedSide]
    shared: Mapping[str, SharedValues]
    everything: Mapping[str, Variable]
    """The attributes of both, with all cells that either side knows."""
    kept: Mapping[str, Sequence[int]]
    """By attribute, the place of each of these cells among those compared; -1: it is left out."""

    @property
    def left_out(self) -> LeftOut:
        """What is left out."""
        values = [
            OneSided(name, cell.label, "b" if cell.left is None else "a")
            for name, found in self.shared.items()
            for cell, place in zip(found.cells, self.kept[name], strict=True)
            if place < 0
        ]
        all_, common = prod(map(len, self.kept.values())), prod(sum(p >= 0 for p in x) for x in self.kept.values())
        return LeftOut(tuple(values), all_ - common)

    @property
    def finer(self) -> bool:
        """Whether some attribute is cut finer than a side cuts it."""
        common = [found.common for found in self.shared.values()]
        return any(
            len({getattr(c, side) for c in cells}) < len(cells) for cells in common for side in ("left", "right")
        )

    @property
    def cut(self) -> list[str]:
        """The attributes that are cut finer than a side cuts them, with the numbers of their values."""
        found = [(name, shared.common) for name, shared in self.shared.items()]
        counts = [
            (name, len(cells), len({c.left for c in cells}), len({c.right for c in cells})) for name, cells in found
        ]
        return [f"{name} into {n}, from {i} and {j}" for name, n, i, j in counts if n > min(i, j)]

    @property
    def own(self) -> bool:
        """Whether all is as either side has it: no cell is finer than a value, and no value is left out."""
        return not self.finer and all(place >= 0 for kept in self.kept.values() for place in kept)


def meeting(first: ODD, second: ODD, values: Values = "common", labels: Any = None) -> Meeting:
    """Both sides over the same cells; `values` is what becomes of those that only one knows, `labels` maps the second
    side's labels to the first's."""
    if values not in get_args(Values):
        raise ModelError(f"values: expected 'common', 'skip' or 'error', found {values!r}")
    called = renamed(first, second, as_labels(labels))
    first, second = in_one_order(first, second)
    shared = shared_by(first, second)
    if values != "skip":
        refused(shared, values)
    cells = {name: found.cells if values == "skip" else found.common for name, found in shared.items()}
    variables = {name: found.variable(cells[name]) for name, found in shared.items()}
    one = _side(first, {name: [cell.left for cell in kept] for name, kept in cells.items()}, variables)
    two = _side(second, {name: [cell.right for cell in kept] for name, kept in cells.items()}, variables)
    two = replace(two, cells=replace(two.cells, labels=called, source=None))
    return _meeting(one, two, shared, cells)


def _side(odd: ODD, places: Mapping[str, Sequence[int | None]], variables: Mapping[str, Variable]) -> ComparedSide:
    """A side over the cells; what it has no value for it skips, which takes compiling again."""
    skipped = [name for name, found in places.items() if None in found]
    if skipped:
        if odd.source is None:
            raise Unsupported(
                "values='skip' compiles again, and a diagram that was combined from others has no model to compile"
            )
        odd = compile(odd.source.model.skipping(skipped), list(odd.order), impossible=odd.source.impossible)
    last = {v.name: len(v.values) - 1 for v in odd.variables}
    own = {name: [last[name] if place is None else place for place in found] for name, found in places.items()}
    return ComparedSide(odd, refined(odd, {name: (variables[name], found) for name, found in own.items()}), own)


def _meeting(
    one: ComparedSide, two: ComparedSide, shared: Mapping[str, SharedValues], cells: Mapping[str, Sequence[SharedCell]]
) -> Meeting:
    own = {v.name: v for v in (*two.odd.variables, *one.odd.variables)}
    everything = {name: shared[name].variable(shared[name].cells) if name in shared else v for name, v in own.items()}
    kept = {name: list(range(len(v.values))) for name, v in own.items()}
    for name, found in shared.items():
        place = {cell: i for i, cell in enumerate(cells[name])}
        kept[name] = [place.get(cell, -1) for cell in found.cells]
    return Meeting((one, two), shared, everything, kept)


def renamed(first: ODD, second: ODD, labels: Labels) -> tuple[str, ...]:
    """The second side's labels in the first side's words, one to one."""
    for label in labels:
        if label not in second.labels:
            raise ModelError(f"labels: the second decides between {', '.join(second.labels)}, and not {label!r}")
    called = tuple(labels.get(label, label) for label in second.labels)
    distinct(called, "labels", "label")
    for label in called:
        if label not in first.labels and labels:
            raise ModelError(f"labels: the first decides between {', '.join(first.labels)}, and not {label!r}")
    if not labels:
        same_labels(first, second)
    elif len(called) != len(first.labels):
        raise ModelError(f"labels: {len(called)} of the second are not {len(first.labels)} of the first, one to one")
    return called


def as_labels(given: Any) -> Labels:
    """A mapping of labels, checked."""
    if given is None:
        return {}
    if not isinstance(given, Mapping) or not all(isinstance(x, str) for pair in given.items() for x in pair):
        raise ModelError(
            f"labels: expected what the first calls a label of the second, {{'1': 'bad'}}, found {given!r}"
        )
    return given


def diagrams(a: Any, b: Any, impossible: Impossible | None) -> tuple[ODD, ODD]:
    """Both sides; a model follows the diagram it is compared with, on either side."""
    if impossible is not None and is_diagram(a) and is_diagram(b):
        raise Unsupported("both are compiled already; what is impossible was decided then")
    options: dict[str, Any] = {} if impossible is None else {"impossible": impossible}
    if is_diagram(b) and not is_diagram(a):
        second = as_diagram(b)
        return as_diagram(a, like=second, **options), second
    first = as_diagram(a, **options)
    return first, as_diagram(b, like=first, **options)


def ways_of(first: ODD, second: ODD) -> list[tuple[str, str]]:
    """The directions in which two sides can differ: one's label, then the other's."""
    ways = [(i, j) for i in first.labels for j in second.labels if i != j]
    distinct(told(ways), "two pairs of labels read alike", "direction")
    return ways


def told(ways: Sequence[tuple[str, str]]) -> list[str]:
    """Directions by their names."""
    return [f"{i} → {j}" for i, j in ways]


def side_name(side: str, thing: Any) -> str:
    """A side as an error calls it: by its letter, and its file if it came from one."""
    return f"model {side} ({os.fspath(thing)})" if isinstance(thing, str | os.PathLike) else f"model {side}"
