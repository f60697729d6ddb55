# SPDX-License-Identifier: Apache-2.0
"""How far may a number move before any decision changes, where there are many classes or whole families?

More of a class under certain values moves it up against all others on the instances that have them. Its fall is
stopped by an instance of its own, the one whose lead over some other class is least; its rise by an instance of
another class that leads it least. Those leads for all instances are the root's zone.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import permutations
from math import isinf, prod

import numpy as np
from numpy.typing import NDArray

from oddly.answers import Count, Scope, every_instance
from oddly.diagram import ODD
from oddly.diagram.passes.semirings import Ints
from oddly.diagram.together import DepthStates, Leads, pairs, together
from oddly.lowering import Families, check_contexts, frontiers
from oddly.lowering.models import unrounded
from oddly.model import Model
from oddly.questions.allowed.layout import Number, Ranges, StoppingCases
from oddly.questions.allowed.ranges import Block, Range, Real, Unit, log, part_of
from oddly.questions.allowed.slack import Entries, Leeway, Slack
from oddly.runtime import current

NO_PRIOR = "depends on other variables, so it has no prior to move"


@dataclass(frozen=True, repr=False)
class AllowedZone(Ranges):
    """Where the numbers of a choice among many classes may lie without changing any decision, each moving alone."""

    class_name: str
    labels: tuple[str, ...]
    instances: Count
    unit: Unit
    zone: Mapping[str, Mapping[str, Range]]
    """By class and another one: the logarithm of the ratio of their priors, or the difference of their intercepts.
    Priors leave every decision as it is iff all of these lie in their ranges: it is the root's zone."""
    prior: Mapping[str, Range | None]
    """By class: its prior, while the others keep their proportions; or its intercept. None if it cannot move."""
    weights: Mapping[str, Mapping[str, Mapping[str, Range | None]]]
    """By attribute, value and class: the points of a scoreboard. Empty for others."""
    entries: Mapping[str, Mapping[str, Mapping[str, Range | None]]]
    """By attribute, row and value: a probability, while the others of its row keep their proportions."""
    entries_unknown: str = ""
    """Why entries that should be there are not: what would have been too large."""

    def sentence(self) -> str:
        lines = [f"{every_instance(self.instances, 'stay', 'stays')} as decided while"]
        for label, number in self.prior.items():
            name = f"{'the ' if self.unit == 'points' else ''}{self._prior_of(label)}"
            lines.append(f"  {'or ' if len(lines) > 1 else ''}{name} is {'as it is' if number is None else number!r}")
        if len(lines) == 1:
            where = "; the ranges of single probabilities are in entries" if self.entries else ""
            lines = [f"{self.class_name} {NO_PRIOR}{where}."]
        return self.scope.said("\n".join([*lines, *unknown(self.entries_unknown)]))

    def _prior_of(self, label: str) -> str:
        return f"intercept of {label}" if self.unit == "points" else f"Pr({self.class_name}={label})"

    def weighing(self) -> Iterator[Number]:
        kind = "intercept" if self.unit == "points" else "prior"
        for label, found in self.prior.items():
            yield (kind, label), self._prior_of(label), found
        for name, values in self.weights.items():
            for value, labels in values.items():
                for label, found in labels.items():
                    yield ("points", name, value, label), f"points of {name}={value} for {label}", found

    def decided(self) -> str:
        return f"{self.class_name} of {', '.join(self.labels)}"

    def about(self, cases: StoppingCases) -> Iterator[tuple[str, str]]:
        if not self.prior:
            yield "prior", f"{self.class_name} {NO_PRIOR}"


def unknown(why: str) -> list[str]:
    """The line of an answer whose entries are not known; none if they are."""
    return [f"  The ranges of single probabilities are not known: {why}"] if why else []


