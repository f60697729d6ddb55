# SPDX-License-Identifier: Apache-2.0
"""Which decisions hinge on some attributes?  Those of instances that would be decided otherwise with other values of these.

Two ways to the same diagram. Any diagram: the attributes are quantified away one by one, and where the parts disagree the
decision hinges. A sum of weights held against a threshold: the attributes' greatest weights against their least; a
decision hinges iff it is positive with the former and negative with the latter.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial, reduce
from itertools import accumulate, combinations

import numpy as np

from oddly.algebra.domain import OUTSIDE, Domain
from oddly.algebra.expression_diagram import expression_diagram
from oddly.algebra.expressions import All, Feature
from oddly.diagram import ODD
from oddly.diagram.combine import both, combine, either, for_some, negated
from oddly.diagram.paths import in_turn
from oddly.engine import build
from oddly.lowering.score import Score, Term
from oddly.model.variable import distinct

SETTLED, HINGES = "settled", "hinges"


def hinges(odd: ODD, attributes: Sequence[str]) -> ODD:
    """The instances of all other attributes, and whether these make the decision: labels "settled" and "hinges".

    >>> import oddly
    >>> hinges(oddly.compile(oddly.examples.pregnancy()), ["U", "B"])
    ODD: 3 nodes over 2 instances of S: 1 hinges, 1 settled
    """
    distinct(attributes, "the attributes", "name")
    for name in attributes:
        odd.attribute(name)
    if _adds_up(odd) and isinstance(odd.source, Score):
        return by_weights(odd, odd.source, attributes)
    return by_quantifying(odd, attributes)


def hinges_within(domain: Domain, attributes: Sequence[str]) -> tuple[ODD, ODD]:
    """The contexts in which a decision hinges on these, and the inputs of the domain that are in one: both labelled so.

    Only pairs of inputs count of which both are inside, so what hinges on no single attribute may hinge on several.
    """
    odd = domain.odd
    if domain.members is None:
        rest = hinges(odd, attributes)
    else:
        distinct(attributes, "the attributes", "name")
        for name in attributes:
            odd.attribute(name)
        rest = by_quantifying(domain.product, attributes, outside=len(odd.labels))
    return rest, combine(domain.inside, rest, lambda inside, found: int(inside and found), [SETTLED, HINGES])


def apart(odd: ODD, attribute: str) -> list[tuple[str, str]]:
    """Pairs of values of an attribute: where any two are decided differently, so are two of these.

    Values that lead every node to the same child are as one. Where weights are added up, of the values that rule out
    the same classes only those with the least and the greatest weight are needed.
    """
    depth = odd.order.index(attribute)
    values = odd.variables[depth].values
    columns = [column.tobytes() for column in odd.levels[depth].T]
    kept = [i for i, column in enumerate(columns) if columns.index(column) == i]
    if _adds_up(odd) and isinstance(odd.source, Score):
        terms = odd.source.terms[odd.source.names.index(attribute)]
        ranked = sorted(kept, key=lambda i: terms[i].weight)
        least, most = {terms[i].state: i for i in reversed(ranked)}, {terms[i].state: i for i in ranked}
        kept = sorted({*least.values(), *most.values()})
    return list(combinations([values[i] for i in kept], 2))


def _adds_up(odd: ODD) -> bool:
    """Whether the diagram's decisions are proven to be those of its sums."""
    return isinstance(odd.source, Score) and (not odd.source.rounded or odd.certificate.proven)


def by_quantifying(odd: ODD, attributes: Sequence[str], *, outside: int | None = None) -> ODD:
    """Of any diagram, with any labels: what all values of an attribute agree on stays, the rest becomes one more label.

    Instances whose label has the place `outside` do not count: they neither agree nor disagree with others.
    """
    return _mixed(agreement(odd, {name: odd.attribute(name).values for name in attributes}, outside=outside))


def agreement(odd: ODD, among: Mapping[str, Sequence[str]], *, outside: int | None = None) -> ODD:
    """The label that all instances have whose values of these attributes are among those; one more label where they differ."""
    rest = replace(odd, labels=(*odd.labels, HINGES), source=None)
    for name in sorted(among, key=odd.order.index, reverse=True):  # the lowest are the least to copy
        rest = reduce(partial(_agreed, outside=outside), [rest.restrict({name: value}) for value in among[name]])
    return rest


def _agreed(one: ODD, two: ODD, outside: int | None = None) -> ODD:
    """What both say; the last label where they contradict each other."""
    mixed = len(one.labels) - 1
    return combine(one, two, lambda i, j: j if i in (j, outside) else i if j == outside else mixed)


def _mixed(rest: ODD) -> ODD:
    mixed = len(rest.labels) - 1
    return combine(rest, rest, lambda i, _: int(i == mixed), [SETTLED, HINGES])


