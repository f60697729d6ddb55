# SPDX-License-Identifier: Apache-2.0
"""Bayesian networks: variables, their parents, and a table of probabilities each."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from itertools import count
from math import prod
from typing import TYPE_CHECKING

from oddly.errors import ModelError, look_up
from oddly.model.contraction import ROW, Potential
from oddly.model.naive_bayes import NaiveBayes, distribution
from oddly.model.numbers import Number, rounded_row, unit_of
from oddly.model.variable import Bins, Described, Ties, Variable, distinct, keep, variable

if TYPE_CHECKING:
    from oddly.model.network_classifier import NetworkClassifier


@dataclass(frozen=True, init=False)
class Node(Described):
    """A variable, its parents, and a row of probabilities for every combination of the parents' values.

    The last parent's value changes fastest from row to row; without parents there is one row.

    >>> Node("wet", ["yes", "no"], ["rain"], [["0.9", "0.1"], ["0.2", "0.8"]]).parents
    ('rain',)
    """

    name: str
    values: tuple[str, ...]
    parents: tuple[str, ...]
    table: tuple[tuple[Fraction, ...], ...]
    bins: Bins | None

    def __init__(
        self,
        name: str,
        values: Sequence[str],
        parents: Sequence[str],
        table: Sequence[Sequence[Number]],
        bins: Bins | None = None,
    ) -> None:
        checked = variable(name, values, "variable", bins)
        if isinstance(parents, str) or not all(isinstance(p, str) for p in parents):
            raise ModelError(f"variable {name}: expected a list of parents, found {parents!r}")
        distinct([name, *parents], f"variable {name}", "variable or parent")
        places = (f"{name}, row {i}" if parents else name for i in count(1))
        rows = tuple(distribution(row, checked.values, where) for row, where in zip(table, places, strict=False))
        keep(self, name=checked.name, values=checked.values, parents=tuple(parents), table=rows, bins=bins)

    @cached_property
    def whole(self) -> Potential:
        """The table in whole numbers, by row and value: made once, as every plan goes by it."""
        return Potential.whole((ROW, self.name), self.table)


@dataclass(frozen=True, init=False, repr=False, eq=False)
class Network:
    """A Bayesian network over discrete variables. It becomes a classifier once a class is chosen.

    >>> Network([Node("rain", ["yes", "no"], [], [["0.2", "0.8"]]),
    ...          Node("wet", ["yes", "no"], ["rain"], [["0.9", "0.1"], ["0.1", "0.9"]])])
    Network: 2 variables (rain, wet), 1 arc
    """

    kind = "network"
    nodes: tuple[Node, ...]
    name: str

    def __init__(self, nodes: Iterable[Node], name: str = "") -> None:
        nodes = tuple(nodes)
        if not nodes:
            raise ModelError("a network needs a variable, found none")
        for node in nodes:
            if not isinstance(node, Node):
                raise ModelError(f"expected a Node per variable, found {node!r}")
        distinct([node.name for node in nodes], "network", "variable")
        keep(self, nodes=nodes, name=name)
        for node in nodes:
            for parent in node.parents:
                if parent not in self._by_name:
                    raise ModelError(f"variable {node.name}: its parent {parent!r} is no variable of the network")
            rows = prod(len(self._by_name[parent].values) for parent in node.parents)
            if len(node.table) != rows:
                found = f"{rows} combinations of its parents' values, {len(node.table)} rows"
                raise ModelError(f"variable {node.name}: {found}")
        _ = self.topological  # refuses a cycle

    @cached_property
    def _by_name(self) -> dict[str, Node]:
        return {node.name: node for node in self.nodes}

    def node(self, name: str) -> Node:
        """The variable of that name."""
        return look_up(self._by_name, name, "variable")

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables, without their numbers."""
        return tuple(node.variable for node in self.nodes)

    @cached_property
    def topological(self) -> tuple[Node, ...]:
        """The variables, parents before children."""
        sorter = TopologicalSorter({node.name: node.parents for node in self.nodes})
        try:
            return tuple(self._by_name[name] for name in sorter.static_order())
        except CycleError as error:
            raise ModelError(f"the arcs form a cycle: {' <- '.join(error.args[1])}") from None

    @cached_property
    def leaves(self) -> tuple[str, ...]:
        """The variables without children, in the order given."""
        parents = {parent for node in self.nodes for parent in node.parents}
        return tuple(node.name for node in self.nodes if node.name not in parents)

    def ancestors(self, names: Iterable[str]) -> set[str]:
        """The variables named, their parents, the parents of those, and so on."""
        found = {self.node(name).name for name in names}
        for node in reversed(self.topological):
            if node.name in found:
                found.update(node.parents)
        return found

    def classifier(
        self,
        class_: str,
        positive: str | None = None,
        threshold: Number = Fraction(1, 2),
        attributes: Sequence[str] | None = None,
        ties: Ties = "positive",
    ) -> "NaiveBayes | NetworkClassifier":
        """The network as a classifier of one variable from some others, by default from the leaves.

        The remaining variables are hidden, and summed out. Where the class is the only parent of every attribute,
        and nothing else bears on it, the classifier is a naive Bayes.
        """
        from oddly.model.network_classifier import NetworkClassifier

        full = NetworkClassifier(self, class_, attributes, positive, threshold, ties)
        return full.naive or full

    def rounded(self, digits: int, *, zeros: bool = True) -> "Network":
        """The network with its probabilities rounded, as `Classifier.rounded` does."""
        unit = unit_of(digits)
        tables = {n.name: [rounded_row(row, unit, zeros, n.name) for row in n.table] for n in self.nodes}
        return self.with_tables(tables)

    def with_tables(self, tables: Mapping[str, Sequence[Sequence[Fraction]]]) -> "Network":
        """The network with other tables for some of its variables."""
        changed = {n: Node(o.name, o.values, o.parents, t, o.bins) for n, t in tables.items() for o in [self.node(n)]}
        return Network([changed.get(node.name, node) for node in self.nodes], self.name)

    def __eq__(self, other: object) -> bool:
        """Whether both have the same variables in the same order, with the same tables. Names of networks do not count."""
        return isinstance(other, Network) and self.nodes == other.nodes

    def __hash__(self) -> int:
        return hash(self.nodes)

    def __repr__(self) -> str:
        n, arcs = len(self.nodes), sum(len(node.parents) for node in self.nodes)
        names = ", ".join(node.name for node in self.nodes[:6]) + (", …" if n > 6 else "")
        title = f" {self.name}" if self.name else ""
        return f"Network{title}: {n} variable{'' if n == 1 else 's'} ({names}), {arcs} arc{'' if arcs == 1 else 's'}"
