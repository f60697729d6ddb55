# SPDX-License-Identifier: Apache-2.0
"""What will be done about a model, about how large is it, and is it sure to be too large?

By *sums*, at rising precision, wherever a few weights per attribute decide. In a *table*, instance by instance, where
a class is held against several others at once, or hidden variables tie so much together that the table is the smaller
one. Along a *chain* of hidden variables, where both would be too large. The plan is made from names and sizes alone, so
what cannot fit is refused before any work is done; what can fit is never refused, as a bound is no estimate.
"""

import logging
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

from oddly.diagram import ODD
from oddly.diagram.sources import Tabled, bounds
from oddly.engine import Engine, build
from oddly.engine.chain import chain_order, check_chain, decide_chain
from oddly.engine.fewer import with_fewer
from oddly.engine.order import Order, arrange, is_search
from oddly.engine.table import MOST_INSTANCES, Decided, cells, check_cells, decide_table
from oddly.errors import TooLarge, Unsupported
from oddly.lowering import Outline, frontiers, lowered
from oddly.lowering.score import FINITE, PRECISIONS, Impossible, Score
from oddly.model import Model, NaiveBayes, NetworkClassifier
from oddly.model.contraction import MOST_ENTRIES, axis_sizes, within
from oddly.model.elimination import class_blocks, entries_allowed
from oddly.runtime import Watch, current

log = logging.getLogger("oddly")

LARGE = 1 << 13  # entries of a family; each costs a logarithm, and a table of few instances is made sooner
SMALL = 1 << 22  # instances that a table decides in seconds
COUNTED = 1 << 15  # partial sums of a depth that are counted in a few milliseconds


@dataclass(frozen=True)
class Plan(ABC):
    """A model, and how it is to be built; the limits are those of whoever asks."""

    model: Model
    order: Order
    impossible: Impossible
    engine: Engine

    @property
    @abstractmethod
    def sentence(self) -> str:
        """What will be done, and about how large it will be."""

    @abstractmethod
    def build(self) -> ODD:
        """Do it."""

    def _tabled(self, places: list[int], found: Decided, watch: Watch) -> ODD:
        """The diagram of instances that were decided one by one."""
        levels, root, proof = found
        source = Tabled(self.model, self.impossible, replace(proof.certificate, many=self.model.positive is None))
        variables = tuple(self.model.variables[i] for i in places)
        odd = ODD(variables, self.model.labels, tuple(levels), root, tuple(places), source)
        watch.done(odd.size)
        return odd


def plan(
    model: Model, order: Order = "auto", impossible: Impossible = "negative", engine: Engine = "auto"
) -> "SumsPlan | TablePlan | ChainPlan":
    """How a model is turned into a diagram. TooLarge if it surely does not fit.

    >>> from oddly import examples
    >>> plan(examples.pregnancy()).sentence
    'Adds up a weight per attribute and holds the sum against a threshold: at most 8 nodes.'
    """
    asked = (model, order, impossible, engine)
    try:
        return _plan(*asked)
    except TooLarge as why:
        if model.probabilistic is None or model.naive is not None:
            raise
        raise with_fewer(why, _network(model), lambda fewer: _plan(fewer, "auto", impossible, engine)) from None


def _plan(model: Model, order: Order, impossible: Impossible, engine: Engine) -> "SumsPlan | TablePlan | ChainPlan":
    """The plan, or what is too large about it."""
    asked = (model, order, impossible, engine)
    if needs_table(model):
        _numpy_only(engine)
        check_cells(cells(_network(model)), current().max_memory)
        return TablePlan(*asked)
    why = _too_tied(model)
    if why is None:
        return SumsPlan(*asked)
    _numpy_only(engine)
    try:
        if is_search(order):
            raise why
        classifier = _network(model)
        arranged = chain_order(classifier) if order == "auto" else check_chain(classifier, _by_outline(model, order))
    except Unsupported:
        raise why from None
    return ChainPlan(*asked, arranged)


def needs_table(model: Model) -> bool:
    """Whether instances are to be decided one by one."""
    if model.probabilistic is None:
        return False
    if model.positive is not None and len(model.class_values) > 2:
        return True  # against all others together: no comparison of two sums
    if model.naive is not None:
        return False
    arities = [len(v.values) for v in model.variables]
    largest = max((prod(arities[i] for i in scope) for scope in _scopes(_network(model))), default=1)
    most = SMALL if largest <= MOST_ENTRIES // 2 else MOST_INSTANCES
    return largest > LARGE and cells(model.probabilistic) <= most


def _too_tied(model: Model) -> TooLarge | None:
    """What is wrong with a network whose hidden variables tie too much together to be summed out in whole numbers."""
    if model.probabilistic is None or model.naive is not None:
        return None
    kept, limit = {model.class_name, *model.attributes}, entries_allowed()
    try:
        for block in class_blocks(_network(model)):
            within(limit, [p.names for p in block], kept, axis_sizes(block))
    except TooLarge as why:
        return why
    return None


def _network(model: Model) -> NetworkClassifier:
    assert model.probabilistic
    return model.probabilistic.as_network


def _numpy_only(engine: Engine) -> None:
    """An error if another engine was asked for where there is one."""
    if engine in ("native", "reference"):
        why = f"the {engine} engine adds up weights, and here instances are decided one by one"
        raise Unsupported(f"{why}; that is done by engine='numpy'")


