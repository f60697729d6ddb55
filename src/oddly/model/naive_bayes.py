# SPDX-License-Identifier: Apache-2.0
"""Naive Bayes classifiers: section 2 of Chan and Darwiche (2003)."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from dataclasses import replace as dataclass_replace
from fractions import Fraction
from functools import partial
from itertools import product
from math import inf, prod
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from oddly.errors import ModelError, look_up
from oddly.model.classifier import Classifier, Named, Probabilistic, moving
from oddly.model.numbers import Number, as_float, brief, exact, in_whole, rounded_row, unit_of, written
from oddly.model.variable import Bins, Described, Ties, Variable, decision, distinct, keep, one_more, variable

if TYPE_CHECKING:
    from oddly.model.network_classifier import NetworkClassifier

Missing = Literal["skip", "drop", "value"]
"""What a missing cell of a table does: it is skipped in its own column, drops its row, or is a value."""

TOLERANCE = Fraction(1, 10**6)  # how far a row of probabilities may miss one; it is used as given


@dataclass(frozen=True, init=False)
class CPT(Described):
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
        keep(self, name=checked.name, values=checked.values, given=rows, bins=bins)

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


Became = Literal["class", "labels", "bins", "left out"]


@dataclass(frozen=True)
class LearnedColumn:
    """What a column of a table became when a model was learned from it."""

    name: str
    became: Became
    values: tuple[str, ...] = ()
    """Of the attribute or the class."""
    bins: Bins | None = None
    """Where its numbers are cut."""
    missing: int = 0
    """How many of its cells are missing, in rows whose class is known; of the class, how many rows lack it."""
    missing_texts: Mapping[str, int] = field(default_factory=dict)
    """Of those, which stood there as texts such as NA, and how often."""
    why: str = ""
    """Why it was left out."""


@dataclass(frozen=True, init=False, repr=False)
class NaiveBayes(Probabilistic):
    """A class variable, its prior, and attributes that are independent given the class.

    Positive iff Pr(positive | instance) >= threshold; with `ties="negative"`, iff it is greater. Rows of
    probabilities may miss one by a millionth, as published tables do, and are used as given.

    >>> NaiveBayes("P", ["yes", "no"], ["0.87", "0.13"], threshold="0.9", attributes=[
    ...     CPT("U", ["+ve", "-ve"], {"yes": ["0.73", "0.27"], "no": ["0.107", "0.893"]})])
    NaiveBayes: P=yes if Pr >= 0.9, prior 0.87, from 1 attribute (U)
    """

    kind = "naive-bayes"
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
        keep(self, **decision(positive, target, threshold, ties))
        attributes = tuple(attributes)
        distinct([a.name for a in attributes] + [target.name], "attributes and class", "name")
        for a in attributes:
            _check_rows(a, target)
        keep(self, class_name=target.name, class_values=target.values, attributes=attributes, learned=learned)
        keep(self, prior=distribution(prior, target.values, f"prior of {target.name}"))

    @property
    def additive(self) -> bool:
        return len(self.class_values) == 2

    @property
    def start(self) -> tuple[Fraction, ...]:
        return self.prior

    @property
    def naive(self) -> Self:
        return self

    @property
    def as_network(self) -> "NetworkClassifier":
        """The network that it is: the class is every attribute's only parent."""
        from oddly.model.network import Network, Node
        from oddly.model.network_classifier import NetworkClassifier

        target = Node(self.class_name, self.class_values, [], [self.prior])
        tables = [(a, [a.given[c] for c in self.class_values]) for a in self.attributes]
        network = Network([target, *(Node(a.name, a.values, [target.name], table, a.bins) for a, table in tables)])
        names = [a.name for a in self.attributes]
        return NetworkClassifier(network, target.name, names, self.positive, self.threshold, self.ties)

    def sides(self, row: Sequence[Fraction]) -> tuple[Fraction, Fraction]:
        """A row over two class values as (positive, negative)."""
        at = self.class_values.index(self.positive or "")
        return row[at], row[1 - at]

    def given_sides(self, a: CPT) -> list[tuple[Fraction, Fraction]]:
        """For each value of an attribute, its probability under the positive and under the negative class."""
        return [self.sides(column) for column in zip(*(a.given[c] for c in self.class_values), strict=True)]

    def knows(self, names: Iterable[str]) -> bool:
        return set(names) <= {a.name for a in self.attributes}

    def replace(self, **changes: Any) -> Self:
        """The same model with some fields changed, checked again; counts do not survive a change of probabilities."""
        if changes.keys() & {"prior", "attributes", "class_values"}:
            changes.setdefault("learned", None)
        return super().replace(**changes)

    def observe(self, values: Mapping[str, str]) -> Self:
        """The classifier that remains once these attributes are known: the paper's network N_φ."""
        evidence = list(self.prior)
        for place, at in self._known(values):
            given = self.attributes[place].given
            evidence = [p * given[c][at] for p, c in zip(evidence, self.class_values, strict=True)]
        total = sum(evidence, Fraction(0))
        if total == 0:
            raise ModelError(f"{values}: impossible under every class, so no model remains")
        rest = [a for a in self.attributes if a.name not in values]
        return self.replace(prior=[p / total for p in evidence], attributes=rest)

    def restricted(self, names: Sequence[str]) -> Self:
        rest = [a for a in self.attributes if a.name not in names]
        starts = zip(self.class_values, self.prior, strict=True)
        sums = [prod((sum(a.given[c]) for a in rest), start=p) for c, p in starts]
        prior = [p / sum(sums) for p in sums]  # rows may miss one by a millionth
        return self.replace(prior=prior, attributes=[a for a in self.attributes if a.name in names])

    def choose(self, class_: str | None = None, **choices: Any) -> Classifier:
        if class_ is not None and class_ != self.class_name:
            return self.as_network.choose(class_, **choices)
        if "attributes" in choices:
            names, by_name = choices["attributes"], {a.name: a for a in self.attributes}
            choices["attributes"] = [look_up(by_name, name) for name in names]
            if self.learned is not None:
                counts = dict(zip(by_name, self.learned.observed, strict=True))
                choices["learned"] = dataclass_replace(self.learned, observed=tuple(counts[name] for name in names))
        return self.replace(**choices)

    def skipping(self, names: Collection[str]) -> Self:
        half = Fraction(1, 2)  # of every class: ratios stay as they are, and that of the new value is one
        cpts = [
            CPT(a.name, one_more(a.values), {c: [*(p * half for p in row), half] for c, row in a.given.items()})
            if a.name in names
            else a
            for a in self.attributes
        ]
        return self.replace(attributes=cpts)

    def masses(self, codes: NDArray[np.intp]) -> NDArray[Any]:
        found = np.tile(np.array(in_whole([self.prior])[0], object), (len(codes), 1))
        for a, column in zip(self.attributes, codes.T, strict=True):
            found = found * np.array(in_whole([a.given[c] for c in self.class_values])[0], object).T[column]
        return found

    def numbers(self) -> Iterator[Named]:
        yield from self._priors()
        for a, label in product(self.attributes, self.class_values):
            for i, (value, p) in enumerate(zip(a.values, a.given[label], strict=True)):
                name = f"Pr({a.name}={value} | {label})"
                put = moving(a.given[label], i, name, partial(self._with_row, a, label))
                yield Named(("entry", a.name, label, value), name, p, put)

    def _with_prior(self, row: Sequence[Fraction]) -> Self:
        return self.replace(prior=row)

    def _with_row(self, of: CPT, label: str, row: Sequence[Fraction]) -> Self:
        new = CPT(of.name, of.values, {**of.given, label: row}, of.bins)
        return self.replace(attributes=[new if a is of else a for a in self.attributes])

    def rounded(self, digits: int, *, zeros: bool = True) -> Self:
        unit = unit_of(digits)
        rows = [{c: rounded_row(row, unit, zeros, a.name) for c, row in a.given.items()} for a in self.attributes]
        cpts = [CPT(a.name, a.values, given, a.bins) for a, given in zip(self.attributes, rows, strict=True)]
        return self.replace(prior=rounded_row(self.prior, unit, zeros, self.class_name), attributes=cpts)

    def __repr__(self) -> str:
        if self.positive is None:
            return f"NaiveBayes: {self._if()}, {self._from()}"
        prior = self.prior[self.class_values.index(self.positive)]
        return f"NaiveBayes: {self._if()} {brief(self.threshold)}, prior {brief(prior)}, {self._from()}"


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
    for c in (*target.values, *a.given):
        if c not in a.given:
            raise ModelError(f"attribute {a.name}: no row for {target.name}={c}")
        if c not in target.values:
            raise ModelError(f"attribute {a.name}: a row for {c!r}, but {target!r}")
