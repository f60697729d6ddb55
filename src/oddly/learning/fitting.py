# SPDX-License-Identifier: Apache-2.0
"""Classifiers from tables of data, by exact relative frequencies.

The paper's conventions unless others are asked for: a missing value is skipped in its own attribute only, and only
observed values count.
"""

import logging
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from fractions import Fraction
from math import prod
from typing import Any, Literal, Unpack, get_args

import numpy as np

from oddly.errors import ModelError, UnknownName, UnknownValue, listed
from oddly.learning.cells import text_of
from oddly.learning.columns import learned_columns, notes_on
from oddly.learning.cutting import Spec, cutters, looks_measured
from oddly.learning.files import read_columns
from oddly.learning.gaps import Gaps
from oddly.learning.source import Coding, Counts, InMemory, TableSource, coding, in_order, plans
from oddly.learning.structure import Parents, kdb, tan
from oddly.model import CPT, Learned, Missing, NaiveBayes, Network, NetworkClassifier, Node, Number
from oddly.model.numbers import exact, probability
from oddly.model.variable import keep
from oddly.runtime import LimitArguments, limited, polled, stopped

log = logging.getLogger("oddly")

Structure = Literal["naive", "tan", "kdb"]
Via = Literal["auto", "memory", "duckdb"]

LARGEST_TABLE = 1_000_000
"""Entries of one attribute's probabilities; more are hardly learned from any data."""


class Options:
    """How to learn: the arguments of `learn`, checked, or an error that says what is wrong with them."""

    def __init__(
        self,
        target: str,
        positive: str | None = None,
        alpha: Number = 0,
        threshold: Number = Fraction(1, 2),
        missing: Missing = "skip",
        bins: Spec | Mapping[str, Spec] = None,
        values: Mapping[str, Sequence[Any]] | None = None,
        structure: Structure = "naive",
        k: int = 1,
        leave_out: Sequence[str] = (),
        missing_text: Sequence[str] | None = None,
    ) -> None:
        self.target, self.positive, self.missing, self.structure, self.k = target, positive, missing, structure, k
        self.alpha = exact(alpha, "alpha")
        if self.alpha < 0:
            raise ModelError(f"alpha: smoothing is not negative, found {alpha}")
        for name, value, kind in (("missing", missing, Missing), ("structure", structure, Structure)):
            if value not in get_args(kind):
                raise ModelError(f"{name}: expected one of {', '.join(get_args(kind))}, found {value!r}")
        if isinstance(k, bool) or not isinstance(k, int) or k < 0:
            raise ModelError(f"k: expected a number of parents, 0 or more, found {k!r}")
        if not isinstance(leave_out, Iterable):
            raise ModelError(f"leave_out: expected names of columns, found {leave_out!r}")
        if values is not None and not isinstance(values, Mapping):
            raise ModelError(f"values: expected a list per column, such as {{'size': ['S', 'M']}}, found {values!r}")
        self.leave_out = (leave_out,) if isinstance(leave_out, str) else tuple(leave_out)
        self.values = {name: _declared(name, listed_values) for name, listed_values in (values or {}).items()}
        self.threshold = probability(threshold, "threshold")
        self.cutters, self.gaps = cutters(bins), Gaps.of(missing_text)
        self.kept: frozenset[str] = frozenset()

    def settled(self, model: NaiveBayes | NetworkClassifier) -> "Options":
        """The same for a part of the rows: the columns that were left out of the whole are, and no others."""
        found = copy(self)
        found.leave_out = tuple(c.name for c in model.learned_columns if c.became == "left out")
        found.kept = frozenset(c.name for c in model.learned_columns if c.became != "left out")
        return found


