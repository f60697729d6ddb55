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
from math import isinf
from typing import Any, Unpack

from oddly.answers import Answer, as_features
from oddly.answers.blocks import MOST_CASES, Block, Paragraph, Table
from oddly.compiler import as_diagram, as_model
from oddly.diagram import ODD
from oddly.diagram.certificate import agrees
from oddly.diagram.rows import label_of
from oddly.errors import UnknownName, UnknownValue, Unsupported, listed
from oddly.learning import read_table
from oddly.lowering.score import Score
from oddly.model import CPT, MISSING_VALUE, Learned, Missing, NaiveBayes, Variable
from oddly.questions.added_rows.weights import AddedWeights, Witnesses
from oddly.questions.compare.question import compare
from oddly.runtime import LimitArguments, within

Row = Mapping[str, str | None]


@dataclass(frozen=True, repr=False)
class AddedRows(Answer):
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
            return f"None of {rows} would change any decision."
        return f"{len(self.changing):,} of {rows} would change a decision. For example {_told(self.changing[0])}."

    def blocks(self, most: int | None = None) -> tuple[Block, ...]:
        rows = tuple((_told(row),) for row in self.changing)
        table = Table("Rows that would, each added alone", ("row",), rows).cut(MOST_CASES if most is None else most)
        return (Paragraph(self.sentence()), *([table] if rows else []))


def _told(row: Row) -> str:
    return as_features({name: value for name, value in row.items() if value is not None})


def added_rows(model: Any, rows: Any, **limits: Unpack[LimitArguments]) -> AddedRows:
    """Which single additional rows would change some decision of a learned model?

    `rows` is a table with the model's class column. A missing attribute does what it did in learning: it is skipped,
    drops its row, or is the value "?". Cut points stay, and numbers that fall into the same intervals are one row.
    True if none would.

    >>> import oddly
    >>> len(added_rows(oddly.examples.tic_tac_toe(), oddly.examples.tic_tac_toe_boards()).changing)
    934
    """
    with within(limits):
        model = as_model(model)
        missing = _counts(model).missing
        odd = as_diagram(model)
        columns = read_table(rows)
        for name in (model.class_name, *(v.name for v in model.variables)):
            if name not in columns:
                raise UnknownName.among("column", name, columns)
        if None in columns[model.class_name]:
            raise _unlabelled(model, f"row {columns[model.class_name].index(None) + 1}")
        variables = [Variable(model.class_name, model.class_values), *model.variables]
        labels = [_labels(columns[v.name], v, missing) for v in variables]
        distinct = dict.fromkeys(zip(*labels, strict=True))
        cases = [{v.name: label for v, label in zip(variables, row, strict=True)} for row in distinct]
        still_decides = _decider(odd, model)
        changing = [case for case in cases if not still_decides(case)]
        return AddedRows(len(cases), tuple(changing))


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
    prior = [Fraction(n, sum(rows)) for n in rows]
    learned = replace(counts, rows=rows, observed=tuple(observed))
    return model.replace(prior=prior, attributes=attributes, learned=learned)


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
    if value is None and MISSING_VALUE not in variable.values:
        if missing == "value":  # learning again would find one more value, as it would for a label never seen
            raise UnknownValue(
                f"{variable.name} is missing, which it was in no row learned from.  {variable.name} is one of "
                f"{listed(variable.values)}."
            )
        return None
    return label_of(value, variable)


def _unlabelled(model: NaiveBayes, where: str) -> UnknownValue:
    """A row teaches only with its class; attributes may be missing."""
    return UnknownValue(
        f"{where}: no value for the class {model.class_name}.  It is one of {listed(model.class_values)}."
    )


def _with_value(a: CPT, value: str | None, label: str, seen: int, alpha: Fraction) -> CPT:
    """An attribute's table with one more observation of a value."""
    place = a.variable.index(value)
    total = seen + alpha * len(a.values)
    row: Sequence[Fraction] = [(p * total + (v == place)) / (total + 1) for v, p in enumerate(a.given[label])]
    return CPT(a.name, a.values, {**a.given, label: row}, a.bins)


def _decider(odd: ODD, model: NaiveBayes) -> Callable[[Row], bool]:
    """Whether the model of one more row decides as the diagram does; what rows have in common is worked out once."""
    source = odd.source
    weights = AddedWeights(model, source) if isinstance(source, Score) else None
    variables = {a.name: a.variable for a in model.attributes}
    drops = model.learned is not None and model.learned.missing == "drop"
    witnesses: list[Witnesses] = []  # none before the first row that changes something

    def still(row: Row) -> bool:
        if drops and None in row.values():
            return True
        if weights is not None:
            places = [_place(row[name], variables[name]) for name in odd.order]
            after = weights.after(model.class_values.index(str(row[model.class_name])), places)
            settled = _settled(odd, after, witnesses)
            if settled is False and not witnesses:
                witnesses.append(Witnesses(odd, weights.score))
            if settled is not None:
                return settled
        return compare(odd, with_row(model, row)).equivalent

    return still


def _place(value: str | None, variable: Variable) -> int | None:
    return None if value is None else variable.index(value)


def _settled(odd: ODD, after: Score, witnesses: Sequence[Witnesses]) -> bool | None:
    """Whether the weights decide as the diagram does; None where sums alone do not tell."""
    assert isinstance(odd.source, Score)
    if not odd.levels or not _same_states(odd.source, after):
        return None
    if isinf(after.threshold):  # every finite sum decides alike
        return True
    return False if any(w.tipped(after) for w in witnesses) else agrees(odd.levels, after)


def _same_states(one: Score, other: Score) -> bool:
    return one.prior.state == other.prior.state and all(
        a.state == b.state for x, y in zip(one.terms, other.terms, strict=True) for a, b in zip(x, y, strict=True)
    )
