# SPDX-License-Identifier: Apache-2.0
"""Protected attributes that are groups of another's values: which values make which group, and what its people weigh together."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

from oddly.algebra.groups import ValueGroups
from oddly.model import Variable
from oddly.questions.fairness.parity import Masses, Population, Shares, Values


@dataclass(frozen=True)
class Partition:
    """A protected attribute: what it is called, of which variable it is, and the group of each of that one's values."""

    name: str
    of: str
    by_value: Mapping[str, str]
    """The first group's first; values in no group are absent."""
    left_out: tuple[str, ...]
    """Those."""

    @property
    def groups(self) -> list[str]:
        return list(dict.fromkeys(self.by_value.values()))


def partition(
    asked: str | ValueGroups, variables: Mapping[str, Variable], columns: Mapping[str, Iterable[str]] | None = None
) -> Partition:
    """Of a variable, or of a column that nothing is known about but its cells. Every value of a plain name is a group."""
    of = asked if isinstance(asked, str) else asked.of
    known = variables.get(of)
    values = tuple(known.values if known else sorted(set((columns or {})[of])))
    if isinstance(asked, str):
        return Partition(asked, of, {value: value for value in values}, ())
    found = asked.among(values, known.bins) if known else asked.of_cells(values)
    ranked = sorted(found.items(), key=lambda item: list(asked.groups).index(item[1]))
    return Partition(asked.name, of, dict(ranked), tuple(value for value in values if value not in found))


def boxes(partitions: Sequence[Partition]) -> list[dict[str, list[str]]]:
    """The groups that there are: for each, which values of the variables its instances have."""
    found = []
    for chosen in product(*(p.groups for p in partitions)):
        box: dict[str, list[str]] = {}
        for p, group in zip(partitions, chosen, strict=True):
            before = box.get(p.of, p.by_value)
            box[p.of] = [value for value in before if p.by_value.get(value) == group]
        if all(box.values()):
            found.append(box)
    return found


@dataclass(frozen=True)
class Grouped:
    """People in groups of values: each group is some of the *cells* that the values themselves make."""

    cells: Population
    partitions: tuple[Partition, ...]

    @property
    def name(self) -> str:
        return self.cells.name

    @property
    def exact(self) -> bool:
        return self.cells.exact

    def groups(self) -> list[Values]:
        ranks = [{group: i for i, group in enumerate(p.groups)} for p in self.partitions]
        ranked = sorted(filter(None, self._by_group), key=lambda key: [r[g] for r, g in zip(ranks, key, strict=True)])
        return [dict(zip((p.name for p in self.partitions), key, strict=True)) for key in ranked]

    def masses(self, group: Values) -> Masses:
        return sum((masses for _, masses in self._by_group[tuple(group.values())]), start=Masses(0, 0))

    def shares(self, group: Values) -> Shares:
        """By attribute and value, over all cells of the group that anybody is in."""
        found: dict[str, dict[str, tuple[Any, Any]]] = {}
        for cell in (cell for cell, masses in self._by_group[tuple(group.values())] if masses.all):
            for attribute, values in self.cells.shares(cell).items():
                sums = found.setdefault(attribute, dict.fromkeys(values, (0, 0)))
                found[attribute] = {v: (sums[v][0] + mass, sums[v][1] + part) for v, (mass, part) in values.items()}
        return found

    @property
    def outside(self) -> Any:
        """What part of everybody is in no group."""
        everybody = sum(masses.all for cells in self._by_group.values() for _, masses in cells)
        return sum((masses.all for _, masses in self._by_group.get((), ())), start=0 * everybody) / (everybody or 1)

    @cached_property
    def _by_group(self) -> dict[tuple[str, ...], list[tuple[Values, Masses]]]:
        """By its names: the cells of a group, and what their people weigh; under no name, who is in no group."""
        found: dict[tuple[str, ...], list[tuple[Values, Masses]]] = {}
        for cell in self.cells.groups():
            names = [p.by_value.get(cell[p.of]) for p in self.partitions]
            key = () if None in names else tuple(name for name in names if name is not None)
            found.setdefault(key, []).append((cell, self.cells.masses(cell)))
        return found
