# SPDX-License-Identifier: Apache-2.0
"""Would one more row of data change any decision?

A row changes the prior and one row of probabilities of every attribute at once. Whether the classifier learned with it
still decides as the diagram does is one pass over the diagram with the new weights: no path to the positive sink may
fall below the threshold, none to the negative sink rise to it. Nothing is built, except where a row makes possible
what had never been seen, or ends too close to the threshold to tell.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from math import isinf
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from oddly.algebra.domain import Domain, Within, domain_of
from oddly.answers import MOST_CASES, Block, Paragraph, ScopedAnswer, Table, as_features
from oddly.compiler import as_diagram, as_model
from oddly.diagram import ODD
from oddly.diagram.certificate import agrees
from oddly.diagram.paths import closest
from oddly.diagram.rows import label_of
from oddly.errors import UnknownValue, Unsupported, listed
from oddly.learning.counted import distinct_texts
from oddly.learning.gaps import is_gap
from oddly.lowering.exact import FixedLog, plain_logs
from oddly.lowering.score import ALWAYS, FINITE, HEADROOM, NEVER, Score, Term
from oddly.model import CPT, MISSING_VALUE, Learned, Missing, NaiveBayes, Variable
from oddly.questions.compare.question import compare
from oddly.runtime import LimitArguments, limited

Row = Mapping[str, str | None]


@dataclass(frozen=True, repr=False)
class AddedRows(ScopedAnswer):
    """Which of some rows would change a decision, each added alone."""

    checked: int
    """How many different rows were tried."""
    changing: tuple[Row, ...]
    """Those that would change the decision on some instance."""

    def verdict(self) -> bool:
        return not self.changing

    def sentence(self) -> str:
        rows = f"{self.checked:,} different row{'' if self.checked == 1 else 's'}"
        if not self.changing:
            return self.scope.said(f"None of {rows} would change any decision.")
        some = f"{len(self.changing):,} of {rows} would change a decision."
        return self.scope.said(f"{some} For example {_told(self.changing[0])}.")

    def blocks(self, most: int | None = None) -> tuple[Block, ...]:
        rows = tuple((_told(row),) for row in self.changing)
        table = Table("Rows that would, each added alone", ("row",), rows).cut(MOST_CASES if most is None else most)
        return (Paragraph(self.sentence()), table) if rows else (Paragraph(self.sentence()),)


def _told(row: Row) -> str:
    return as_features({name: value for name, value in row.items() if value is not None})


def added_rows(model: Any, rows: Any, *, within: Within = None, **limits: Unpack[LimitArguments]) -> AddedRows:
    """Which single additional rows would change some decision of a learned model?

    `rows` is a table with the model's class column. A missing attribute does what it did in learning: it is skipped,
    drops its row, or is the value "?". Cut points stay, and numbers that fall into the same intervals are one row.
    `within` a domain only decisions on its inputs count. True if none would.

    >>> import oddly
    >>> len(added_rows(oddly.examples.tic_tac_toe(), oddly.examples.tic_tac_toe_boards()).changing)
    934
    """
    with limited(limits):
        model = as_model(model)
        missing = _counts(model).missing
        columns, _ = distinct_texts(rows, [model.class_name, *(v.name for v in model.variables)])
        variables = [Variable(model.class_name, model.class_values), *model.variables]
        labels = [_labels(columns[v.name], v, missing if i else "skip") for i, v in enumerate(variables)]
        if None in labels[0]:
            raise _unlabelled(model, f"row {labels[0].index(None) + 1}")
        distinct = dict.fromkeys(zip(*labels, strict=True))
        cases = [{v.name: label for v, label in zip(variables, row, strict=True)} for row in distinct]
        domain = domain_of(within, as_diagram(model))
        still_decides = _decider(domain, model)
        return AddedRows(len(cases), tuple(c for c in cases if not still_decides(c)), scope=domain.scope)


def with_row(model: NaiveBayes, row: Row) -> NaiveBayes:
    """The model that the data and one more row give."""
    counts = _counts(model)
    label = row.get(model.class_name)
    if label is None:
        raise _unlabelled(model, "the row")
    if label not in model.class_values:
        raise UnknownValue.of(model.class_name, label, model.class_values)
    at = model.class_values.index(str(label))
    values = [_known(row.get(a.name), a.variable, counts.missing) for a in model.attributes]
    if counts.missing == "drop" and None in values:
        return model
    rows = tuple(n + (i == at) for i, n in enumerate(counts.rows))
    attributes, observed = [], []
    for a, seen, value in zip(model.attributes, counts.observed, values, strict=True):
        known = value is not None
        attributes.append(_with_value(a, value, str(label), seen[at], counts.alpha) if known else a)
        observed.append(tuple(n + (i == at and known) for i, n in enumerate(seen)))
    learned = replace(counts, rows=rows, observed=tuple(observed))
    return model.replace(prior=[Fraction(n, sum(rows)) for n in rows], attributes=attributes, learned=learned)


def _counts(model: NaiveBayes) -> Learned:
    """The counts, if the model's numbers are still those of its counts: a file may have been edited since."""
    if model.learned is None:
        raise Unsupported("the counts this model was learned from are not known; learn it with oddly.learn")
    found = model.learned
    agree = [p * sum(found.rows) == n for p, n in zip(model.prior, found.rows, strict=True)]
    for a, seen in zip(model.attributes, found.observed, strict=True):
        for n, label in zip(seen, model.class_values, strict=True):
            total = n + found.alpha * len(a.values)
            counts = [p * total - found.alpha for p in a.given[label]]
            agree.append(total > 0 and sum(counts) == n and all(c >= 0 and c.denominator == 1 for c in counts))
    if not all(agree):
        raise Unsupported("the model's probabilities are not those of the counts it was learned from; learn it again")
    return found


