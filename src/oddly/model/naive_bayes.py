# SPDX-License-Identifier: Apache-2.0
"""Naive Bayes classifiers: section 2 of Chan and Darwiche (2003)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from dataclasses import replace as dataclass_replace
from fractions import Fraction
from math import inf
from typing import Any, Literal, Self

from oddly.errors import ModelError, UnknownName
from oddly.model.decision import Ties, checked_positive, checked_ties, two_labels
from oddly.model.numbers import Number, as_float, brief, exact, probability, written
from oddly.model.variable import Bins, Variable, distinct, variable

Missing = Literal["skip", "drop", "value"]
"""What a missing cell of a table does: it is skipped in its own column, drops its row, or is a value."""

TOLERANCE = Fraction(1, 10**6)  # how far a row of probabilities may miss one; it is used as given


@dataclass(frozen=True, init=False)
class CPT:
    """An attribute and its probabilities given each class value.

    >>> CPT("U", ["+ve", "-ve"], {"yes": ["0.73", "0.27"], "no": ["0.107", "0.893"]}).given["no"]
    (Fraction(107, 1000), Fraction(893, 1000))
    """

    name: str
    values: tuple[str, ...]
    given: Mapping[str, tuple[Fraction, ...]]
    bins: Bins | None

    def __init__(
        self, name: str, values: Sequence[str], given: Mapping[str, Sequence[Number]], bins: Bins | None = None
    ) -> None:
        checked = variable(name, values, "attribute", bins)
        if not isinstance(given, Mapping):
            raise ModelError(f"attribute {name}: expected a row per class value, found {given!r}")
        rows = {label: distribution(row, checked.values, f"{name} given {label}") for label, row in given.items()}
        object.__setattr__(self, "name", checked.name)
        object.__setattr__(self, "values", checked.values)
        object.__setattr__(self, "given", rows)
        object.__setattr__(self, "bins", bins)

    @property
    def variable(self) -> Variable:
        return Variable(self.name, self.values, self.bins)

    def __hash__(self) -> int:
        return hash((self.name, self.values, frozenset(self.given.items())))


@dataclass(frozen=True)
class Learned:
    """The counts a model was learned from: what one more row would change."""

    alpha: Fraction
    """Added to every count of a value."""
    rows: tuple[int, ...]
    """By class value."""
    observed: tuple[tuple[int, ...], ...]
    """By attribute and class value: rows in which the attribute was not missing."""
    missing: Missing = "skip"
    """What a missing cell does."""


@dataclass(frozen=True, init=False, repr=False)
class NaiveBayes:
    """A class variable, its prior, and attributes that are independent given the class.

    Positive iff Pr(positive | instance) >= threshold; with `ties="negative"`, iff it is greater. Rows of
    probabilities may miss one by a millionth, as published tables do, and are used as given.

    >>> NaiveBayes("P", ["yes", "no"], ["0.87", "0.13"], threshold="0.9", attributes=[
    ...     CPT("U", ["+ve", "-ve"], {"yes": ["0.73", "0.27"], "no": ["0.107", "0.893"]})])
    NaiveBayes: P=yes if Pr >= 0.9, prior 0.87, from 1 attribute (U)
    """

    class_name: str
    class_values: tuple[str, ...]
    prior: tuple[Fraction, ...]
    attributes: tuple[CPT, ...]
    positive: str | None
    threshold: Fraction
    ties: Ties
    learned: Learned | None = field(compare=False)

    def __init__(
        self,
        class_name: str,
        class_values: Sequence[str],
        prior: Sequence[Number],
        attributes: Sequence[CPT],
        positive: str | None = None,
        threshold: Number = Fraction(1, 2),
        ties: Ties = "positive",
        learned: Learned | None = None,
    ) -> None:
        target = variable(class_name, class_values, "class")
        if len(target.values) < 2:
            raise ModelError(f"class {class_name}: a classifier needs two class values, found {len(target.values)}")
        attributes = tuple(attributes)
        distinct([a.name for a in attributes] + [target.name], "attributes and class", "name")
        for a in attributes:
            _check_rows(a, target)
        fields: dict[str, Any] = {
            "class_name": target.name,
            "class_values": target.values,
            "prior": distribution(prior, target.values, f"prior of {target.name}"),
            "attributes": attributes,
            "positive": checked_positive(positive, target),
            "threshold": probability(threshold, "threshold"),
            "ties": checked_ties(ties),
            "learned": learned,
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The attributes, without their numbers."""
        return tuple(a.variable for a in self.attributes)

    @property
    def labels(self) -> tuple[str, ...]:
        """The decisions: (negative, positive), or the class values where the most probable one is taken."""
        if self.positive is None:
            return self.class_values
        return two_labels(self.positive, self.class_values)

    def replace(self, **changes: Any) -> Self:
        """The same model with some fields changed, checked again; counts do not survive a change of probabilities."""
        if changes.keys() & {"prior", "attributes", "class_values"}:
            changes.setdefault("learned", None)
        return dataclass_replace(self, **changes)

    def observe(self, values: Mapping[str, str]) -> "NaiveBayes":
        """The classifier that remains once these attributes are known: the paper's network N_φ."""
        evidence = list(self.prior)
        by_name = {a.name: a for a in self.attributes}
        for name, value in values.items():
            if name not in by_name:
                raise UnknownName.among("attribute", name, by_name)
            at = by_name[name].variable.index(value)
            evidence = [p * by_name[name].given[c][at] for p, c in zip(evidence, self.class_values, strict=True)]
        total = sum(evidence, Fraction(0))
        if total == 0:
            raise ModelError(f"{values}: impossible under every class, so no model remains")
        rest = [a for a in self.attributes if a.name not in values]
        return self.replace(prior=[p / total for p in evidence], attributes=rest)

    def posterior(self, instance: Mapping[str, str]) -> tuple[Fraction, ...] | None:
        """Pr(class value | instance) for each class value, exactly; None if the instance is impossible."""
        joint = list(self.prior)
        for a in self.attributes:
            if a.name not in instance:
                raise UnknownName(f"the instance has no value for {a.name}")
            at = a.variable.index(instance[a.name])
            joint = [p * a.given[c][at] for p, c in zip(joint, self.class_values, strict=True)]
        total = sum(joint, Fraction(0))
        return tuple(p / total for p in joint) if total else None

    def __repr__(self) -> str:
        n = len(self.attributes)
        names = ", ".join(a.name for a in self.attributes[:6]) + (", …" if n > 6 else "")
        source = f"from {n} attribute{'' if n == 1 else 's'}" + (f" ({names})" if names else "")
        if self.positive is None:
            return f"NaiveBayes: the most probable {self.class_name} of {', '.join(self.class_values)}, {source}"
        sign = ">=" if self.ties == "positive" else ">"
        prior = self.prior[self.class_values.index(self.positive)]
        return (
            f"NaiveBayes: {self.class_name}={self.positive} if Pr {sign} {brief(self.threshold)}, "
            f"prior {brief(prior)}, {source}"
        )


