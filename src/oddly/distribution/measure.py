# SPDX-License-Identifier: Apache-2.0
"""How probable?  Distributions over instances.

A `Mixture` is a weighted sum of products, each with a probability per value of every attribute: the uniform
distribution is one product, a naive Bayes model one per class. A `Joint` is a network's own distribution. A `Table`
is rows of data as they are. Passes come in two kinds of numbers: whole ones, exact at any size, and float64. All
terms of a sum are positive or zero, so floats lose nothing to cancellation: with b values an attribute costs at most
b + 1 roundings, and the relative error of a probability stays below (Σ(b+1) + 4)·2^-53 as long as it is above
1e-300. Under a network each of its factors and parts costs some three roundings more.
"""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm, prod
from typing import Any, TypeVar

import numpy as np

from oddly.diagram import ODD
from oddly.diagram.passes.semirings import Numbers
from oddly.diagram.rows import known_values
from oddly.distribution.joint import COIN, Joint, of_network
from oddly.distribution.rows import NO_SUCH as NO_SUCH
from oddly.distribution.rows import DataRows as DataRows
from oddly.distribution.rows import of_rows
from oddly.errors import TooLarge, UnknownValue, Unsupported, listed
from oddly.formats import read
from oddly.formats.files import is_model_file
from oddly.model import Model, NaiveBayes, Network, NetworkClassifier, Node, Variable
from oddly.model.shared import lying_in, meets

Known = Mapping[int, int]
"""A partial assignment, by places: of attributes in a diagram's order, and of values."""
Probability = float | Fraction
Found = TypeVar("Found")
MOST_EXACT = 3_000_000  # edges times passes: beyond that fractions take too long, and floats serve


@dataclass(frozen=True)
class Product:
    """Independent attributes: per attribute, in a diagram's order, a probability per value."""

    weight: Fraction
    rows: tuple[tuple[Fraction, ...], ...]
    name: str | None = None
    """The class value whose distribution this is."""

    @property
    def mass(self) -> Fraction:
        """What all instances weigh together: the weight, where every row sums to one."""
        return self.weight * prod((sum(row, Fraction(0)) for row in self.rows), start=Fraction(1))

    def floats(self) -> list[Numbers]:
        return [np.array([float(p) for p in row]) for row in self.rows]

    def integers(self) -> tuple[list[Numbers], int]:
        """Every row times its common denominator, and the product of these denominators."""
        scales = [lcm(*(p.denominator for p in row)) for row in self.rows]
        rows = [[int(p * scale) for p in row] for row, scale in zip(self.rows, scales, strict=True)]
        kind: Any = np.int64 if prod(max(sum(row), 1) for row in rows) < 1 << 62 else object
        return [np.array(row, kind) for row in rows], prod(scales)

    def knowing(self, known: Known) -> "Product":
        """The same with every other value of the known attributes impossible."""
        rows = ((known.get(i), row) for i, row in enumerate(self.rows))
        left = (tuple(p if at in (None, v) else Fraction(0) for v, p in enumerate(row)) for at, row in rows)
        return replace(self, rows=tuple(left))


@dataclass(frozen=True)
class Mixture:
    """A weighted sum of products; probabilities are shares of its mass."""

    name: str
    """As in "probability 0.8 under ...": the model, the uniform distribution."""
    products: tuple[Product, ...]
    class_name: str | None = None
    """Of the variable whose values the products stand for."""

    @property
    def classes(self) -> tuple[str, ...]:
        """The class value of each product."""
        return tuple(p.name or "" for p in self.products)

    @property
    def mass(self) -> Fraction:
        return sum((p.mass for p in self.products), Fraction(0))

    def knowing(self, known: Known) -> "Mixture":
        return replace(self, products=tuple(p.knowing(known) for p in self.products)) if known else self


Measure = Mixture | Joint | DataRows


# ---- from what a caller names ----


def measure_of(odd: ODD, under: Any = None, variables: Sequence[Variable] | None = None) -> Measure:
    """The distribution a caller names: "model", "uniform", a model, a network, a table of rows, or the path of one of these.

    None is the model's own where it has one, and the uniform distribution otherwise. It is a distribution over
    `variables`, by default the diagram's own; rows are always the diagram's.
    """
    over = odd.variables if variables is None else variables
    if isinstance(under, Mixture | Joint | DataRows):
        return under
    under = read_under(under, odd)
    if under is None:
        under = "model" if odd.source and odd.source.model.probabilistic else "uniform"
    if isinstance(under, str) and under == "uniform":
        return uniform(over)
    if isinstance(under, str) and under == "model":
        if odd.source is None:
            raise Unsupported("this diagram was combined from others, so it has no model; name one, or 'uniform'")
        return of_model(odd.source.model, over)
    if isinstance(under, Truth):
        return of_model(under.model, over, under.name)
    return of_rows(under, odd)


@dataclass(frozen=True)
class Truth:
    """Another model as a distribution, and what it is called."""

    model: Model
    name: str = "the model"


def read_under(under: Any, odd: ODD) -> Any:
    """The same, with files of models and networks read: rows and words are left as they are."""
    name = "the model"
    if isinstance(under, str | os.PathLike) and is_model_file(under):
        name, under = f"the model of {os.fspath(under)}", read(under)
    if isinstance(under, Network):
        return Truth(_asked_nothing(under, odd), name.replace("model", "network", 1))
    return Truth(under, name) if isinstance(under, Model) else under