def _labels(cells: Sequence[str | None], variable: Variable, missing: Missing) -> list[str | None]:
    """The value of each cell, or an error that names the row."""
    found: dict[str | None, str | None] = {}
    for i, cell in enumerate(cells):
        if cell not in found:
            try:
                found[cell] = _known(cell, variable, missing)
            except UnknownValue as error:
                raise UnknownValue(f"row {i + 1}: {error}") from None
    return [found[cell] for cell in cells]


def _known(value: object, variable: Variable, missing: Missing) -> str | None:
    """The value that a cell means, a number among intervals included; None if it is missing, and that is no value."""
    if MISSING_VALUE not in variable.values and is_gap(value, variable):
        if missing == "value":  # learning again would find one more value, as it would for a label never seen
            one_of = f"{variable.name} is one of {listed(variable.values)}."
            raise UnknownValue(f"{variable.name} is missing, which it was in no row learned from.  {one_of}")
        return None
    return label_of(value, variable)


def _unlabelled(model: NaiveBayes, where: str) -> UnknownValue:
    """A row teaches only with its class; attributes may be missing."""
    one_of = f"It is one of {listed(model.class_values)}."
    return UnknownValue(f"{where}: no value for the class {model.class_name}.  {one_of}")


def _with_value(a: CPT, value: str | None, label: str, seen: int, alpha: Fraction) -> CPT:
    """An attribute's table with one more observation of a value."""
    place = a.variable.index(value)
    total = seen + alpha * len(a.values)
    row: Sequence[Fraction] = [(p * total + (v == place)) / (total + 1) for v, p in enumerate(a.given[label])]
    return CPT(a.name, a.values, {**a.given, label: row}, a.bins)


def _decider(domain: Domain, model: NaiveBayes) -> Callable[[Row], bool]:
    """Whether the model of one more row decides as the diagram does; within a domain that is compared, sums do not tell."""
    odd, source = domain.odd, domain.odd.source
    weights = AddedWeights(model, source) if isinstance(source, Score) and domain.members is None else None
    variables = {a.name: a.variable for a in model.attributes}
    drops = model.learned is not None and model.learned.missing == "drop"
    witnesses: list[Witnesses] = []  # none before the first row that changes something

    def still(row: Row) -> bool:
        if drops and None in row.values():
            return True
        if weights is not None:
            places = [None if row[name] is None else variables[name].index(row[name]) for name in odd.order]
            after = weights.after(model.class_values.index(str(row[model.class_name])), places)
            settled = _settled(odd, after, witnesses)
            if settled is False and not witnesses:
                witnesses.append(Witnesses(odd, weights.score))
            if settled is not None:
                return settled
        return compare(odd, with_row(model, row), within=domain).equivalent

    return still


def _settled(odd: ODD, after: Score, witnesses: Sequence["Witnesses"]) -> bool | None:
    """Whether the weights decide as the diagram does; None where sums alone do not tell."""
    assert isinstance(odd.source, Score)
    states, still = ([[t.state for t in terms] for terms in ((s.prior,), *s.terms)] for s in (odd.source, after))
    if not odd.levels or states != still:
        return None
    if isinf(after.threshold):  # every finite sum decides alike
        return True
    return False if any(w.tipped(after) for w in witnesses) else agrees(odd.levels, after)


# ---- the weights once one more row is learned, for many rows in turn ----


