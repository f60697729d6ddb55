# SPDX-License-Identifier: Apache-2.0
"""What is written out of a classifier: whole-number weights that decide as it does, or its diagram.

Weights are taken where they are proven to make every decision: exact points always, rounded logarithms once the
diagram's certificate says so. Everything else is walked, node by node.
"""

import hashlib
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.compiler import as_diagram, as_model, is_diagram
from oddly.diagram import ODD
from oddly.errors import Unsupported
from oddly.formats import model_digest
from oddly.lowering import Families, lowered
from oddly.lowering.score import FINITE, Score
from oddly.model import Model, Variable
from oddly.runtime import stopped

MOST_CHILDREN = 2_000_000  # entries of a diagram that a file of text still holds in a form that anything reads


@dataclass(frozen=True, eq=False)
class Board:
    """For each class the sum of one weight per attribute; the greatest wins, of equals the first."""

    start: tuple[int, ...]
    """Per class, those first that win ties."""
    weights: tuple[tuple[tuple[int | None, ...], ...], ...]
    """Per attribute, value and class; None where the class is impossible."""
    labels: tuple[int, ...]
    """The label of each class."""
    fallback: int
    """The label of an instance that no class is possible for."""
    possible: bool
    """Whether every class is, of every instance."""


@dataclass(frozen=True, eq=False)
class Subject:
    """A classifier as it is written out, its attributes in the model's order."""

    variables: tuple[Variable, ...]
    labels: tuple[str, ...]
    score: Score | None
    """Weights that are held against zero, where they decide."""
    board: Board | None
    """Weights per class, where they decide."""
    model: Model | None
    made: ODD | None
    """The diagram; None where none was needed."""

    @cached_property
    def odd(self) -> ODD:
        """The diagram, built now if it was not."""
        return self.made if self.made is not None else as_diagram(self.model)

    @property
    def walked(self) -> ODD:
        """The diagram, if a text can hold it."""
        children = sum(level.size for level in self.odd.levels)
        if children > MOST_CHILDREN:
            needed = f"{children:,} entries of a diagram"
            raise stopped(needed, f"{MOST_CHILDREN:,} in a text", "order=oddly.best_of(100)", "fewer attributes")
        return self.odd

    @property
    def instances(self) -> int:
        return prod(len(v.values) for v in self.variables)

    def decide(self, codes: NDArray[np.intp]) -> list[int]:
        """The place of the label of each row of value indices."""
        if self.made is not None:
            return [int(label) for label in self.made.decide(codes)]
        if self.score is None:
            return [int(label) for label in self.odd.decide(codes)]
        rows = [[term.weight for term in terms] for terms in self.score.terms]  # all are finite: they are points
        return [
            int(self.score.start + sum(w[v] for w, v in zip(rows, row, strict=True)) >= 0) for row in codes.tolist()
        ]

    @property
    def origin(self) -> tuple[str, ...]:
        """The lines that say where a file comes from: the model's digest, and its certificate."""
        of = (
            "SHA-256 of the model" if self.model is not None else "No model, a combined diagram.  SHA-256 of its levels"
        )
        return (f"Written by oddly export.  {of}: {self.digest}.", self.proof)

    @property
    def digest(self) -> str:
        """The SHA-256 of the model, whichever file holds it, or without one of the diagram."""
        if self.model is not None:
            return model_digest(self.model)
        found = hashlib.sha256(repr((self.variables, self.labels, self.odd.order, self.odd.root)).encode())
        for level in self.odd.levels:
            found.update(np.ascontiguousarray(level, "<u4").tobytes())
        return found.hexdigest()

    @property
    def proof(self) -> str:
        """The certificate, in a sentence."""
        if self.made is None:
            return "Certificate: proven; every number is added as it was written, and none was rounded"
        if self.made.source is None:
            return "Certificate: none; a combined diagram has no numbers to be held against"
        return repr(self.made.certificate)


def subject(thing: Any) -> Subject:
    """Whatever the caller has, as it is written out; compiled unless its weights are exact as they stand."""
    if not is_diagram(thing):
        model = as_model(thing)
        source = None if model.probabilistic else lowered(model)
        if source is not None and not source.rounded:
            return _of_source(source, model, None)
        thing = as_diagram(model)
    odd = as_diagram(thing)
    trusted = odd.source is not None and odd.certificate.proven
    return _of_source(odd.source if trusted else None, None if odd.source is None else odd.source.model, odd)


def _of_source(source: Any, model: Model | None, odd: ODD | None) -> Subject:
    if isinstance(source, Score | Families):
        source = source.in_order([int(i) for i in np.argsort(source.places)])
    if odd is not None:
        variables, labels = tuple(odd.variables[int(i)] for i in np.argsort(odd.places)), odd.labels
    else:
        variables, labels = source.variables, source.labels
    score = source if isinstance(source, Score) else None
    board = _board(source) if isinstance(source, Families) else None
    return Subject(variables, labels, score, board, model, odd)


def _board(families: Families) -> Board | None:
    """The weights of every attribute by itself; None where some are tied together."""
    if any(len(family.scope) != 1 for family in families.families):
        return None
    classes = list(families.order)
    if not families.prior.alive.all():
        return None  # a class that no instance has: rare, and the diagram knows
    weights: list[list[list[int | None]]] = [[[0] * len(classes) for _ in v.values] for v in families.variables]
    for family in families.families:
        rows = weights[family.scope[0]]
        for value, row in enumerate(rows):
            for place, c in enumerate(classes):
                old = row[place]
                alive = old is not None and bool(family.alive[value, c])
                row[place] = (old or 0) + int(family.weights[value, c]) if alive else None
    start = tuple(int(families.prior.weights[c]) for c in classes)
    labels = tuple(families.labels_of[c] for c in classes)
    fixed = tuple(tuple(tuple(row) for row in rows) for rows in weights)
    return Board(start, fixed, labels, families.fallback, families.finite)


def needs_score(subject: Subject, what: str) -> Score:
    """The one sum that decides, or an error: `what` needs it."""
    if subject.score is not None:
        return subject.score
    many = len(subject.labels) > 2
    why = f"a choice among {len(subject.labels)} classes" if many else "a decision that no such sum makes"
    raise Unsupported(f"{what} is of one sum that is held against a threshold; this is {why}")


def reach(score: Score) -> int:
    """A number that no partial sum exceeds."""
    return abs(score.start) + sum(max(abs(term.weight) for term in terms) for terms in score.terms)


def finite(score: Score) -> bool:
    """Whether no probability of zero decides anything."""
    return score.prior.state == FINITE and score.finite
