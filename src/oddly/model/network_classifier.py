# SPDX-License-Identifier: Apache-2.0
"""A Bayesian network that decides: which variable, from which others, at which threshold."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from itertools import product
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from oddly.errors import ModelError
from oddly.model.classifier import Named, Probabilistic, moving
from oddly.model.elimination import class_masses
from oddly.model.naive_bayes import CPT, NaiveBayes
from oddly.model.network import Network, Node
from oddly.model.numbers import Number, brief
from oddly.model.variable import Ties, Variable, decision, distinct, keep


@dataclass(frozen=True, init=False, repr=False)
class NetworkClassifier(Probabilistic):
    """Positive iff Pr(positive | attributes, evidence) >= threshold; every other variable is summed out.

    >>> from oddly.model import Node
    >>> rain = Node("rain", ["yes", "no"], [], [["0.3", "0.7"]])
    >>> wet = Node("wet", ["yes", "no"], ["rain"], [["0.9", "0.1"], ["0.2", "0.8"]])
    >>> NetworkClassifier(Network([rain, wet]), "rain", ["wet"]).posterior({"wet": "yes"})
    (Fraction(27, 41), Fraction(14, 41))
    """

    kind = "network"
    network: Network
    class_name: str
    attributes: tuple[str, ...]
    positive: str | None
    threshold: Fraction
    ties: Ties
    evidence: tuple[tuple[str, str], ...]
    """Variables whose values are known once and for all."""

    def __init__(
        self,
        network: Network,
        class_name: str,
        attributes: Sequence[str] | None = None,
        positive: str | None = None,
        threshold: Number = Fraction(1, 2),
        ties: Ties = "positive",
        evidence: Mapping[str, str] | Sequence[tuple[str, str]] = (),
    ) -> None:
        target = network.node(class_name).variable
        keep(self, **decision(positive, target, threshold, ties))
        known = dict(evidence)
        if attributes is None:
            attributes = [name for name in network.leaves if name != class_name and name not in known]
        if isinstance(attributes, str):
            raise ModelError(f"attributes: expected a list of names, found {attributes!r}")
        for name, value in known.items():
            network.node(name).variable.index(value)
        for name in attributes:
            network.node(name)
        distinct([*attributes, *known, class_name], "attributes, evidence and class", "name")
        keep(self, network=network, class_name=class_name, attributes=tuple(attributes), evidence=tuple(known.items()))

    @classmethod
    def of(cls, model: Probabilistic) -> "NetworkClassifier":
        """A naive Bayes as the network that it is."""
        return model.as_network

    @property
    def class_values(self) -> tuple[str, ...]:  # type: ignore[override]  # its own table has them
        return self.network.node(self.class_name).values

    @property
    def variables(self) -> tuple[Variable, ...]:
        return tuple(self.network.node(name).variable for name in self.attributes)

    @property
    def start(self) -> tuple[Fraction, ...] | None:
        target = self.network.node(self.class_name)
        return None if target.parents else target.table[0]

    @property
    def hidden(self) -> tuple[str, ...]:
        named = {self.class_name, *self.attributes, *dict(self.evidence)}
        return tuple(node.name for node in self.relevant.nodes if node.name not in named)

    @property
    def others(self) -> Mapping[str, Variable]:
        named = {self.class_name, *self.attributes}
        return {node.name: node.variable for node in self.network.nodes if node.name not in named}

    @property
    def as_network(self) -> Self:
        return self

    @cached_property
    def relevant(self) -> Network:
        """The part of the network that bears on the class: without what is neither asked for nor known, nor above it."""
        kept = self.network.ancestors([self.class_name, *self.attributes, *dict(self.evidence)])
        return Network([node for node in self.network.nodes if node.name in kept], self.network.name)

    @property
    def naive(self) -> NaiveBayes | None:
        """The same classifier as a naive Bayes, if it is one."""
        target, inside = self.network.node(self.class_name), self.relevant
        if self.evidence or target.parents or len(inside.nodes) != len(self.attributes) + 1:
            return None
        nodes = [self.network.node(name) for name in self.attributes]
        if any(node.parents != (self.class_name,) for node in nodes):
            return None
        cpts = [CPT(n.name, n.values, dict(zip(target.values, n.table, strict=True)), n.bins) for n in nodes]
        return NaiveBayes(target.name, target.values, target.table[0], cpts, self.positive, self.threshold, self.ties)

    def knows(self, names: Iterable[str]) -> bool:
        """Whether it has these variables, neither as class nor as evidence."""
        return set(names) <= {*self.attributes, *self.others}.difference(dict(self.evidence))

    def masses(self, codes: NDArray[np.intp]) -> NDArray[Any]:
        return class_masses(self, codes)[0]

    def observe(self, values: Mapping[str, str]) -> Self:
        """The classifier that remains once these attributes are known: they become evidence."""
        self._known(values)
        rest = [name for name in self.attributes if name not in values]
        return self.replace(attributes=rest, evidence={**dict(self.evidence), **values})

    def restricted(self, names: Sequence[str]) -> Self:
        return self.replace(attributes=tuple(names))

    def choose(self, class_: str | None = None, **choices: Any) -> NaiveBayes | Self:
        if class_ is not None and class_ != self.class_name:  # what is known stays; the rest was about another class
            found = type(self)(self.network, class_, evidence=self.evidence, **choices)
        else:
            found = self.replace(**choices)
        return found.naive or found

    def row_names(self, node: Node) -> list[str]:
        """The rows of a table by the parents' values; that of the class stands alone."""
        parents = [self.network.node(parent) for parent in node.parents]
        said = [[v if p.name == self.class_name else f"{p.name}={v}" for v in p.values] for p in parents]
        return [", ".join(row) for row in product(*said)]

    def numbers(self) -> Iterator[Named]:
        yield from self._priors()
        for node in self.relevant.nodes:
            if node.name == self.class_name and not node.parents:
                continue  # the prior
            for at, (row, said) in enumerate(zip(node.table, self.row_names(node), strict=True)):
                given = f" | {said}" if said else ""
                for i, value in enumerate(node.values):
                    name = f"Pr({node.name}={value}{given})"
                    put = moving(row, i, name, partial(self._with_row, node, at))
                    yield Named(("entry", node.name, said, value), name, row[i], put)

    def _with_prior(self, row: Sequence[Fraction]) -> Self:
        return self._with_row(self.network.node(self.class_name), 0, row)

    def _with_row(self, node: Node, at: int, row: Sequence[Fraction]) -> Self:
        table = [row if i == at else kept for i, kept in enumerate(node.table)]
        return self.replace(network=self.network.with_tables({node.name: table}))

    def rounded(self, digits: int, *, zeros: bool = True) -> Self:
        return self.replace(network=self.network.rounded(digits, zeros=zeros))

    def __repr__(self) -> str:
        limit = "" if self.positive is None else f" {brief(self.threshold)}"
        source = self._from() + (f", {len(self.hidden)} hidden" if self.hidden else "")
        if self.evidence:
            source += ", given " + ", ".join(f"{name}={value}" for name, value in self.evidence)
        return f"Network classifier: {self._if()}{limit}, {source}"
