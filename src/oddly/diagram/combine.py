# SPDX-License-Identifier: Apache-2.0
"""What do two classifiers decide together?  And, or, either-or, not, for all values, for some value.

Two diagrams combine over the attributes of both: an attribute that one lacks is one it ignores. Where their orders
contradict each other, one of them is compiled anew in the other's order, if it has a source. In one order it is the pairs
of nodes that some instance reaches at once, level by level; then one node per function. O(s·s') at worst.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial, reduce
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import NDArray

from oddly import native
from oddly.diagram.canonical import canonical
from oddly.diagram.passes.semirings import Levels
from oddly.diagram.refine import Values, met
from oddly.errors import ModelError, Unsupported
from oddly.model import Variable
from oddly.model.variable import distinct
from oddly.runtime import LimitArguments, Watch, limited, room

if TYPE_CHECKING:
    from oddly.diagram.odd import ODD

Level = NDArray[np.uint32]
Nodes = NDArray[np.int64]


def combine(
    left: "ODD",
    right: "ODD",
    outcome: Callable[[int, int], int],
    labels: Sequence[str] | None = None,
    *,
    values: Values = "error",
    **limits: Unpack[LimitArguments],
) -> "ODD":
    """The diagram of outcome(label of left, label of right), labels by their place; by default with left's labels.

    Numbers that the two cut differently are cut as finely as either does. A value that only one knows is an error, or,
    with `values="common"`, not there any more.

    >>> import oddly
    >>> odd = oddly.compile(oddly.examples.pregnancy())
    >>> combine(odd, odd, lambda ours, theirs: int(ours != theirs), ["agree", "differ"]).count("differ")
    0
    """
    labels = tuple(left.labels if labels is None else labels)
    with limited(limits):
        ours, theirs = aligned(left, right, values)
        pairs = [[outcome(i, j) for j in range(len(theirs.labels))] for i in range(len(ours.labels))]
        watch = Watch(len(ours.variables))
        table: NDArray[Any] = np.array(pairs, np.uint8 if len(labels) <= 256 else np.uint32)  # a kernel takes bytes
        levels, root = combine_levels(ours.levels, ours.root, theirs.levels, theirs.root, table, len(labels), watch)
        combined = replace(ours, labels=labels, levels=tuple(levels), root=root, source=None)
        watch.done(combined.size)
        return combined


def both(left: "ODD", right: "ODD", **limits: Unpack[LimitArguments]) -> "ODD":
    """Positive where both are: `left & right`. Limits as those of `combine`."""
    return _joined(left, right, lambda i, j: i and j, limits)


def either(left: "ODD", right: "ODD", **limits: Unpack[LimitArguments]) -> "ODD":
    """Positive where one is, or both: `left | right`."""
    return _joined(left, right, lambda i, j: i or j, limits)


def one_of(left: "ODD", right: "ODD", **limits: Unpack[LimitArguments]) -> "ODD":
    """Positive where exactly one is: `left ^ right`."""
    return _joined(left, right, lambda i, j: int(i != j), limits)


def implies(left: "ODD", right: "ODD", **limits: Unpack[LimitArguments]) -> "ODD":
    """Positive where right is, or left is not."""
    return _joined(left, right, lambda i, j: int(not i or j), limits)


def _joined(left: "ODD", right: "ODD", outcome: Callable[[int, int], int], limits: LimitArguments) -> "ODD":
    """Two diagrams of two labels each, the same ones; the same label is positive on both sides.

    Only a question that `is_label` asked may meet other labels: which of its own is positive is plain.
    """
    for odd in (left, right):
        _two(odd)
    if not (_is_question(left) or _is_question(right)):
        same_labels(left, right)
    crossed = left.labels == right.labels[::-1]
    return combine(left, right, (lambda i, j: outcome(i, 1 - j)) if crossed else outcome, **limits)


def same_labels(left: "ODD", right: "ODD") -> None:
    """Refuse two diagrams that do not decide between the same labels."""
    if set(left.labels) != set(right.labels):
        ours, theirs = (", ".join(odd.labels) for odd in (left, right))
        raise ModelError(f"the two decide between different labels: {ours} and {theirs}")


def _is_question(odd: "ODD") -> bool:
    return odd.source is None and odd.labels[0] == f"not {odd.labels[1]}"


def negated(odd: "ODD") -> "ODD":
    """Positive where it is negative: `~odd`. The labels stay; the decisions change places."""
    _two(odd)
    if not odd.levels:
        return replace(odd, root=1 - odd.root, source=None)
    return replace(odd, levels=(*odd.levels[:-1], 1 - odd.levels[-1]), source=None)


def for_all(odd: "ODD", *attributes: str, **limits: Unpack[LimitArguments]) -> "ODD":
    """Positive where it is positive whatever the values of these attributes; they are removed."""
    return _quantified(odd, attributes, partial(both, **limits))


def for_some(odd: "ODD", *attributes: str, **limits: Unpack[LimitArguments]) -> "ODD":
    """Positive where some values of these attributes make it positive; they are removed."""
    return _quantified(odd, attributes, partial(either, **limits))


def _quantified(odd: "ODD", attributes: Sequence[str], join: "Callable[[ODD, ODD], ODD]") -> "ODD":
    distinct(attributes, "the attributes to remove", "name")
    for name in attributes:
        values = odd.attribute(name).values
        odd = reduce(join, [replace(odd.restrict({name: value}), source=None) for value in values])
    return odd


def is_label(odd: "ODD", label: str) -> "ODD":
    """A diagram of two labels, ("not X", X): is the decision X?"""
    labels, place = (f"not {label}", label), odd.label_index(label)
    if not odd.levels:
        return replace(odd, labels=labels, root=int(odd.root == place), source=None)
    asked = (*odd.levels[:-1], (odd.levels[-1] == place).astype(np.uint32))
    levels, root = canonical(asked, odd.root, 2, [None] * len(asked))
    return replace(odd, labels=labels, levels=levels, root=root, source=None)


def aligned(left: "ODD", right: "ODD", values: Values = "error") -> "tuple[ODD, ODD]":
    """Both diagrams over the attributes of both, in one order, and over the same values, cut as finely as either does."""
    left, right = met(*in_one_order(left, right), values)
    order = _common_order(left, right)
    assert order is not None
    own = {v.name: v for v in (*right.variables, *left.variables)}
    variables = [own[name] for name in order]
    places = _places(variables, left, right)
    return _spread(left, variables, places), _spread(right, variables, places)


def in_one_order(left: "ODD", right: "ODD") -> "tuple[ODD, ODD]":
    """Both, one of them compiled anew where their orders contradict each other."""
    return (left, right) if _common_order(left, right) is not None else _reordered(left, right)


def _common_order(left: "ODD", right: "ODD") -> list[str] | None:
    """An order of all attributes that keeps both orders; None if they contradict each other."""
    order: list[str] = []
    waiting = list(right.order)
    shared = set(left.order)
    for name in left.order:
        if name in right.order:
            if name not in waiting:
                return None
            while waiting[0] != name:
                if waiting[0] in shared:
                    return None
                order.append(waiting.pop(0))
            waiting.pop(0)
        order.append(name)
    return order + waiting


def _reordered(left: "ODD", right: "ODD") -> "tuple[ODD, ODD]":
    """One of the two compiled anew, so that their orders agree: the right one if it can be."""
    for keep, change in ((left, right), (right, left)):
        if change.source is None or change.compiler is None:
            continue
        names = [name for name in keep.order if name in change.order]
        names += [name for name in change.order if name not in keep.order]
        again = compiled_anew(change, names)
        return (keep, again) if change is right else (again, keep)
    raise Unsupported(
        "the diagrams read their attributes in different orders, and neither can be compiled anew, having been "
        "combined from others; compile their models in one order first"
    )


def compiled_anew(odd: "ODD", order: Sequence[str]) -> "ODD":
    """The diagram of the same model with its attributes in this order."""
    if odd.source is None or odd.compiler is None:
        raise Unsupported(
            "this diagram did not come from `oddly.compile` or `oddly.load`, so it cannot be compiled anew"
        )
    return odd.compiler(odd.source.model, list(order), impossible=odd.source.impossible)


def _places(variables: Sequence[Variable], left: "ODD", right: "ODD") -> tuple[int, ...]:
    """The columns of index arrays: left's attributes in their model's order, then what only right has, in its."""
    columns = {name: i for i, name in enumerate(dict.fromkeys((*left.columns, *right.columns)))}
    return tuple(columns[v.name] for v in variables)


def _spread(odd: "ODD", variables: Sequence[Variable], places: tuple[int, ...]) -> "ODD":
    """The same function with levels for attributes it ignores."""
    if tuple(variables) == odd.variables and places == odd.places:
        return odd
    own = dict(zip(odd.order, odd.levels, strict=True))
    levels: list[Level] = []
    nodes = np.array([0 if odd.levels else odd.root], np.uint32)  # of the next level, as the level before names them
    for variable in variables:
        if variable.name in own:
            levels.append(own[variable.name])
            nodes = np.arange(int(levels[-1].max()) + 1, dtype=np.uint32)
        else:
            levels.append(np.repeat(nodes[:, None], len(variable.values), axis=1))
            nodes = np.arange(int(nodes.max()) + 1, dtype=np.uint32)
    root = 0 if levels else odd.root
    return replace(odd, variables=tuple(variables), levels=tuple(levels), root=root, places=places, source=None)


def _two(odd: "ODD") -> None:
    if len(odd.labels) != 2:
        raise Unsupported(f"this needs two labels, and the diagram has {len(odd.labels)}; take odd.is_(label) first")


# ---- in one order ----


def combine_levels(
    left: Levels, left_root: int, right: Levels, right_root: int, outcome: NDArray[Any], labels: int, watch: Watch
) -> tuple[Sequence[Level], int]:
    """The levels and the root of the diagram that maps labels (i, j) to outcome[i, j]."""
    if not left:
        return (), int(outcome[left_root, right_root])
    room(4 * sum(map(len, (*left, *right))))
    if native.AVAILABLE and outcome.dtype == np.uint8:  # more labels than a byte can tell apart are rare
        sides, (ours, theirs) = (list(left), list(right), left_root, right_root), outcome.shape
        return native.kernels.combine(*sides, ours, theirs, np.ascontiguousarray(outcome).ravel(), labels, watch), 0
    levels: list[Level] = []
    ours, theirs = np.array([left_root]), np.array([right_root])
    entries = 0
    for k, (a, b) in enumerate(zip(left, right, strict=True)):
        entries += len(ours)
        watch.lists(k, 64 * a.shape[1] * entries, entries)
        if k == len(left) - 1:
            levels.append(outcome[a[ours], b[theirs]].astype(np.uint32))
            break
        children, ours, theirs = pair_up(a[ours], b[theirs])
        levels.append(children)
    merged, root = canonical(levels, 0, labels, [None] * len(levels))
    for level in merged:
        watch.nodes(len(level))
    return merged, root


def pair_up(ours: Level, theirs: Level) -> tuple[Level, Nodes, Nodes]:
    """Pairs of children as places among the distinct ones, and the two nodes of each of those."""
    keys, places = np.unique((ours.astype(np.int64) << 32) | theirs, return_inverse=True)
    return places.reshape(ours.shape).astype(np.uint32), keys >> 32, keys & 0xFFFFFFFF
