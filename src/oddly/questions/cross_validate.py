# SPDX-License-Identifier: Apache-2.0
"""How often is a model learned from this data right about rows it has not seen?"""

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.answers import Answer, Block, Paragraph, Table
from oddly.diagram.rows import places
from oddly.distribution.scoring import Scorer
from oddly.errors import ModelError, OddlyError
from oddly.learning import Options, fit, read_columns
from oddly.learning.big import fits
from oddly.learning.files import Columns
from oddly.learning.source import InMemory
from oddly.model import Number, Variable
from oddly.model.numbers import whole as whole_number
from oddly.runtime import LimitArguments, Progress, limited, polled, stopped


@dataclass(frozen=True)
class Fold:
    """One part of the rows, decided by the model of all others."""

    correct: int
    rows: int


@dataclass(frozen=True, repr=False)
class Accuracy(Answer):
    """What cross-validation found."""

    correct: int
    rows: int
    folds: tuple[Fold, ...]
    confusion: Mapping[str, Mapping[str, int]]
    """How many rows of each label were decided how: confusion[what it is][what was decided]."""
    impossible: int
    """Rows that their fold's model gives probability zero under every class; the negative or first label is theirs."""
    unseen: int
    """Cells whose value their fold's model had never seen; they are summed out, as missing cells are."""

    @property
    def rate(self) -> Fraction:
        """The share of rows decided right."""
        return Fraction(self.correct, self.rows)

    def sentence(self) -> str:
        rates = sorted(Fraction(fold.correct, fold.rows) for fold in self.folds)
        spread = f"{_percent(rates[0])} to {_percent(rates[-1])} in a fold"
        head = f"{self.correct:,} of {self.rows:,} rows right ({_percent(self.rate)})"
        head += f" in {len(self.folds)}-fold cross-validation, {spread}."
        if self.impossible:
            head += f"  {self.impossible:,} impossible under their fold's model."
        if self.unseen:
            head += f"  {self.unseen:,} cell{'s' if self.unseen > 1 else ''} with a value it had never seen."
        return head

    def blocks(self, most: int | None = None) -> tuple[Block, ...]:
        decided = ((label, *(f"{n:,}" for n in row.values())) for label, row in self.confusion.items())
        head = ("it is", *self.confusion)
        numbers = enumerate(((fold.correct, fold.rows) for fold in self.folds), start=1)
        folds = ((str(i), f"{right:,}", f"{rows:,}", _percent(Fraction(right, rows))) for i, (right, rows) in numbers)
        caption, numeric = "What rows are, and what they were decided to be", tuple(range(1, len(head)))
        confusion = Table(caption, head, tuple(decided), numeric)
        caption, head = "Each fold, decided by the model of all others", ("fold", "right", "rows", "rate")
        return Paragraph(self.sentence()), confusion, Table(caption, head, tuple(folds), (1, 2, 3)).cut(most)


def cross_validate(
    table: Any,
    target: str,
    positive: str | None = None,
    alpha: Number = 0,
    threshold: Number = Fraction(1, 2),
    *,
    folds: int = 10,
    seed: int = 0,
    columns: Sequence[str] | None = None,
    max_nodes: int | None = None,
    max_memory: int | None = None,
    seconds: float | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Accuracy:
    """How often is a model learned this way right about rows it was not learned from?

    The rows are dealt into folds at random, each class evenly; each fold is decided by a model of the others, cut
    points and structure included. Options are those of `oddly.learn`, but the rows are always read into memory; TooLarge
    says where a file does not fit. Rows without a class are left out; a cell that is missing, or whose value the other
    folds lack, is summed out.

    >>> import oddly
    >>> cross_validate(oddly.examples.tic_tac_toe_boards(), "x-wins", "positive", alpha=1)
    664 of 958 rows right (69.3 %) in 10-fold cross-validation, 62.5 % to 79.2 % in a fold.
    """
    with limited(LimitArguments(max_nodes=max_nodes, max_memory=max_memory, seconds=seconds, progress=progress)):
        how = Options(target, positive, alpha, threshold, **options)
        if isinstance(table, str | os.PathLike) and not fits(Path(table)):
            needed = (
                f"{os.fspath(table)}: {os.path.getsize(table):,} bytes, and cross-validation reads all rows into memory"
            )
            raise stopped(needed, "", "a part of the rows", "oddly.learn, without folds")
        source, _ = InMemory(read_columns(table, columns)).without(how.gaps, how.values)
        data = source.columns
        whole, _ = fit(source, how)  # what is wrong with the whole is said of the whole
        how = how.settled(whole)
        labels, classes = data[target].codes, data[target].texts
        known = np.flatnonzero(labels >= 0)
        rank = np.argsort(np.argsort(classes))  # so that the folds do not depend on how the table was read
        if isinstance(folds, bool) or not isinstance(folds, int) or not 2 <= folds <= len(known):
            raise ModelError(f"folds: expected a number from 2 to the {len(known):,} rows, found {folds!r}")
        fold = dealt(rank[labels[known]], folds, whole_number(seed, "seed"))
        found, confusion, impossible, unseen = [], Counter[tuple[str, str]](), 0, 0
        for f in polled(range(folds), "folds"):
            try:
                model, _ = fit(InMemory(_taken(data, known[fold != f])), how)
            except OddlyError as error:
                error.args = (f"without fold {f + 1} of {folds}: {error}",)
                raise
            test = _taken(data, known[fold == f])
            rows, strange = _coded(test, model.variables)
            # decided as the whole model does: without a rare class, a fold may know two of three
            decided, none = Scorer.of(model, whole.positive).decide(rows)
            labels_of_fold = model.class_values if whole.positive is None else whole.labels
            own = [classes[code] for code in test[target].codes]
            truth = [c if whole.positive in (None, c) else whole.labels[0] for c in own]
            pairs = Counter(zip(truth, (labels_of_fold[d] for d in decided), strict=True))
            found.append(Fold(sum(n for (a, b), n in pairs.items() if a == b), len(rows)))
            confusion += pairs
            impossible, unseen = impossible + none, unseen + strange
        names = sorted({name for pair in confusion for name in pair})
        table_of = {a: {b: confusion[a, b] for b in names} for a in names}
        return Accuracy(sum(f.correct for f in found), len(known), tuple(found), table_of, impossible, unseen)


def dealt(labels: NDArray[Any], folds: int, seed: int) -> NDArray[np.intp]:
    """The fold of each row: shuffled, put together by class, and dealt like cards."""
    order = np.random.default_rng(seed).permutation(len(labels))
    order = order[np.argsort(labels[order], kind="stable")]
    fold = np.empty(len(labels), np.intp)
    fold[order] = np.arange(len(labels)) % folds
    return fold


def _taken(data: Columns, rows: NDArray[np.intp]) -> Columns:
    return {name: column.take(rows) for name, column in data.items()}


def _coded(data: Columns, variables: Sequence[Variable]) -> tuple[NDArray[np.intp], int]:
    """The rows as value indices, -1 where a cell is missing or unseen, and how many are unseen."""
    size = len(next(iter(data.values())).codes)
    rows, unseen = np.empty((size, len(variables)), np.intp, order="F"), 0
    for j, variable in enumerate(variables):
        column = data[variable.name]
        codes = np.append(places(column.distinct, variable), places([None], variable))
        rows[:, j] = codes[column.codes]
        unseen += int(((rows[:, j] < 0) & (column.codes >= 0)).sum())
    return rows, unseen


def _percent(rate: Fraction) -> str:
    return f"{float(100 * rate):.1f} %"
