# SPDX-License-Identifier: Apache-2.0
"""Which tests can be left out?  The fewest attributes that decide nearly as all do.

The smaller classifier is the model itself, asked only some attributes: it decides by the probability of the class given
these. Its *agreement* B(S) is the probability, under the model, that it decides as with all attributes. That need not
grow with the set S, so the search is bounded by something that does: A(S), the agreement of the best rule there is from
the values of S, the sum over these of the probability of the likeliest final decision. B(S) <= A(S) <= A(S') for every S'
that contains S, so once a set's A falls short, no part of it will do.

The search removes attributes one after the other from tables over all instances, which shrink by as much each time. The
tables are floats, used only where they are far from the limit; what comes close is settled in exact fractions, as is
the agreement in the end.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddly.answers import Answer
from oddly.compiler import compile
from oddly.diagram import ODD
from oddly.engine import Progress
from oddly.errors import TooLarge, Unsupported, listed
from oddly.model import NaiveBayes, NetworkClassifier
from oddly.model.numbers import Number, probability
from oddly.questions.combine import combine
from oddly.questions.diagrams import as_diagram
from oddly.questions.joint import Joint
from oddly.questions.masses import Part, label_masses, numbers, parts
from oddly.questions.measure import Mixture, measure_of, shown

Floats = NDArray[np.float64]

MOST_ENTRIES = 1 << 25  # of the tables over all instances
MOST_WORK = 20_000_000_000  # entries looked at: a minute or so
TINY = 1e-13  # more than rounding can have moved any entry
SLACK = 1e-9  # and any sum of them


@dataclass(frozen=True, repr=False)
class Subset(Answer):
    """A smallest set of attributes that decides nearly as all do; no smaller one does."""

    attributes: tuple[str, ...]
    dropped: tuple[str, ...]
    share: Fraction
    """What was asked for."""
    agreement: Fraction
    """How probable it is that these attributes alone lead to the decision that all would."""
    under: str
    model: NaiveBayes | NetworkClassifier = field(compare=False)
    """The same model, asked only these."""

    def sentence(self) -> str:
        total = len(self.attributes) + len(self.dropped)
        alike = f"decides as with all {total} with probability {shown(self.agreement)} under {self.under}"
        if not self.attributes:
            return f"No attribute is needed: asked none, the model {alike}."
        if not self.dropped:
            return f"All {total} attributes are needed for a share of {shown(self.share)}."
        return (
            f"{len(self.attributes)} of {total} attributes do: {listed(self.attributes, 30)}. Asked only these, the "
            f"model {alike}; no smaller set reaches {shown(self.share)}."
        )

    def to_json(self, exact: bool = True) -> dict[str, Any]:
        """The fields but the model; probabilities as exact text, or as floats."""
        found = {"attributes": self.attributes, "dropped": self.dropped, "share": self.share}
        return dict(numbers({**found, "agreement": self.agreement, "under": self.under}, exact))


def subset(
    odd_or_model: Any,
    share: Number = Fraction(99, 100),
    *,
    max_work: int = MOST_WORK,
    progress: Progress | None = None,
) -> Subset:
    """Which tests can be left out?  A smallest set of attributes that decides as all do in this share of cases.

    The smaller classifier is the model itself, asked only these attributes; the share is the probability, under the
    model, that both decide alike. Found by branch and bound: proven to be as small as can be, exact at ties. For up to
    some 8 million instances; work beyond `max_work` table entries stops with TooLarge.

    >>> import oddly
    >>> subset(oddly.examples.pregnancy(), "0.9")
    1 of 3 attributes do: S. Asked only these, the model decides as with all 3 with probability 0.9579 under the model; no
    smaller set reaches 0.9.
    """
    wanted = probability(share, "share")
    odd = as_diagram(odd_or_model)
    model = odd.source.model if odd.source is not None else None
    if not isinstance(model, NaiveBayes | NetworkClassifier):
        raise Unsupported("this needs a model that says how probable an instance is: a naive Bayes or a network")
    measure = measure_of(odd, "model")
    assert isinstance(measure, Mixture | Joint)
    if not measure.mass:
        raise Unsupported("nothing is possible under the model, so it has no probabilities")
    search = _Search(odd, model, measure, wanted, max_work, progress)
    removed = search.run()
    gone = {odd.order[i] for i in removed}
    kept = tuple(name for name in odd.columns if name not in gone)
    dropped = tuple(name for name in odd.columns if name in gone)
    return Subset(kept, dropped, wanted, search.exactly(removed), measure.name, _restricted(model, kept))


def _restricted(model: NaiveBayes | NetworkClassifier, names: Sequence[str]) -> NaiveBayes | NetworkClassifier:
    """The model asked only these attributes: all others summed out."""
    if isinstance(model, NetworkClassifier):
        return model.replace(attributes=tuple(names))
    rest = [a for a in model.attributes if a.name not in names]
    sums = [
        prod((sum(a.given[c]) for a in rest), start=p) for c, p in zip(model.class_values, model.prior, strict=True)
    ]
    prior = [p / sum(sums) for p in sums]  # rows may miss one by a millionth
    return model.replace(prior=prior, attributes=[a for a in model.attributes if a.name in names])


@dataclass(frozen=True, eq=False)
class _Tables:
    """Over the attributes that are left, an axis each after the first."""

    decided: Floats
    """By label: how probable the values are together with this final decision; of two labels, the difference."""
    leads: Floats
    """By class: how probable they are together with it; or the lead of the positive class over its threshold."""

    def without(self, axis: int) -> "_Tables":
        return _Tables(self.decided.sum(axis=axis + 1), self.leads.sum(axis=axis + 1))

    def best(self, axis: int) -> float:
        """What the best rule agrees, once one more axis is summed out."""
        table = self.decided.sum(axis=axis + 1)
        return float((1 + np.abs(table).sum()) / 2 if len(table) == 1 else table.max(axis=0).sum())

    def own(self, ties: int) -> tuple[float, float]:
        """What the model's own decisions agree, at least and at most: some are too close to tell."""
        if len(self.leads) == 1:
            lead, gain = self.leads[0], self.decided[0]
            sign = np.where((lead > 0) | ((lead == 0) & bool(ties)), 1.0, -1.0)
            middle, open_ = (1 + (sign * gain).sum()) / 2, np.abs(gain[np.abs(lead) <= TINY]).sum()
            return float(middle - open_) - SLACK, float(middle + open_) + SLACK
        first = self.leads.argmax(axis=0)[None]  # the first of equal ones
        rest = self.leads.copy()
        np.put_along_axis(rest, first, -1.0, 0)
        close = self.leads.max(axis=0) - rest.max(axis=0) <= TINY
        middle = np.take_along_axis(self.decided, first, 0).sum()
        open_ = self.decided.max(axis=0)[close].sum()
        return float(middle - open_) - SLACK, float(middle + open_) + SLACK