class LeastLeads(ABC):
    """How far each class stands before each other one, at least."""

    def __init__(self, model: Model, classes: int, fixed: bool) -> None:
        self.model, self.classes = model, classes
        self.fixed = fixed  # whether nothing but zeros decides

    @abstractmethod
    def steps(self, scope: tuple[int, ...], i: int, j: int) -> Mapping[int, Leeway]:
        """By combination of values, how far the lead of i over j may shrink before an instance is lost to j."""

    def room(self, c: int, scope: tuple[int, ...] = (), combination: int = 0) -> Slack:
        """How far class c may fall and rise where these values are met."""
        if self.fixed:
            return Slack()
        others = [j for j in range(self.classes) if j != c]
        falls = [self.steps(scope, c, j).get(combination, Leeway()) for j in others]
        rises = [self.steps(scope, j, c).get(combination, Leeway()) for j in others]
        return Slack(*(min(steps, key=lambda s: (s.size, s.included)) for steps in (falls, rises)))


class NearestInstances:
    """The nearest instances of a class to becoming another, by the values of any scope that contexts keep apart.

    As in `closest`, an instance that has certain values is a path over certain edges, so that the least lead is, over
    those edges, the least sum above plus the edge plus the least sum below. Here edges leave *states*, nodes with their
    contexts (see `oddly.diagram.together`), and a context says the values of the attributes that belong together.
    """

    def __init__(self, meetings: Sequence[DepthStates], families: Families, winner: int, other: int) -> None:
        self.meetings, self.families = meetings, families
        self.leads = Leads(meetings, families, winner, other)
        self.arities = [len(v.values) for v in families.variables]
        self.fronts = frontiers(families.scopes, len(self.arities))

    def instances(self, scope: tuple[int, ...]) -> dict[int, tuple[int, ...]]:
        """For each combination of the scope's values, by its place, the nearest instance; left out if there is none."""
        if not self.arities:
            return {} if self.leads.least is None else {0: ()}
        depth = scope[-1] if scope else 0
        meeting = self.meetings[depth]
        best = self.leads.best
        way: Ints = self.leads.costs(depth) + best.after[depth + 1][meeting.children]
        totals = (best.before[depth][:, None] + way).reshape(-1)
        combination = self._combination(scope, depth, meeting).reshape(-1)
        near = np.flatnonzero(self.leads.system.reached(totals))
        by_total = near[np.argsort(totals[near], kind="stable")]
        edges = np.full(prod(self.arities[a] for a in scope), -1)
        edges[combination[by_total[::-1]]] = by_total[::-1]  # of several, the least is written last
        found = np.flatnonzero(edges >= 0)
        codes = best.paths([(depth, *divmod(edge, self.arities[depth])) for edge in edges[found].tolist()])
        return dict(zip(found.tolist(), map(tuple, codes.tolist()), strict=True))

    def _combination(self, scope: tuple[int, ...], depth: int, meeting: DepthStates) -> NDArray[np.int64]:
        """[states, values]: the place of the scope's values among their combinations."""
        front = self.fronts[depth]
        context = np.unravel_index(meeting.context, [self.arities[a] for a in front]) if front else ()
        value = dict(zip(front, (c[:, None] for c in context), strict=True))
        value[depth] = np.arange(self.arities[depth])[None, :]
        found = np.zeros((len(meeting), self.arities[depth]), np.int64)
        for a in scope:
            found = found * self.arities[a] + value[a]
        return found