def learn(
    table: Any,
    target: str,
    positive: str | None = None,
    alpha: Number = 0,
    threshold: Number = Fraction(1, 2),
    *,
    missing: Missing = "skip",
    bins: Spec | Mapping[str, Spec] = None,
    values: Mapping[str, Sequence[Any]] | None = None,
    structure: Structure = "naive",
    k: int = 1,
    leave_out: Sequence[str] = (),
    missing_text: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    via: Via = "auto",
    **limits: Unpack[LimitArguments],
) -> NaiveBayes | NetworkClassifier:
    """A classifier of column `target` from all the others.

    `table` is a file (.csv .tsv .parquet .arrow .feather .arff), a data frame, a NumPy array (structured, or with
    `columns`), a mapping of columns, or a list of mappings; or it stays where it is: a folder of Parquet files, an Arrow
    dataset, a lazy frame of polars, DuckDB, Dask or Spark, or `postgresql://user@host/db?table=name`. Every probability
    is a fraction of counts, exactly.

    - `alpha` is added to each count: 0 is relative frequencies, 1 is Laplace.
    - `missing`: a missing cell is skipped in its own column ("skip"), drops its row ("drop"), or is a value ("value").
    - `missing_text`: the texts that stand for missing cells in every column, besides empty ones and "?". By default NA,
      nan, null, - and their like do, in columns whose other cells are numbers.
    - `bins` says how columns of measurements are cut: "mdl", "width:5", "frequency:5", or per column also a list of
      cut points, or "labels" to take the numbers as they are. "*" names all other columns of measurements.
    - `values` declares the values of columns; without smoothing, only those observed count.
    - `structure`: "naive", "tan" (a tree over the attributes) or "kdb" (up to `k` parents each).
    - `leave_out` names columns that are no attributes. So is a column of labels that is nearly a key, unless `values` or
      `bins` name it. What each column became is in `learned_columns` of the model.
    - `via`: "memory", or "duckdb" for a file that does not fit there; "auto" looks at its size.

    >>> rows = [{"wind": "weak", "play": "yes"}, {"wind": "strong", "play": "no"}, {"wind": "weak", "play": "no"}]
    >>> learn(rows, target="play", positive="yes").attributes[0].given
    {'no': (Fraction(1, 2), Fraction(1, 2)), 'yes': (Fraction(0, 1), Fraction(1, 1))}
    """
    options = Options(target, positive, alpha, threshold, missing, bins, values, structure, k, leave_out, missing_text)
    from oddly.learning.big import opened
    from oddly.learning.counted import Counted
    from oddly.learning.engines import located

    with limited(limits), located(table) as engine, opened(table, "memory" if engine else via) as big:
        source = Counted(engine, target) if engine else big or InMemory(read_columns(table, columns))
        model, notes = fit(source, options)
    for note in notes:
        log.warning(note)
    return model


def fit(source: TableSource, options: Options) -> tuple[NaiveBayes | NetworkClassifier, list[str]]:
    """The model, and what is worth saying about how it was made."""
    attributes = attribute_names(source, options)
    source, texts = source.without(options.gaps, options.values)
    classes, sizes = _classes(source, options)
    cutters = {name: cutter for name, cutter in options.cutters.items() if name != options.target}
    settled = plans(source, attributes, cutters, options.values)
    planned = [plan for plan in settled if not plan.left_out or plan.name in options.kept]
    names = [plan.name for plan in planned]
    rows = source.of_classes(options.target, classes, names if options.missing == "drop" else ())
    codings, tallies, tables, notes = [], [], [], notes_on(texts, settled, options)
    for plan in polled(planned, "columns"):
        tally = rows.tally(plan.name)
        found, note = coding(plan, tally, options.alpha > 0, options.missing, options.gaps)
        codings.append(found)
        tallies.append(tally)
        tables.append(found.counted(tally))
        notes += [note] if note else []
    if options.missing == "drop":
        sizes = _left(tables, sizes, classes)
    prior = [Fraction(size, sum(sizes)) for size in sizes]
    cpts = [_cpt(c, table, classes, options.alpha) for c, table in zip(codings, tables, strict=True)]
    parents: Parents = []
    if options.structure != "naive":
        rows = rows.coded(codings, tallies)
        parents = tan(rows, codings) if options.structure == "tan" else kdb(rows, codings, tables, options.k)
    model: NaiveBayes | NetworkClassifier
    if not any(parents):  # nothing depends on anything else, so that it is a naive Bayes whatever was asked for
        observed = tuple(tuple(int(n) for n in table.sum(axis=1)) for table in tables)
        learned = Learned(options.alpha, tuple(sizes), observed, options.missing)
        decision = options.positive, options.threshold
        model = NaiveBayes(options.target, classes, prior, cpts, *decision, learned=learned)
    else:
        nodes = [_node(i, parents, codings, cpts, rows, options) for i in polled(range(len(codings)), "tables")]
        network = Network([Node(options.target, classes, [], [prior]), *nodes])
        model = NetworkClassifier(network, options.target, names, options.positive, options.threshold)
    made = zip(codings, tallies, strict=True)
    keep(model, learned_columns=learned_columns(source, options, classes, settled, made, texts))
    return model, notes