def _asked_nothing(network: Network, odd: ODD) -> Model:
    """A network as a distribution over a diagram's attributes. Its class is the model's, or a coin beside it."""
    inside = {node.name: node.variable for node in network.nodes}
    for v in odd.variables:
        if v.name in inside and set(inside[v.name].values) != set(v.values):
            raise UnknownValue(
                f"{v.name} is one of {listed(v.values)}; in the network, of {listed(inside[v.name].values)}"
            )
    target = odd.source.model.class_name if odd.source else ""
    if target not in inside or target in odd.order:
        target = COIN + "".join(sorted(inside))
        network = Network([*network.nodes, Node(target, ["heads", "tails"], [], [["1/2", "1/2"]])], network.name)
    return NetworkClassifier(network, target, [name for name in odd.columns if name in inside])


def possible_under(odd: ODD, under: Any) -> Measure:
    """The same, where something is possible: with nothing, there are no probabilities."""
    measure = measure_of(odd, under)
    if not measure.mass:
        raise Unsupported(f"nothing is possible under {measure.name}, so it has no probabilities")
    return measure


def small_enough(odds: Iterable[ODD], passes: int = 1) -> bool:
    """Whether so many passes over diagrams may be in fractions, where nobody says so."""
    return passes * sum(level.size for odd in odds for level in odd.levels) <= MOST_EXACT


def in_fractions(
    find: Callable[[bool], Found], exact: bool | None, odds: Iterable[ODD], passes: int = 1
) -> tuple[Found, bool]:
    """What is found in fractions if it must be or can be, in floats otherwise; and whether it is in fractions."""
    if exact is None and small_enough(odds, passes):
        with suppress(TooLarge):  # a network's whole numbers may be
            return find(True), True
    return find(bool(exact)), bool(exact)


def uniform(variables: Sequence[Variable]) -> Mixture:
    """Every instance is as probable as any other."""
    rows = tuple((Fraction(1, len(v.values)),) * len(v.values) for v in variables)
    return Mixture("the uniform distribution", (Product(Fraction(1), rows),))


def of_model(model: Model, variables: Sequence[Variable], name: str = "the model") -> Mixture | Joint:
    """The model's own distribution over these attributes. Others are summed out.

    Values are the model's own, or some of them; an error where they are finer, and it does not say how its own divide.
    """
    measure, own = by_model(model, variables, name), {v.name: v for v in (*model.variables, *model.others.values())}
    for v in variables:
        for value, place in zip(v.values, lying_in(v, own[v.name]), strict=True):
            if place < 0:
                raise UnknownValue.of(v.name, value, own[v.name].values)
        if any(len(places) > 1 for places in meets(v, own[v.name])):
            raise Unsupported(
                f"{name} only knows its own values of {v.name}, and not how they divide; try rows of data"
            )
    return measure


def by_model(model: Model, variables: Sequence[Variable], name: str = "the model") -> Mixture | Joint:
    """What is how probable under a model: as `of_model`, but a finer value has the weight of the model's that it lies in.

    One that it does not know has none. Where values are finer that is no distribution: it only tells which instances lie in the more probable ones.
    """
    if model.probabilistic is None:
        nothing = f"a {type(model).__name__.lower()} says nothing about how probable an instance is"
        raise Unsupported(f"{name}: {nothing}; try 'uniform', or rows of data")
    strange = next((v.name for v in variables if not model.knows([v.name])), None)
    if strange is not None:
        raise Unsupported(f"{name} has no attribute {strange}, so it says nothing about its probabilities")
    if isinstance(model, NaiveBayes):  # a few products serve where a network needs tables
        return _of_naive_bayes(model, variables, name)
    return of_network(model.probabilistic.as_network, variables, name)


def _of_naive_bayes(model: NaiveBayes, variables: Sequence[Variable], name: str) -> Mixture:
    """One product per class value."""
    by_name = {a.name: a for a in model.attributes}
    places = [lying_in(v, by_name[v.name].variable) for v in variables]
    rest = [a for a in model.attributes if a.name not in {v.name for v in variables}]
    products = []
    for value, prior in zip(model.class_values, model.prior, strict=True):
        given = [by_name[v.name].given[value] for v in variables]
        rows = tuple(tuple((*row, Fraction(0))[i] for i in place) for row, place in zip(given, places, strict=True))
        weight = prior * prod((sum(a.given[value]) for a in rest), start=Fraction(1))
        products.append(Product(weight, rows, value))
    return Mixture(name, tuple(products), model.class_name)


def known_places(given: Any, odd: ODD) -> dict[int, int]:
    """A partial assignment, or none, by places, every name and value checked."""
    known = {} if given is None else known_values(odd, given)
    return {i: known[v.name] for i, v in enumerate(odd.variables) if v.name in known}


# ---- shares of a whole ----


def share(part: Probability, whole: Probability, exact: bool = True) -> Probability:
    """Part of a whole, kept from passing one by a rounding; as a float, unless it is exact and to stay so."""
    if not whole:
        raise Unsupported("nothing is possible under this distribution, so it has no probabilities")
    found = part / whole if isinstance(part, Fraction) else min(part / float(whole), 1.0)
    return found if exact else float(found)


def shown(p: Probability) -> str:
    """A probability for a person: four digits, and never rounded to all or nothing.

    >>> shown(0.85), shown(1.0), shown(1 - 1e-9), shown(Fraction(1, 3)), shown(0.0)
    ('0.85', '1', '1 - 1e-09', '0.3333', '0')
    """
    text = f"{float(p):.4g}"
    if text == "1" and p != 1:
        return f"1 - {float(1 - p):.2g}"
    return "under 1e-300" if text == "0" and p else text
