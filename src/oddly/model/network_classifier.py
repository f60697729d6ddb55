# SPDX-License-Identifier: Apache-2.0
"""A Bayesian network that decides: which variable, from which others, at which threshold."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from dataclasses import replace as dataclass_replace
from fractions import Fraction
from typing import Any, Self

import numpy as np

from oddly.errors import ModelError, UnknownName
from oddly.model.decision import Ties, checked_positive, checked_ties, two_labels
from oddly.model.elimination import class_masses
from oddly.model.naive_bayes import CPT, NaiveBayes
from oddly.model.network import Network, Node
from oddly.model.numbers import Number, brief, probability
from oddly.model.variable import Variable, distinct


@dataclass(frozen=True, init=False, repr=False)
class NetworkClassifier:
    """Positive iff Pr(positive | attributes, evidence) >= threshold; every other variable is summed out.

    >>> from oddly.model import Node
    >>> rain = Node("rain", ["yes", "no"], [], [["0.3", "0.7"]])
    >>> wet = Node("wet", ["yes", "no"], ["rain"], [["0.9", "0.1"], ["0.2", "0.8"]])
    >>> NetworkClassifier(Network([rain, wet]), "rain", ["wet"]).posterior({"wet": "yes"})
    (Fraction(27, 41), Fraction(14, 41))
    """

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
        if len(target.values) < 2:
            raise ModelError(f"class {class_name}: a classifier needs two class values, found {len(target.values)}")
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
        fields: dict[str, Any] = {
            "network": network,
            "class_name": class_name,
            "attributes": tuple(attributes),
            "positive": checked_positive(positive, target),
            "threshold": probability(threshold, "threshold"),
            "ties": checked_ties(ties),
            "evidence": tuple(known.items()),
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @classmethod
    def of(cls, model: "NaiveBayes | NetworkClassifier") -> "NetworkClassifier":
        """A naive Bayes as the network that it is: the class is every attribute's only parent."""
        if isinstance(model, NetworkClassifier):
            return model
        target = Node(model.class_name, model.class_values, [], [model.prior])
        nodes = [
            Node(a.name, a.values, [target.name], [a.given[c] for c in model.class_values], a.bins)
            for a in model.attributes
        ]
        names = [node.name for node in nodes]
        return cls(Network([target, *nodes]), target.name, names, model.positive, model.threshold, model.ties)

    @property
    def class_values(self) -> tuple[str, ...]:
        return self.network.node(self.class_name).values

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The attributes."""
        return tuple(self.network.node(name).variable for name in self.attributes)

    @property
    def labels(self) -> tuple[str, ...]:
        """The decisions: (negative, positive), or the class values where the most probable one is taken."""
        if self.positive is None:
            return self.class_values
        return two_labels(self.positive, self.class_values)

    @property
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

    def posterior(self, instance: Mapping[str, str]) -> tuple[Fraction, ...] | None:
        """Pr(class value | instance, evidence) for each class value, exactly; None if these are impossible."""
        for name in self.attributes:
            if name not in instance:
                raise UnknownName(f"the instance has no value for {name}")
        codes = [self.network.node(name).variable.index(instance[name]) for name in self.attributes]
        masses, _ = class_masses(self, np.array([codes], np.intp))
        total = sum(masses[0])
        return tuple(Fraction(mass, total) for mass in masses[0]) if total else None

    def replace(self, **changes: Any) -> Self:
        """The same classifier with some fields changed, checked again."""
        return dataclass_replace(self, **changes)

    def observe(self, values: Mapping[str, str]) -> "NetworkClassifier":
        """The classifier that remains once these attributes are known: they become evidence."""
        for name in values:
            if name not in self.attributes:
                raise UnknownName.among("attribute", name, self.attributes)
        rest = [name for name in self.attributes if name not in values]
        return self.replace(attributes=rest, evidence={**dict(self.evidence), **values})

    def __repr__(self) -> str:
        n = len(self.attributes)
        names = ", ".join(self.attributes[:6]) + (", …" if n > 6 else "")
        hidden = len(self.relevant.nodes) - n - 1 - len(self.evidence)
        source = f"from {n} attribute{'' if n == 1 else 's'}" + (f" ({names})" if names else "")
        source += f", {hidden} hidden" if hidden else ""
        if self.evidence:
            source += ", given " + ", ".join(f"{name}={value}" for name, value in self.evidence)
        if self.positive is None:
            return (
                f"Network classifier: the most probable {self.class_name} of {', '.join(self.class_values)}, {source}"
            )
        sign = ">=" if self.ties == "positive" else ">"
        return f"Network classifier: {self.class_name}={self.positive} if Pr {sign} {brief(self.threshold)}, {source}"


def class_prior(model: Any) -> tuple[Fraction, ...] | None:
    """Pr(class value) as the model has it; None where other variables come before the class, and where points decide."""
    if isinstance(model, NaiveBayes):
        return model.prior
    if not isinstance(model, NetworkClassifier):
        return None
    target = model.network.node(model.class_name)
    return None if target.parents else target.table[0]