class Closest(LeastLeads):
    """The slack of all numbers of a diagram's families, by the values of some scopes."""

    def __init__(self, odd: ODD, families: Families, scopes: Sequence[tuple[int, ...]]) -> None:
        super().__init__(families.model, families.classes, isinf(families.threshold))
        alone = [(k,) for k in range(len(families.variables))] if families.model.unit == "points" else []
        self.families = unrounded(families).remembering([*alone, *scopes])
        check_contexts(self.families, current().max_memory)
        self.meetings = together(odd.levels, odd.root, self.families)
        self._steps: dict[tuple[tuple[int, ...], int, int], dict[int, Leeway]] = {}

    @cached_property
    def nearest(self) -> dict[tuple[int, int], NearestInstances]:
        return {(i, j): NearestInstances(self.meetings, self.families, i, j) for i, j in pairs(self.families)}

    def steps(self, scope: tuple[int, ...], i: int, j: int) -> dict[int, Leeway]:
        """By combination of values, how far the lead of i over j may shrink before an instance is lost to j."""
        key = (scope, i, j)
        if self.fixed:
            return {}
        if key not in self._steps:
            found = self.nearest[i, j].instances(scope)
            sizes = self._leads(list(found.values()), i, j)
            included = not self.families.strict(i, j)
            self._steps[key] = {
                at: Leeway(size, self._distance(size), included, self._block(instance, j))
                for (at, instance), size in zip(found.items(), sizes, strict=True)
            }
        return self._steps[key]

    def _distance(self, size: Fraction) -> Real:
        return size if self.model.unit == "points" else log(size)

    def _block(self, instance: tuple[int, ...], winner: int) -> Block:
        families = self.families
        by_column = sorted(range(len(instance)), key=families.places.__getitem__)
        values = {families.names[k]: families.variables[k].values[instance[k]] for k in by_column}
        return Block(values, families.labels[families.labels_of[winner]])

    def _leads(self, instances: list[tuple[int, ...]], i: int, j: int) -> list[Fraction]:
        """The exact lead of class i over class j: in points, or by which factor."""
        codes = np.empty((len(instances), len(self.families.variables)), np.intp)
        for depth, place in enumerate(self.families.places):
            codes[:, place] = [instance[depth] for instance in instances]
        return self.model.leads(codes, i, j)


# ---- many classes ----


def zone_of(scope: Scope, standing: LeastLeads, entries: Entries, entries_unknown: str) -> AllowedZone:
    """The answer for a choice among many classes."""
    model = standing.model
    points = _points(standing) if isinstance(standing, Closest) else {}
    about = (model.class_name, model.labels, scope.inputs, model.unit)
    return AllowedZone(*about, _zone(standing), _priors(standing), points, entries, entries_unknown, scope=scope)


def _zone(standing: LeastLeads) -> dict[str, dict[str, Range]]:
    values, unit, row = standing.model.labels, standing.model.unit, standing.model.start
    found: dict[str, dict[str, Range]] = {value: {} for value in values}
    for i, j in permutations(range(standing.classes), 2):
        if row is not None and (unit == "points" or (row[i] and row[j])):
            now = row[i] - row[j] if unit == "points" else log(row[i] / row[j])
            fall, rise = (standing.steps((), *pair).get(0, Leeway()) for pair in ((i, j), (j, i)))
            found[values[i]][values[j]] = Slack(fall, rise).around(now, unit)
    return found


def _priors(standing: LeastLeads) -> dict[str, Range | None]:
    """By class value, its prior while the others keep their proportions; or its intercept."""
    row = standing.model.start or ()
    rooms = [(value, i, standing.room(i)) for i, (value, _) in enumerate(zip(standing.model.labels, row, strict=False))]
    if standing.model.unit == "points":
        return {value: room.around(row[i], "points") for value, i, room in rooms}
    return {value: share(row, i, room) for value, i, room in rooms}


def share(row: Sequence[Fraction], i: int, room: Slack) -> Range | None:
    """The range of a class's probability: its odds against all others move by as much as it does."""
    now, rest = row[i], sum(row) - row[i]
    if not now or not rest:
        return None
    low, high = room.scaled(now / rest)
    return Range.between(part_of(low, now + rest), part_of(high, now + rest), now, "probability")


def _points(closest: Closest) -> dict[str, dict[str, dict[str, Range | None]]]:
    """By attribute, value and class."""
    families, model = closest.families, closest.model
    found: dict[str, dict[str, dict[str, Range | None]]] = {}
    for number in model.numbers():
        if number.path[0] == "points":
            _, name, value, label = number.path
            depth = families.index(name)
            at, c = families.variables[depth].index(value), model.class_values.index(label)
            room = closest.room(c, (depth,), at)
            found.setdefault(name, {}).setdefault(value, {})[label] = room.around(number.now, "points")
    return found
