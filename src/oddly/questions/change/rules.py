# SPDX-License-Identifier: Apache-2.0
"""What may change, and what it costs: the rules under which another decision is looked for."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm, prod
from typing import Any, Literal, get_args

from oddly.diagram import ODD
from oddly.errors import ModelError, UnknownName
from oddly.model import Variable
from oddly.model.numbers import Number, as_written, exact

Way = Literal["up", "down"]
Cost = Number | Mapping[str, Number]
"""Of any change of an attribute; or by new value, and then no other value can be had."""


@dataclass(frozen=True)
class ChangeRules:
    """The cost of every value of every attribute, in a diagram's order; None for a value that cannot be had."""

    costs: tuple[tuple[Fraction | None, ...], ...]
    case: tuple[int, ...]

    @property
    def allowed(self) -> int:
        """How many instances can be had, forbidden combinations aside."""
        return prod(sum(cost is not None for cost in row) for row in self.costs)

    def prices(self) -> tuple[list[list[int | None]], int]:
        """The costs as whole numbers, and what a cost of one comes to; of equal costs, fewer changes are cheaper."""
        scale = lcm(*(cost.denominator for row in self.costs for cost in row if cost is not None))
        one = scale * (len(self.costs) + 1)
        return [
            [None if cost is None else int(cost * one) + (value != own) for value, cost in enumerate(row)]
            for row, own in zip(self.costs, self.case, strict=True)
        ], one


def rules(
    odd: ODD,
    case: Sequence[int],
    costs: Mapping[str, Cost] | None,
    step_costs: Mapping[str, Number] | None,
    fixed: Sequence[str],
    one_way: Mapping[str, Way] | None,
) -> ChangeRules:
    """The rules a caller names, every name and number checked. Any other change costs one."""
    for option, given in (("costs", costs), ("step_costs", step_costs), ("one_way", one_way)):
        if not isinstance(given, Mapping | None):
            raise ModelError(f"{option}: expected a mapping by attribute, found {given!r}")
    costs, step_costs, one_way = costs or {}, step_costs or {}, one_way or {}
    if isinstance(fixed, str) or not isinstance(fixed, Iterable):
        raise ModelError(f"fixed: expected a list of attributes, found {fixed!r}")
    for name in (*costs, *step_costs, *fixed, *one_way):
        if name not in odd.order:
            raise UnknownName.among("attribute", name, odd.columns)
    for name in costs:
        if name in step_costs:
            raise ModelError(f"{name}: it has a cost per change and one per step; choose one")
    for name, way in one_way.items():
        if way not in get_args(Way):
            raise ModelError(f"one_way: {name} goes 'up' or 'down', found {way!r}")
    found = []
    for variable, own in zip(odd.variables, case, strict=True):
        row = _costs(variable, own, costs.get(variable.name, 1), step_costs.get(variable.name))
        for value in range(len(row)):
            against = {"up": value < own, "down": value > own}.get(one_way.get(variable.name, ""), False)
            if value != own and (variable.name in fixed or against):
                row[value] = None
        found.append(tuple(row))
    return ChangeRules(tuple(found), tuple(case))


def _costs(variable: Variable, own: int, cost: Any, step: Number | None) -> list[Fraction | None]:
    row: list[Fraction | None]
    if step is not None:
        each = _positive(step, f"cost per step of {variable.name}")
        row = [each * abs(value - own) for value in range(len(variable.values))]
    elif isinstance(cost, Mapping):
        row = [None] * len(variable.values)
        for value, number in cost.items():
            row[variable.index(value)] = _positive(number, f"cost of {variable.name}={value}")
    else:
        row = [_positive(cost, f"cost of {variable.name}")] * len(variable.values)
    row[own] = Fraction(0)
    return row


def _positive(number: Any, where: str) -> Fraction:
    cost = exact(as_written(number), where)  # of a float its shortest decimal: 0.1 is a tenth
    if cost < 0:
        raise ModelError(f"{where}: expected a number from 0 on, found {number}")
    return cost