class AddedWeights:
    """The scores of a model and one more row, its attributes in the order of the score of the model itself.

    A probability is (n + alpha) / total, and a row adds one to the total of its class and to one n of each attribute. So
    the logarithms of all n and totals, as they are and one more, give the weights of every model that a row can lead to:
    worked out once, each rounded by itself. That leaves true ties open, which are for the caller to settle.
    """

    def __init__(self, model: NaiveBayes, score: Score) -> None:
        assert model.learned is not None
        found, self.score = model.learned, score
        positive = model.class_values.index(model.positive or "")
        self.classes = (positive, 1 - positive)
        p = model.threshold
        odds = (Fraction(1), Fraction(1)) if p in (0, 1) else (1 - p, p)  # at 0 and 1 no sum matters
        numbers = [[[found.rows[c] * share] for c, share in zip(self.classes, odds, strict=True)]]
        for place in score.places:
            a = model.attributes[place]
            totals = [n + found.alpha * len(a.values) for n in found.observed[place]]
            rows = [a.given[label] for label in model.class_values]
            numbers.append([[*(p * totals[c] for p in rows[c]), totals[c]] for c in self.classes])
        steps = [odds, *[(Fraction(1), Fraction(1))] * len(score.places)]
        self.logs, self.bits = _logs(numbers, steps, score.bits - HEADROOM)
        self.terms = cache(self._terms)

    def after(self, label: int, values: Sequence[int | None]) -> Score:
        """The score once a row of a class, by its place, with these values is learned; None is a value not known."""
        prior = _term([self.logs[0][side][0][c == label] for side, c in enumerate(self.classes)], ())
        terms = tuple(self.terms(i, label, value) for i, value in enumerate(values, 1))
        return replace(self.score, prior=prior, terms=terms, unit=Fraction(1, 2) ** self.bits)

    def _terms(self, group: int, label: int, value: int | None) -> tuple[Term, ...]:
        """What each value of an attribute weighs once a row of the class has one of them."""
        more = [value is not None and c == label for c in self.classes]
        sides = list(zip(self.logs[group], more, strict=True))
        totals = [logs[-1][one] for logs, one in sides]
        values = range(len(self.logs[group][0]) - 1)
        return tuple(_term([logs[w][one and w == value] for logs, one in sides], totals) for w in values)


class Witnesses:
    """The instances closest to the threshold, among all and among those of each value.

    Most rows that change a decision change one that was close already, so a few close instances settle most rows.
    """

    def __init__(self, odd: ODD, score: Score) -> None:
        near = (closest(odd, score, label) for label in (0, 1))
        found = [dict.fromkeys(i for row in by_value for i in row if i is not None) for by_value in near]
        self.codes = [np.array(list(instances), np.intp).reshape(-1, len(odd.order)) for instances in found]

    def tipped(self, after: Score) -> bool:
        """Whether the weights decide otherwise on one of them, by more than rounding can have moved it."""
        low, high = after.error
        negative, positive = ([after.prior.weight + s for s in self._sums(codes, after)] for codes in self.codes)
        return any(s < low for s in positive) or any(s > high for s in negative)

    def _sums(self, codes: NDArray[np.intp], after: Score) -> list[int]:
        sums = np.zeros(len(codes), np.int64 if after.bits == 64 else object)
        for column, terms in zip(codes.T, after.terms, strict=True):
            sums += np.array([t.weight for t in terms], sums.dtype)[column]
        return [int(s) for s in sums]


Pair = tuple[FixedLog | None, FixedLog | None]
"""The logarithm of a number as it is, and of one step more; None of zero."""


def _logs(
    numbers: Sequence[Sequence[Sequence[Fraction]]], steps: Sequence[Sequence[Fraction]], room: int
) -> tuple[list[list[list[Pair]]], int]:
    """By group, side and number; and the bits after the point."""
    flat = [
        [f for number in side for f in (number, number + step)]
        for group, by_side in zip(numbers, steps, strict=True)
        for side, step in zip(group, by_side, strict=True)
    ]
    logs, bits = plain_logs([[f or Fraction(1) for f in side] for side in flat] * 2, room)  # twice: values and totals
    known = [[log if f else None for f, log in zip(*both, strict=True)] for both in zip(flat, logs, strict=False)]
    sides = [list(zip(side[::2], side[1::2], strict=True)) for side in known]
    return [list(pair) for pair in zip(sides[::2], sides[1::2], strict=True)], bits


def _term(sides: Sequence[FixedLog | None], totals: Sequence[FixedLog | None]) -> Term:
    """The logarithm of the odds: positive over negative, each over its total."""
    positive, negative = sides
    if positive is None or negative is None:
        return Term(0, NEVER * (positive is None) + ALWAYS * (negative is None))
    signed = [(positive, 1), (negative, -1), *((log, -1 + 2 * i) for i, log in enumerate(totals) if log is not None)]
    low = sum(log.low if sign > 0 else -log.high for log, sign in signed)
    high = sum(log.high if sign > 0 else -log.low for log, sign in signed)
    return Term(sum(sign * log.value for log, sign in signed), FINITE, low, high)
