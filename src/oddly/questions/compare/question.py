# SPDX-License-Identifier: Apache-2.0
"""Are these the same classifier?  If not, who is decided differently, and how many?

Both diagrams are walked together; the pairs that end in different labels are the disagreement, itself a diagram.
"""

from collections.abc import Mapping
from typing import Any, Literal, Unpack, overload

from oddly.algebra.domain import Within, domain_of
from oddly.diagram import Pair
from oddly.diagram.combine import combine
from oddly.diagram.refine import Values
from oddly.errors import Unsupported
from oddly.lowering.score import Impossible
from oddly.questions.compare.bounds import DifferenceBounds, compare_pairs
from oddly.questions.compare.difference import SAME, Difference
from oddly.questions.compare.sides import diagrams, meeting, side_name, told, ways_of
from oddly.runtime import LimitArguments, limited


@overload
def compare(
    a: Pair,
    b: Any,
    *,
    values: Values = "common",
    labels: Mapping[str, str] | None = None,
    within: Within = None,
    impossible: Impossible | None = None,
    **limits: Unpack[LimitArguments],
) -> DifferenceBounds: ...
@overload
def compare(
    a: Any,
    b: Pair,
    *,
    values: Values = "common",
    labels: Mapping[str, str] | None = None,
    within: Within = None,
    impossible: Impossible | None = None,
    **limits: Unpack[LimitArguments],
) -> DifferenceBounds: ...
@overload
def compare(
    a: Any,
    b: Any,
    *,
    values: Values = "common",
    labels: Mapping[str, str] | None = None,
    within: Within = None,
    impossible: Impossible | None = None,
    **limits: Unpack[LimitArguments],
) -> Difference: ...
def compare(
    a: Any,
    b: Any,
    *,
    values: Values = "common",
    labels: Mapping[str, str] | None = None,
    within: Within = None,
    impossible: Impossible | None = None,
    **limits: Unpack[LimitArguments],
) -> Difference | DifferenceBounds:
    """Do two classifiers decide alike on every instance?

    Each is a model, a diagram, or the path of either. An attribute that one lacks is one it ignores; where their
    orders differ, one is compiled anew. Numbers that they cut differently are compared over *cells*, cut as finely as
    either does. Values that only one of them knows are left out (`values="common"`), counted as if the other skipped the
    attribute ("skip"), or an error ("error"); `labels` says what a calls a label of b, such as {"1": "bad", "0": "good"}.
    `impossible` is what models decide of an instance of probability zero; by default as a diagram they are compared with
    does, or negative. The answer is true iff they are equivalent: on all instances, or on those `within` a domain
    (`oddly.algebra.domain`), where "possible" is so under at least one of the two. Of a `Pair` the answer is a
    `DifferenceBounds`: what surely differs, and what perhaps does.

    >>> import oddly
    >>> model = oddly.examples.pregnancy()
    >>> compare(model, model.replace(prior=["0.6", "0.4"]))
    Not the same classifier: they differ on 1 of 8 instances (1 yes → no). For example U=+ve, B=+ve, S=-ve: yes (0.965)
    → no (0.862).
    """
    with limited(limits):
        if isinstance(a, Pair) or isinstance(b, Pair):
            if labels is not None or within is not None:
                raise Unsupported("labels and within take the diagrams themselves, and a Pair is two around one")
            return compare_pairs(a, b, impossible)
        sides = diagrams(a, b, impossible)
        found = meeting(*sides, values, labels)
        first, second = (side.cells for side in found.sides)
        ways = ways_of(first, second)
        names = [SAME, *told(ways)]
        outcome = {pair: place for place, pair in enumerate(ways, start=1)}
        walked = combine(first, second, lambda i, j: outcome.get((first.labels[i], second.labels[j]), 0), names)
        domain = domain_of(within, walked, *sides)
        walked = domain.otherwise(walked, 0)
        directions = {label: walked.count(label) for label in names[1:]}
        count, called = sum(directions.values()), (side_name("a", a), side_name("b", b))
        unit: Literal["instance", "cell"] = "cell" if found.finer else "instance"
        about = count == 0, count, domain.scope.inputs, directions, unit, found.left_out, walked, sides, found, called
        return Difference(*about, None if domain.members is None else domain, scope=domain.scope)