class _Search:
    """Branch and bound over the sets of attributes to remove, by their places in the diagram's order."""

    def __init__(
        self,
        odd: ODD,
        model: NaiveBayes | NetworkClassifier,
        measure: Mixture | Joint,
        share: Fraction,
        max_work: int,
        progress: Progress | None,
    ) -> None:
        entries = odd.instances * (len(model.class_values) + len(odd.labels))
        if entries > MOST_ENTRIES:
            raise TooLarge(
                f"{odd.instances:,} instances make tables of {entries:,} entries, {MOST_ENTRIES:,} allowed.  "
                "Leave out some attributes first, such as those that oddly.importance puts last."
            )
        self.odd, self.model, self.measure, self.share = odd, model, measure, share
        self.work, self.max_work, self.progress = 0, max_work, progress
        self.best: tuple[int, ...] = ()

    def run(self) -> tuple[int, ...]:
        """A largest set of attributes that can be removed."""
        tables = _tables(self.odd, self.model, self.measure)
        arities = self.odd.arities
        left = tuple(i for i, arity in enumerate(arities) if arity > 1)
        idle = self.best = tuple(i for i, arity in enumerate(arities) if arity == 1)  # their values say nothing
        self._dive(idle, tables, left)
        self._branch(idle, tables, left, left)
        return self.best

    def _dive(self, removed: tuple[int, ...], tables: _Tables, left: tuple[int, ...]) -> None:
        """A first answer: always remove what costs least."""
        while left:
            cost, axis = max((self._bound(tables, axis), axis) for axis in range(len(left)))
            if cost < self.share - SLACK:
                return
            removed, left, tables = (*removed, left[axis]), left[:axis] + left[axis + 1 :], tables.without(axis)
            self._offer(removed, tables)

    def _branch(
        self, removed: tuple[int, ...], tables: _Tables, left: tuple[int, ...], candidates: Sequence[int]
    ) -> None:
        """All ways to remove some of the candidates as well; the tables are over what is left."""
        if len(removed) + len(candidates) <= len(self.best):
            return
        bounds = [(self._bound(tables, left.index(i)), i) for i in candidates]
        open_ = [i for bound, i in sorted(bounds) if bound >= self.share - SLACK]
        for place, i in enumerate(open_):
            if len(removed) + len(open_) - place <= len(self.best):
                return
            axis = left.index(i)
            below, more = tables.without(axis), (*removed, i)
            self._offer(more, below)
            self._branch(more, below, left[:axis] + left[axis + 1 :], open_[place + 1 :])

    def _bound(self, tables: _Tables, axis: int) -> float:
        self.work += tables.decided.size
        if self.work > self.max_work:
            kept = [name for i, name in enumerate(self.odd.order) if i not in self.best]
            raise TooLarge(
                f"stopped after {self.work:,} table entries.  The smallest set so far has {len(kept)} of "
                f"{len(self.odd.order)} attributes, and a smaller one may exist: {listed(kept)}.  "
                f"Try a lower share, or max_work={10 * self.max_work:_}."
            )
        if self.progress is not None:
            self.progress("subsets", self.work, self.max_work)
        return tables.best(axis)

    def _offer(self, removed: tuple[int, ...], tables: _Tables) -> None:
        """Remember a set that will do, if it is the largest so far."""
        if len(removed) <= len(self.best):
            return
        least, most = tables.own(self.model.ties == "positive")
        if least >= self.share or (most >= self.share and self.exactly(removed) >= self.share):
            self.best = removed

    def exactly(self, removed: Sequence[int]) -> Fraction:
        """The agreement in exact fractions: both diagrams walked together."""
        names = [name for name in self.odd.columns if self.odd.order.index(name) not in removed]
        order = [name for name in self.odd.order if name in names]
        small = compile(_restricted(self.model, names), order)
        alike = combine(self.odd, small, lambda i, j: int(i == j), ("otherwise", "alike"))
        return sum((masses[1] for masses in label_masses(alike, self.measure)), Fraction(0)) / self.measure.mass


