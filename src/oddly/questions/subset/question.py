# SPDX-License-Identifier: Apache-2.0
"""Which tests can be left out?  The fewest attributes that decide nearly as all do.

The smaller classifier is the model itself, asked only some attributes: it decides by the probability of the class given
these. Its *agreement* B(S) is the probability, under the model, that it decides as with all attributes. That need not
grow with the set S, so the search is bounded by something that does: A(S), the agreement of the best rule there is from
the values of S, the sum over these of the probability of the likeliest final decision. B(S) <= A(S) <= A(S') for every S'
that contains S, so once a set's A falls short, no part of it will do.

`search` finds the smallest set from tables over all instances. Where these are too many, `draws` finds a small one, with a
number that no set goes below.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Annotated, Any, Unpack

from oddly.algebra.domain import Within, domain_of
from oddly.answers import ROUNDED, UNTOLD, Block, Facts, ScopedAnswer, told
from oddly.compiler import as_diagram
from oddly.distribution.joint import Joint
from oddly.distribution.measure import Mixture, possible_under, shown
from oddly.errors import Unsupported, listed
from oddly.model import Probabilistic
from oddly.model.numbers import Number, probability, whole
from oddly.questions.subset.draws import beyond_tables
from oddly.questions.subset.search import Agreement, Places, SubsetSearch
from oddly.runtime import LimitArguments, limited, stopped

MOST_ENTRIES = 1 << 25  # of the tables over all instances
MOST_WORK = 20_000_000_000  # entries looked at: a minute or so


@dataclass(frozen=True, repr=False)
class Subset(ScopedAnswer):
    """A small set of attributes that decides nearly as all do; where `proven`, no smaller one does."""

    attributes: tuple[str, ...]
    dropped: tuple[str, ...]
    share: Annotated[Fraction, ROUNDED]
    """What was asked for."""
    agreement: Annotated[Fraction, ROUNDED]
    """How probable it is that these attributes alone lead to the decision that all would."""
    under: str
    at_least: int
    """No set of fewer attributes will do."""
    model: Annotated[Probabilistic, UNTOLD] = field(compare=False)
    """The same model, asked only these."""

    @property
    @told
    def proven(self) -> bool:
        """Whether no smaller set will do; otherwise none was found."""
        return self.at_least == len(self.attributes)

    @property
    def total(self) -> int:
        """How many attributes there are."""
        return len(self.attributes) + len(self.dropped)

    def sentence(self) -> str:
        if not self.total:
            return "There are no attributes, so there is none to leave out."
        if not self.attributes:
            return self.scope.said(f"No attribute is needed: asked none, the model {self._alike()}.")
        if not self.dropped and self.proven:
            one = f"The only attribute, {self.attributes[0]}, is"
            every = f"All {self.total} attributes are" if self.total > 1 else one
            return self.scope.said(f"{every} needed for a share of {shown(self.share)}.")
        some = f"{len(self.attributes)} of {self.total} attributes do: {listed(self.attributes, 30)}."
        return self.scope.said(f"{some} Asked only these, the model {self._alike()}; {self._smaller()}.")

    def blocks(self, most: int | None = None) -> tuple[Block, ...]:
        size = f"{len(self.attributes)} of {self.total} attribute{'' if self.total == 1 else 's'}; {self._smaller()}"
        rows = (
            ("smallest" if self.proven else "small", size),
            ("attributes", ", ".join(self.attributes) or "none"),
            ("left out", ", ".join(self.dropped) or "none"),
            ("agreement", self._alike()),
            *self.scope.facts(),
        )
        return (Facts("What can be left out", rows),)

    def _alike(self) -> str:
        one = "".join(self.attributes + self.dropped) or "nothing else to ask"
        every = f"all {self.total}" if self.total > 1 else one
        return f"decides as with {every} with probability {shown(self.agreement)} under {self.under}"

    def _smaller(self) -> str:
        if self.proven:
            return f"no smaller set reaches {shown(self.share)}"
        bound = f"; at least {self.at_least} must be kept" if self.at_least else ""
        return f"no smaller set that reaches {shown(self.share)} was found{bound}"


def subset(
    odd_or_model: Any,
    share: Number = Fraction(99, 100),
    *,
    within: Within = None,
    max_work: int = MOST_WORK,
    **limits: Unpack[LimitArguments],
) -> Subset:
    """Which tests can be left out?  A smallest set of attributes that decides as all do in this share of cases.

    The smaller classifier is the model itself, asked only these attributes; the share is the probability, under the
    model, that both decide alike, exactly. Found by branch and bound, for up to some 8 million instances: proven to be
    as small as can be. With more instances (of a naive Bayes), or after `max_work` table entries, the answer is the
    smallest set found, not `proven`, and `at_least` how many are needed. `within` a domain, of as many instances as tables
    hold, the share is given that.

    >>> import oddly
    >>> subset(oddly.examples.pregnancy(), "0.9")
    1 of 3 attributes do: S. Asked only these, the model decides as with all 3 with probability 0.9579 under the model; no
    smaller set reaches 0.9.
    """
    with limited(limits):
        wanted = probability(share, "share")
        whole(max_work, "max_work", 1, "a number")
        odd = as_diagram(odd_or_model)
        model = odd.source.model.probabilistic if odd.source is not None else None
        if model is None:
            raise Unsupported("this needs a model that says how probable an instance is: a naive Bayes or a network")
        measure = possible_under(odd, "model")
        assert isinstance(measure, Mixture | Joint)
        domain = domain_of(within, odd)
        agreement = Agreement(domain, model, measure, wanted)
        if not agreement.mass:
            raise Unsupported(f"nothing within {domain.words} is possible under {measure.name}")
        removed, at_least = _removed(agreement, max_work)
        dropped = tuple(name for name in odd.columns if odd.order.index(name) in removed)
        kept = tuple(name for name in odd.columns if name not in dropped)
        exactly, small = agreement.exactly(removed), model.restricted(kept)
        return Subset(kept, dropped, wanted, exactly, measure.name, at_least, small, scope=domain.scope)


def _removed(agreement: Agreement, max_work: int) -> tuple[Places, int]:
    odd, model = agreement.odd, agreement.model
    entries = odd.instances * (len(model.class_values) + len(odd.labels))
    if entries <= MOST_ENTRIES:
        return SubsetSearch(agreement, max_work).run()
    if model.naive is not None and agreement.domain.members is None:
        return beyond_tables(agreement, model.naive)
    needed = f"{odd.instances:,} instances make tables of {entries:,} entries"
    raise stopped(needed, f"{MOST_ENTRIES:,}", "it without the attributes that oddly.importance puts last")