def attribute_names(source: TableSource, options: Options) -> list[str]:
    """The columns to learn from."""
    names, others = list(source.columns), (options.target, *options.leave_out)
    if not names:
        raise ModelError("an empty table: it has no columns")
    for name in (*others, *options.values):
        if name not in names:
            raise UnknownName.among("column", name, names)
    if "" in names and "" not in others:
        raise ModelError(f'column {names.index("") + 1} has no name.  Give it one, or leave it out: leave_out=[""].')
    return [name for name in names if name not in others]


def _classes(source: TableSource, options: Options) -> tuple[tuple[str, ...], list[int]]:
    """The class values that occur, in their order, and how often."""
    target = options.target
    texts, counts, typed = source.classes(target)
    sizes = {text: int(n) for text, n in zip(texts, counts, strict=True) if n}
    declared = options.values.get(target, typed)
    if declared is not None:
        for text in in_order(sizes):
            if text not in declared:
                raise UnknownValue.of(target, text, declared, f"column {target}")
    cutter = options.cutters.get(target)
    if cutter is not None and cutter.way != "labels":
        raise ModelError(f"bins of {target}: that is the class; make classes of its numbers before learning")
    if cutter is None and declared is None and looks_measured(np.array(list(sizes), object)):
        advice = f'Make classes of them before learning, or take them as labels: bins={{"{target}": "labels"}}.'
        raise ModelError(f"column {target}: {len(sizes):,} different numbers, and a class has few values.  {advice}")
    classes = tuple(v for v in declared if v in sizes) if declared is not None else tuple(in_order(sizes))
    if len(classes) < 2:
        raise ModelError(f"column {target}: a classifier needs two classes, found {', '.join(classes) or 'none'}")
    if options.positive is not None and options.positive not in classes:
        raise UnknownValue.of(target, options.positive, classes, "positive")
    return classes, [sizes[c] for c in classes]


def _left(tables: Sequence[Counts], sizes: list[int], classes: Sequence[str]) -> list[int]:
    """How many rows of each class are complete."""
    if not tables:
        return sizes
    left = [int(n) for n in tables[0].sum(axis=1)]
    for n, label in zip(left, classes, strict=True):
        if not n:
            advice = 'keep the others with missing="skip", or leave columns out'
            raise ModelError(f"no complete row of class {label}; {advice}")
    return left


def _cpt(found: Coding, counts: Counts, classes: Sequence[str], alpha: Fraction) -> CPT:
    """An attribute's frequencies given each class; `counts` by class and value."""
    given = {}
    for label, row in zip(classes, counts.tolist(), strict=True):
        if not (rates := _rates(row, alpha)):
            unknown = f"column {found.name}: no value is known in any row of class {label}"
            raise ModelError(f"{unknown}; leave the column out")
        given[label] = rates
    return CPT(found.name, found.values, given, found.bins)


def _node(
    at: int, parents: Parents, codings: Sequence[Coding], cpts: Sequence[CPT], rows: TableSource, options: Options
) -> Node:
    found, above = codings[at], [codings[p] for p in parents[at]]
    names = [options.target, *(c.name for c in above)]
    fallback = list(cpts[at].given.values())
    entries = len(fallback) * prod(len(c.values) for c in (found, *above))
    if entries > LARGEST_TABLE:
        needed = f"{found.name} given {listed(names)}: {entries:,} probabilities"
        raise stopped(needed, "", "a smaller k", "fewer values")
    table: list[Sequence[Fraction]] = list(fallback)
    if above:  # where the parents' values never occur together, as given the class alone
        by_class = rows.joint([*above, found]).reshape(len(fallback), -1, len(found.values)).tolist()
        blocks = zip(by_class, fallback, strict=True)
        table = [_rates(row, options.alpha) or back_off for block, back_off in blocks for row in block]
    return Node(found.name, found.values, names, table, found.bins)


def _rates(counts: Sequence[int], alpha: Fraction) -> list[Fraction]:
    """Relative frequencies; none where nothing was counted."""
    total = sum(counts) + alpha * len(counts)
    return [(n + alpha) / total for n in counts] if total else []


def _declared(name: str, values: Any) -> tuple[str, ...]:
    if isinstance(values, str) or not hasattr(values, "__iter__"):
        raise ModelError(f"values of {name}: expected a list, found {values!r}")
    texts = [text_of(value) for value in values]
    if not texts or None in texts or len(set(texts)) < len(texts):
        raise ModelError(f"values of {name}: expected different labels, found {listed(map(str, values))}")
    return tuple(str(text) for text in texts)