def _by_outline(model: Model, order: Order) -> list[int]:
    """An order where there are no sums to go by: at least, which attributes are tied together."""
    if isinstance(model, NaiveBayes):  # its sums tell, even where they do not decide
        return arrange(lowered(model.replace(positive=None)), order)
    return arrange(Outline(model.variables, tuple(_scopes(_network(model)))), order)


def _scopes(model: NetworkClassifier) -> list[tuple[int, ...]]:
    """The attributes of each block that bears on the class."""
    found = []
    for block in class_blocks(model):
        names = {name for potential in block for name in potential.names}
        found.append(tuple(i for i, name in enumerate(model.attributes) if name in names))
    return [scope for scope in found if scope]


# ---- sums ----


@dataclass(frozen=True)
class SumsPlan(Plan):
    """Weights are added up, at rising precision until the certificate holds."""

    @property
    def sentence(self) -> str:
        source = lowered(self.model, 64, self.impossible)
        source = source.in_order(arrange(source, "auto" if is_search(self.order) else self.order))
        if isinstance(source, Score):
            what = "Adds up a weight per attribute and holds the sum against a threshold"
            return f"{what}: at most {_many(_most_nodes(source))} nodes."
        arities = [len(v.values) for v in source.variables]
        contexts = [prod(arities[a] for a in front) for front in frontiers(source.scopes, len(arities))[:-1]]
        most = max(contexts, default=1)
        tied = f", and remembers at most {_many(most)} combinations of values" if most > 1 else ""
        most = sum(bounds(arities, len(source.labels), contexts if source.classes == 2 and source.finite else None))
        return f"Adds up weights for each of {source.classes} classes{tied}: at most {_many(most)} nodes."

    def build(self) -> ODD:
        order = self._searched() if is_search(self.order) else self.order
        for bits in PRECISIONS:
            source = lowered(self.model, bits, self.impossible)
            odd = build(source.in_order(arrange(source, order)), Watch(), self.engine)
            if not source.rounded or odd.certificate.proven:
                return odd
            if not source.witnessed and self.model.probabilistic:
                most = SMALL if bits == 64 else MOST_INSTANCES
                if cells(self.model.probabilistic) <= most:  # what may be a tie is shown the sooner
                    return TablePlan(self.model, order, self.impossible, self.engine).build()
                if bits > 128:
                    raise Unsupported(
                        f"some instances lie within {odd.certificate.error:.1g} of a tie, and there are too many different "
                        "probabilities to show that they are ties"
                    )
            log.info("%d bits do not settle every instance; trying more", bits)
        raise Unsupported(f"{PRECISIONS[-1]} bits do not settle every instance of this model")

    def _searched(self) -> tuple[str, ...]:
        """The order that a search finds. It only compares sizes, so it need not wait for a proof."""
        score = lowered(self.model, 64, self.impossible)
        searcher: Engine = "auto" if self.engine == "reference" else self.engine
        places = arrange(score, self.order, searcher)
        return tuple(score.names[i] for i in places)


def _most_nodes(score: Score) -> int:
    """Theorem 3.2, with partial sums that are equal counted once: a node for each, or for each gap between those below.

    Told apart as the true weights are, not as their roundings, so that it holds at any precision.
    """
    weights = [{t.exact for t in terms if t.state == FINITE} for terms in score.terms]
    above, below = _most_sums(weights)[:-1], _most_sums(weights[::-1])[:0:-1]
    finite = sum(min(a, b + 1) for a, b in zip(above, below, strict=True))
    ruled_out = 0 if score.finite else 3 * len(weights)  # the states of prefixes that rule a side out
    return finite + ruled_out + len(score.labels)


def _most_sums(weights: Sequence[set[int]]) -> list[int]:
    """For each depth, at most how many sums its prefixes make: counted while they are few."""
    sums, most = {0}, [1]
    for ws in weights:
        if most[-1] == len(sums) and len(sums) * len(ws) <= COUNTED:
            sums = {s + w for s in sums for w in ws}
            most.append(len(sums))
        else:
            most.append(most[-1] * max(len(ws), 1))
    return most


def _many(number: int) -> str:
    """A number as people read it."""
    return f"{number:,}" if number < 10**15 else f"10^{len(str(number))}"


# ---- one by one ----


@dataclass(frozen=True)
class TablePlan(Plan):
    """Every instance is decided by itself."""

    @property
    def sentence(self) -> str:
        return f"Decides instances one by one, in a table of {_many(cells(_network(self.model)))} cells, and folds that into a diagram."

    def build(self) -> ODD:
        if is_search(self.order):
            why = "a search for an order builds many diagrams, and each would take a table of all instances"
            raise Unsupported(why)
        places, watch = _by_outline(self.model, self.order), Watch(searches=False)
        return self._tabled(places, decide_table(_network(self.model), places, self.impossible, watch), watch)


@dataclass(frozen=True)
class ChainPlan(Plan):
    """A single two-valued variable stands between what was read and the rest."""

    places: list[int]

    @property
    def sentence(self) -> str:
        most = sum(bounds([len(self.model.variables[i].values) for i in self.places], 2, None))
        return f"Follows a chain of hidden variables, a node for a sector of directions: at most {_many(most)} nodes."

    def build(self) -> ODD:
        watch = Watch(searches=False)
        return self._tabled(self.places, decide_chain(_network(self.model), self.places, watch), watch)
