# SPDX-License-Identifier: Apache-2.0
"""Which tests can be left out?  The fewest attributes that decide nearly as all do.

The smaller classifier is the model itself, asked only some attributes: it decides by the probability of the class given
these. Its *agreement* B(S) is the probability, under the model, that it decides as with all attributes. That need not
grow with the set S, so the search is bounded by something that does: A(S), the agreement of the best rule there is from
the values of S, the sum over these of the probability of the likeliest final decision. B(S) <= A(S) <= A(S') for every S'
that contains S, so once a set's A falls short, no part of it will do.

The search removes attributes one after the other from tables over all instances, which shrink by as much each time. The
tables are floats, used only where they are far from the limit; what comes close is settled in exact fractions, as is
the agreement in the end. Where there are too many instances, or the work has to stop, the answer is the smallest set
found, with a number that no set goes below.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import prod
from typing import Any

from oddly.answers import Answer
from oddly.compiler import compile
from oddly.diagram import ODD
from oddly.engine import Progress
from oddly.errors import ModelError, TooLarge, Unsupported, listed
from oddly.model import NaiveBayes, NetworkClassifier
from oddly.model.numbers import Number, probability
from oddly.questions.combine import combine
from oddly.questions.diagrams import as_diagram
from oddly.questions.joint import Joint
from oddly.questions.masses import label_masses, numbers
from oddly.questions.measure import Mixture, measure_of, shown
from oddly.questions.subset.search import found_by_draws, needed, tried
from oddly.questions.subset.tables import SLACK, Tables, tables_of

MOST_ENTRIES = 1 << 25  # of the tables over all instances
MOST_WORK = 20_000_000_000  # entries looked at: a minute or so


@dataclass(frozen=True, repr=False)
class Subset(Answer):
    """A small set of attributes that decides nearly as all do; where `proven`, no smaller one does."""

    attributes: tuple[str, ...]
    dropped: tuple[str, ...]
    share: Fraction
    """What was asked for."""
    agreement: Fraction
    """How probable it is that these attributes alone lead to the decision that all would."""
    under: str
    at_least: int
    """No set of fewer attributes will do."""
    model: NaiveBayes | NetworkClassifier = field(compare=False)
    """The same model, asked only these."""

    @property
    def proven(self) -> bool:
        """Whether no smaller set will do; otherwise none was found."""
        return self.at_least == len(self.attributes)

    def sentence(self) -> str:
        total = len(self.attributes) + len(self.dropped)
        alike = f"decides as with all {total} with probability {shown(self.agreement)} under {self.under}"
        if not self.attributes:
            return f"No attribute is needed: asked none, the model {alike}."
        if not self.dropped and self.proven:
            return f"All {total} attributes are needed for a share of {shown(self.share)}."
        smaller = f"no smaller set reaches {shown(self.share)}"
        if not self.proven:
            bound = f"; at least {self.at_least} must be kept" if self.at_least else ""
            smaller = f"no smaller set that reaches {shown(self.share)} was found{bound}"
        return (
            f"{len(self.attributes)} of {total} attributes do: {listed(self.attributes, 30)}. Asked only these, the "
            f"model {alike}; {smaller}."
        )

    def to_json(self, exact: bool = False) -> dict[str, Any]:
        """The fields but the model; probabilities as exact text, or as floats."""
        found = {"attributes": self.attributes, "dropped": self.dropped, "share": self.share}
        bound = {"agreement": self.agreement, "under": self.under, "at_least": self.at_least, "proven": self.proven}
        return dict(numbers({**found, **bound}, exact))


def subset(
    odd_or_model: Any,
    share: Number = Fraction(99, 100),
    *,
    max_work: int = MOST_WORK,
    progress: Progress | None = None,
) -> Subset:
    """Which tests can be left out?  A smallest set of attributes that decides as all do in this share of cases.

    The smaller classifier is the model itself, asked only these attributes; the share is the probability, under the
    model, that both decide alike, exactly. Found by branch and bound, for up to some 8 million instances: proven to be
    as small as can be. With more instances (of a naive Bayes), or after `max_work` table entries, the answer is the
    smallest set found, not `proven`, and `at_least` how many are needed.

    >>> import oddly
    >>> subset(oddly.examples.pregnancy(), "0.9")
    1 of 3 attributes do: S. Asked only these, the model decides as with all 3 with probability 0.9579 under the model; no
    smaller set reaches 0.9.
    """
    wanted = probability(share, "share")
    if isinstance(max_work, bool) or not isinstance(max_work, int) or max_work < 1:
        raise ModelError(f"max_work: expected a number from 1 on, found {max_work!r}")
    odd = as_diagram(odd_or_model)
    model = odd.source.model if odd.source is not None else None
    if not isinstance(model, NaiveBayes | NetworkClassifier):
        raise Unsupported("this needs a model that says how probable an instance is: a naive Bayes or a network")
    measure = measure_of(odd, "model")
    assert isinstance(measure, Mixture | Joint)
    if not measure.mass:
        raise Unsupported("nothing is possible under the model, so it has no probabilities")
    search = _Search(odd, model, measure, wanted, max_work, progress)
    if search.fits:
        removed = search.run()
        at_least = search.needed
    elif isinstance(model, NaiveBayes):
        removed, at_least = search.beyond_tables(model)
    else:
        raise TooLarge(
            f"{odd.instances:,} instances make tables of {search.entries:,} entries, {MOST_ENTRIES:,} allowed.  "
            "Leave out some attributes first, such as those that oddly.importance puts last."
        )
    gone = {odd.order[i] for i in removed}
    kept = tuple(name for name in odd.columns if name not in gone)
    dropped = tuple(name for name in odd.columns if name in gone)
    agreement, small = search.exactly(removed), _restricted(model, kept)
    return Subset(kept, dropped, wanted, agreement, measure.name, at_least, small)


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


class _Stopped(Exception):
    """The work was as much as was allowed."""


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
        self.entries = odd.instances * (len(model.class_values) + len(odd.labels))
        self.fits = self.entries <= MOST_ENTRIES
        self.odd, self.model, self.measure, self.share = odd, model, measure, share
        self.work, self.max_work, self.progress = 0, max_work, progress
        self.best: tuple[int, ...] = ()
        self.needed = 0

    def run(self) -> tuple[int, ...]:
        """A largest set of attributes that can be removed."""
        tables = tables_of(self.odd, self.model, self.measure)
        arities = self.odd.arities
        left = tuple(i for i, arity in enumerate(arities) if arity > 1)
        idle = self.best = tuple(i for i, arity in enumerate(arities) if arity == 1)  # their values say nothing
        try:
            alone = [self._bound(tables, axis) for axis in range(len(left))]
            self.needed = sum(bound < self.share - SLACK for bound in alone)
            self._dive(idle, tables, left)
            self._branch(idle, tables, left, left)
        except _Stopped:
            return self.best
        self.needed = len(arities) - len(self.best)
        return self.best

    def _dive(self, removed: tuple[int, ...], tables: Tables, left: tuple[int, ...]) -> None:
        """A first answer: always remove what costs least."""
        while left:
            cost, axis = max((self._bound(tables, axis), axis) for axis in range(len(left)))
            if cost < self.share - SLACK:
                return
            removed, left, tables = (*removed, left[axis]), left[:axis] + left[axis + 1 :], tables.without(axis)
            self._offer(removed, tables)

    def _branch(
        self, removed: tuple[int, ...], tables: Tables, left: tuple[int, ...], candidates: Sequence[int]
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

    def _bound(self, tables: Tables, axis: int) -> float:
        self.work += tables.decided.size
        if self.work > self.max_work:
            raise _Stopped
        if self.progress is not None:
            self.progress("subsets", self.work, self.max_work)
        return tables.best(axis)

    def _offer(self, removed: tuple[int, ...], tables: Tables) -> None:
        """Remember a set that will do, if it is the largest so far."""
        if len(removed) <= len(self.best):
            return
        least, most = tables.own(self.model.ties == "positive")
        if least >= self.share or (most >= self.share and self.exactly(removed) >= self.share):
            self.best = removed

    def beyond_tables(self, model: NaiveBayes) -> tuple[tuple[int, ...], int]:
        """A set that can be removed, the largest found, and how many attributes are needed at least."""

        def reaches(columns: tuple[int, ...]) -> bool:
            return self._reaches(depths(columns))

        def depths(columns: tuple[int, ...]) -> tuple[int, ...]:
            return tuple(self.odd.order.index(self.odd.columns[i]) for i in columns)

        columns = found_by_draws(self.odd, model, self.share, reaches)
        columns, at_least = tried(self.odd, columns, reaches)
        if at_least < len(self.odd.columns) - len(columns):
            at_least = max(at_least, needed(self.odd, model, self.share))
        return depths(columns), at_least

    def _reaches(self, removed: Sequence[int]) -> bool:
        """Whether the agreement is the share: in floats where that is clear."""
        if self.progress is not None:
            self.progress("subsets", 0, 0)
        nearly = self._agreement(removed, exact=False)
        return nearly > self.share if abs(nearly - self.share) > SLACK else self.exactly(removed) >= self.share

    def exactly(self, removed: Sequence[int]) -> Fraction:
        """The agreement in exact fractions."""
        return Fraction(self._agreement(removed, exact=True))

    def _agreement(self, removed: Sequence[int], exact: bool) -> Any:
        """Both diagrams walked together."""
        names = [name for name in self.odd.columns if self.odd.order.index(name) not in removed]
        order = [name for name in self.odd.order if name in names]
        small = compile(_restricted(self.model, names), order)
        alike = combine(self.odd, small, lambda i, j: int(i == j), ("otherwise", "alike"))
        found = sum(masses[1] for masses in label_masses(alike, self.measure, exact))
        return found / (self.measure.mass if exact else float(self.measure.mass))