def distribution(row: object, values: Sequence[str], where: str) -> tuple[Fraction, ...]:
    """A row of probabilities, one per value, that sums to one within the tolerance."""
    if isinstance(row, str | Mapping) or not isinstance(row, Iterable):
        raise ModelError(f"{where}: expected a list of probabilities, found {row!r}")
    written_row = list(row)
    if len(written_row) != len(values):
        raise ModelError(f"{where}: {len(values)} values need {len(values)} probabilities, found {len(written_row)}")
    numbers = tuple(exact(p, f"{where}, {value}") for value, p in zip(values, written_row, strict=True))
    for value, p in zip(values, numbers, strict=True):
        if p < 0:
            raise ModelError(f"{where}, {value}: a probability is not negative, found {written(p)}")
    total = sum(numbers, Fraction(0))
    if as_float(total) == inf:
        raise ModelError(f"{where}: a number too large for a probability")
    if abs(total - 1) > TOLERANCE:
        raise ModelError(f"{where}: the probabilities sum to {as_float(total):.9g}, not to 1")
    return numbers


def _check_rows(a: CPT, target: Variable) -> None:
    if not isinstance(a, CPT):
        raise ModelError(f"expected a CPT per attribute, found {a!r}")
    missing = [c for c in target.values if c not in a.given]
    extra = [c for c in a.given if c not in target.values]
    if missing:
        raise ModelError(f"attribute {a.name}: no row for {target.name}={missing[0]}")
    if extra:
        raise ModelError(f"attribute {a.name}: a row for {extra[0]!r}, but {target!r}")