# ---- tables over all instances ----


def _tables(odd: ODD, model: NaiveBayes | NetworkClassifier, measure: Mixture | Joint) -> _Tables:
    joint = np.zeros((len(model.class_values), odd.instances))
    for part in parts(odd, measure, exact=False):
        products, labels = _unrolled(part)
        joint[part.place] += products * float(part.weight / measure.mass)
    everywhere = joint.sum(axis=0)
    decided = np.where(labels == np.arange(len(odd.labels))[:, None], everywhere, 0.0)
    if len(odd.labels) == 2:
        decided = decided[1:] - decided[:1]
    leads = joint
    if model.positive is not None:
        leads = joint[[model.class_values.index(model.positive)]] - float(model.threshold) * everywhere
    shape = [arity for arity in odd.arities if arity > 1]
    return _Tables(decided.reshape(-1, *shape), leads.reshape(-1, *shape))


def _unrolled(part: Part) -> tuple[Floats, NDArray[np.uint32]]:
    """For every instance the product of the numbers on its path, and its label."""
    products, nodes = np.ones(1), np.array([part.odd.root], np.uint32)
    for level, row in zip(part.odd.levels, part.rows, strict=True):
        products = (products[:, None] * (row[nodes] if row.ndim == 2 else row)).reshape(-1)
        nodes = level[nodes].reshape(-1)
    return products, nodes
