# SPDX-License-Identifier: Apache-2.0
"""Every number of a model: its name, what it is now, and the model with another in its place.

A number is found by its *path*, a tuple of texts:

    ("prior",)  ("threshold",)  ("entry", "U", "yes", "+ve")          probabilities
    ("intercept",)  ("cutoff",)  ("points", "age", "young")           points
    ("prior", "rain")  ("intercept", "rain")  ("points", "sky", "grey", "rain")    of one of many classes

A probability moves as in `oddly.allowed`: the others of its row keep their proportions, and the row its sum.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from oddly.errors import ModelError, UnknownName
from oddly.model import CPT, Model, NaiveBayes, NetworkClassifier, Node, Points, Scoreboard, Scorecard, Tally
from oddly.model.network import Network
from oddly.model.network_classifier import class_prior
from oddly.model.numbers import Number, exact, written
from oddly.model.numbers import probability as as_probability
from oddly.questions.allowed.entries import row_names

Path = tuple[str, ...]
Edits = Sequence[tuple[Sequence[str], Number]]


@dataclass(frozen=True)
class Named:
    """One number of a model."""

    path: Path
    name: str
    now: Fraction
    points: bool = False

    @property
    def movable(self) -> bool:
        """A probability of 0 or 1 has nothing to keep its proportions with."""
        return self.points or 0 < self.now < 1 or self.path == ("threshold",)


def numbers(model: Model) -> list[Named]:
    """What are the numbers of a model?

    >>> from oddly import examples
    >>> [(n.name, str(n.now)) for n in numbers(examples.pregnancy())[:3]]
    [('Pr(P=yes)', '87/100'), ('threshold', '9/10'), ('Pr(U=+ve | yes)', '73/100')]
    """
    if isinstance(model, Scorecard | Scoreboard):
        return list(_points(model))
    return [*_priors(model), *(_entries_of_bayes(model) if isinstance(model, NaiveBayes) else _tables(model))]


def edited(model: Model, edits: Edits) -> Model:
    """The model with some of its numbers changed, one after the other.

    >>> from oddly import examples
    >>> edited(examples.pregnancy(), [(["prior"], "0.6"), (["threshold"], "0.8")])
    NaiveBayes: P=yes if Pr >= 0.8, prior 0.6, from 3 attributes (U, B, S)
    """
    for path, to in edits:
        model = _changed(model, tuple(path), to)
    return model


# ---- what there is ----


def _priors(model: NaiveBayes | NetworkClassifier) -> Iterator[Named]:
    prior = class_prior(model)
    values = dict(zip(model.class_values, prior or (), strict=False))
    if model.positive is None:
        yield from (Named(("prior", v), f"Pr({model.class_name}={v})", p) for v, p in values.items())
        return
    if prior is not None:
        yield Named(("prior",), f"Pr({model.class_name}={model.positive})", values[model.positive])
    yield Named(("threshold",), "threshold", model.threshold)


def _entries_of_bayes(model: NaiveBayes) -> Iterator[Named]:
    for a in model.attributes:
        for label in model.class_values:
            for value, p in zip(a.values, a.given[label], strict=True):
                yield Named(("entry", a.name, label, value), f"Pr({a.name}={value} | {label})", p)


def _tables(model: NetworkClassifier) -> Iterator[Named]:
    for node in model.relevant.nodes:
        if node.name == model.class_name and not node.parents:
            continue  # the prior
        for row, said in zip(node.table, row_names(model, node), strict=True):
            for value, p in zip(node.values, row, strict=True):
                given = f" | {said}" if said else ""
                yield Named(("entry", node.name, said, value), f"Pr({node.name}={value}{given})", p)


def _points(model: Scorecard | Scoreboard) -> Iterator[Named]:
    if isinstance(model, Scorecard):
        yield Named(("cutoff",), "cut-off", model.cutoff, True)
        yield Named(("intercept",), "intercept", model.intercept, True)
        for a in model.attributes:
            for value, points in zip(a.values, a.points, strict=True):
                yield Named(("points", a.name, value), f"points of {a.name}={value}", points, True)
        return
    for label, base in zip(model.class_values, model.intercept, strict=True):
        yield Named(("intercept", label), f"intercept of {label}", base, True)
    for tally in model.attributes:
        for value, row in zip(tally.values, tally.points, strict=True):
            for label, points in zip(model.class_values, row, strict=True):
                path = ("points", tally.name, value, label)
                yield Named(path, f"points of {tally.name}={value} for {label}", points, True)


# ---- what it becomes ----


def _changed(model: Model, path: Path, to: Number) -> Model:
    found = next((number for number in numbers(model) if number.path == path), None)
    if found is None:
        raise UnknownName.among("number", " / ".join(path), [" / ".join(n.path) for n in numbers(model)])
    if isinstance(model, Scorecard):
        return _card(model, path, exact(to, found.name))
    if isinstance(model, Scoreboard):
        return _board(model, path, exact(to, found.name))
    number = as_probability(to, found.name)
    if path == ("threshold",):
        return model.replace(threshold=number)
    if path[0] == "prior":
        return _with_prior(model, path[1] if len(path) == 2 else model.positive or "", number, found.name)
    if isinstance(model, NaiveBayes):
        return _cpt(model, path, number, found.name)
    return _table(model, path, number, found.name)


def _with_prior(model: NaiveBayes | NetworkClassifier, label: str, to: Fraction, name: str) -> Model:
    row = class_prior(model)
    assert row is not None
    moved = _moved(row, model.class_values.index(label), to, name)
    if isinstance(model, NaiveBayes):
        return model.replace(prior=moved)
    return _with_node(model, model.class_name, 0, moved)


def _cpt(model: NaiveBayes, path: Path, to: Fraction, name: str) -> NaiveBayes:
    _, attribute, label, value = path

    def changed(a: CPT) -> CPT:
        row = _moved(a.given[label], a.values.index(value), to, name)
        return CPT(a.name, a.values, {**a.given, label: row}, a.bins)

    return model.replace(attributes=[changed(a) if a.name == attribute else a for a in model.attributes])


def _table(model: NetworkClassifier, path: Path, to: Fraction, name: str) -> NetworkClassifier:
    _, variable, row, value = path
    node = model.network.node(variable)
    at = row_names(model, node).index(row)
    return _with_node(model, variable, at, _moved(node.table[at], node.values.index(value), to, name))


def _with_node(model: NetworkClassifier, name: str, at: int, row: Sequence[Fraction]) -> NetworkClassifier:
    old = model.network.node(name)
    table = [row if i == at else kept for i, kept in enumerate(old.table)]
    new = Node(old.name, old.values, old.parents, table, old.bins)
    nodes = [new if node.name == name else node for node in model.network.nodes]
    return model.replace(network=Network(nodes, model.network.name))


def _moved(row: Sequence[Fraction], at: int, to: Fraction, name: str) -> list[Fraction]:
    """The row with one entry changed and the others in proportion."""
    total, rest = sum(row, Fraction(0)), sum(row, Fraction(0)) - row[at]
    if not rest or to > total:
        raise ModelError(f"{name}: it is {written(row[at])} of {written(total)} and cannot become {written(to)}")
    return [to if i == at else p * (total - to) / rest for i, p in enumerate(row)]


def _card(model: Scorecard, path: Path, to: Fraction) -> Scorecard:
    if len(path) == 1:
        return model.replace(**{path[0]: to})
    _, attribute, value = path

    def changed(a: Points) -> Points:
        points = [to if v == value else p for v, p in zip(a.values, a.points, strict=True)]
        return Points(a.name, a.values, points, a.bins)

    return model.replace(attributes=[changed(a) if a.name == attribute else a for a in model.attributes])


def _board(model: Scoreboard, path: Path, to: Fraction) -> Scoreboard:
    place = model.class_values.index(path[-1])

    def row(old: Sequence[Any]) -> list[Any]:
        return [to if i == place else p for i, p in enumerate(old)]

    if path[0] == "intercept":
        return model.replace(intercept=row(model.intercept))
    _, attribute, value, _ = path

    def changed(a: Tally) -> Tally:
        points = [row(p) if v == value else p for v, p in zip(a.values, a.points, strict=True)]
        return Tally(a.name, a.values, points, a.bins)

    return model.replace(attributes=[changed(a) if a.name == attribute else a for a in model.attributes])