def between(domain: Domain, groups: Sequence[Mapping[str, Sequence[str]]]) -> tuple[ODD, ODD]:
    """Which instances would be decided otherwise in another of these groups, two at least?

    A group allows some values of each of the same attributes. First the contexts in which some would be, a diagram over
    all other attributes. Then all instances: one *hinges* if another, of another group and alike in all other
    attributes, is decided otherwise; it is *outside* if it is in no group, or not in the domain. Cost: some products
    per group.
    """
    odd, nobody = domain.product, None if domain.members is None else len(domain.odd.labels)
    join = partial(_agreed, outside=nobody)
    each = [agreement(odd, group, outside=nobody) for group in groups]
    upto = list(accumulate(each, join))
    onwards = list(accumulate(reversed(each), join))[::-1]
    others = [[*upto[max(i - 1, 0) : i], *onwards[i + 1 : i + 2]] for i in range(len(groups))]
    pairs = zip(others, groups, strict=True)
    parts = [_would_change(odd, reduce(join, sides), group, nobody) for sides, group in pairs]
    told = reduce(_one_of_them, parts)
    hinging = combine(told, told, lambda i, _: int(i == 1), [SETTLED, HINGES])
    return for_some(hinging, *groups[0]), told


def _would_change(odd: ODD, others: ODD, group: Mapping[str, Sequence[str]], nobody: int | None) -> ODD:
    """The instances of a group by whether the others, which agree on a label or do not, are all decided as they are."""
    mixed = len(others.labels) - 1

    def told(ours: int, theirs: int) -> int:
        return 2 if ours == nobody else int(theirs == mixed or theirs not in (ours, nobody))

    changed = combine(odd, others, told, [SETTLED, HINGES, OUTSIDE])
    return combine(changed, _inside(odd, group), lambda i, inside: i if inside else 2)


def _one_of_them(one: ODD, two: ODD) -> ODD:
    """Instances of two parts, each outside of the other."""
    return combine(one, two, lambda i, j: j if i == 2 else i)


def _inside(odd: ODD, group: Mapping[str, Sequence[str]]) -> ODD:
    """Whether an instance has the group's values."""
    features = [
        Feature(v, tuple(value in group[v.name] for value in v.values)) for v in odd.variables if v.name in group
    ]
    return expression_diagram(All(tuple(features)), odd)


def by_weights(odd: ODD, score: Score, attributes: Sequence[str]) -> ODD:
    """Of a sum of weights: the most that the attributes can add, and the least, decide differently.

    Sums are those of real instances, whose signs the diagram's own certificate proves. Values that rule a class out have
    no weight that could be compared, so each *state* that the attributes can leave behind is tried on its own.
    """
    reach = _reach(score, [i for i, v in enumerate(score.variables) if v.name in attributes])
    best = [_rest(score, attributes, state, high) for state, (_, high) in reach.items()]
    worst = [_rest(score, attributes, state, low) for state, (low, _) in reach.items()]
    most = reduce(either, best)
    least = reduce(both, worst)
    return replace(both(most, negated(least)), labels=(SETTLED, HINGES))


def _reach(score: Score, places: Sequence[int]) -> dict[int, tuple[int, int]]:
    """For each state that values of these attributes lead to, the least and the greatest sum of their weights."""
    reach = {score.prior.state: (score.prior.weight, score.prior.weight)}
    for place in places:
        found: dict[int, tuple[int, int]] = {}
        for state, (low, high) in reach.items():
            for term in score.terms[place]:
                then = state | term.state
                least, most = found.get(then, (low + term.weight, high + term.weight))
                found[then] = min(least, low + term.weight), max(most, high + term.weight)
        reach = found
    return reach


def _rest(score: Score, attributes: Sequence[str], state: int, weight: int) -> ODD:
    """The diagram of all other attributes, these having added so much and left that state behind."""
    kept = [i for i, v in enumerate(score.variables) if v.name not in attributes]
    places = np.argsort(np.argsort([score.places[i] for i in kept]))
    rest = replace(
        score,
        prior=Term(weight, state),
        terms=tuple(score.terms[i] for i in kept),
        variables=tuple(score.variables[i] for i in kept),
        places=tuple(map(int, places)),
    )
    return replace(build(rest), source=None)  # its model has more attributes than it


def pair(
    odd: ODD, context: Mapping[str, str], attributes: Sequence[str], outside: str | None = None
) -> tuple[dict[str, str], dict[str, str]]:
    """Two instances of a context whose decision hinges on the attributes; they differ in one of these and are decided otherwise.

    From an instance of one label to one of another, a value at a time: somewhere on the way the decision changes. Those
    of the label `outside`, the last, do not count: where the way leads through them, the two may differ in more.
    """
    part = replace(odd, source=None).restrict({name: context[name] for name in odd.order if name not in attributes})
    first, second = (_path(part, int(label)) for label in _labels(part)[:2])
    here = there = first
    for name in part.order:
        there = {**there, name: second[name]}
        before, after = part.classify([here, there])
        if after not in (before, outside):
            break
        here = here if after == outside else there
    return _whole(odd, {**context, **here}), _whole(odd, {**context, **there})


def _labels(odd: ODD) -> list[int]:
    """The places of the labels that some instance gets."""
    return [i for i, label in enumerate(odd.labels) if odd.count(label)]


def _path(odd: ODD, label: int) -> dict[str, str]:
    """An instance of the label, the first values first."""
    path = next(in_turn(odd.levels, odd.root, label, len(odd.labels)))
    return {v.name: v.values[value] for v, value in zip(odd.variables, path, strict=True)}


def _whole(odd: ODD, instance: Mapping[str, str]) -> dict[str, str]:
    """The instance with its attributes in the model's order."""
    return {name: instance[name] for name in odd.columns}
