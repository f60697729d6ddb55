# SPDX-License-Identifier: Apache-2.0
"""Two diagrams over attributes that they value differently, asked about the cells that both know (`oddly.model.shared`).

A diagram is refined without compiling: if value j of the finer attribute lies in value m(j) of the old one, its level is
`children[:, m]`. Where some old value holds no cell, nodes may be reached no more, or decide alike: they are merged.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from oddly.diagram.canonical import canonical
from oddly.errors import ModelError, Unsupported
from oddly.model import Variable
from oddly.model.shared import SharedValues, shared_values

if TYPE_CHECKING:
    from oddly.diagram.levelled import Levelled
    from oddly.diagram.odd import ODD

Values = Literal["common", "skip", "error"]
"""What becomes of values that only one side knows: left out, counted as if the other skipped the attribute, refused."""


def shared_by(left: "Levelled", right: "Levelled") -> dict[str, SharedValues]:
    """By attribute that both have, the values that they share."""
    return {v.name: shared_values(v, right.attribute(v.name)) for v in left.variables if v.name in right.order}


def refused(shared: Mapping[str, SharedValues], values: Values) -> None:
    """Refuse what cannot be asked of both sides: nothing in common, or with "error" anything that only one knows."""
    for name, found in shared.items():
        if not found.common:
            raise ModelError(f"attribute {name}: the two sides have no value in common")
        if values == "error" and found.left_out:
            label = found.left_out[0].label
            raise ModelError(f"attribute {name}: the two sides have different values; {label!r} is only on one of them")


def met(left: "ODD", right: "ODD", values: Values) -> "tuple[ODD, ODD]":
    """Both over the values that both know, cut as finely as either does; the same diagrams where those are their own."""
    if values == "skip":
        raise Unsupported("values='skip' compiles again, which only a comparison does; try 'common'")
    shared = shared_by(left, right)
    refused(shared, values)
    common = {name: (found.variable(found.common), found.common) for name, found in shared.items()}
    ours = {name: (variable, [int(cell.left or 0) for cell in cells]) for name, (variable, cells) in common.items()}
    theirs = {name: (variable, [int(cell.right or 0) for cell in cells]) for name, (variable, cells) in common.items()}
    return refined(left, ours), refined(right, theirs)


def refined(odd: "ODD", finer: Mapping[str, tuple[Variable, Sequence[int]]]) -> "ODD":
    """The same function of other values: of each attribute that is named, what it becomes, and in which old value each
    of the new ones lies. Cost: O(edges)."""
    own = [(v, list(range(len(v.values)))) for v in odd.variables]
    new = [finer.get(v.name, (v, places)) for v, places in own]
    if all(v == old and list(places) == all_ for (v, places), (old, all_) in zip(new, own, strict=True)):
        return odd
    levels = tuple(level[:, list(places)] for level, (_, places) in zip(odd.levels, new, strict=True))
    root = odd.root
    if any({*places} != {*all_} for (_, places), (_, all_) in zip(new, own, strict=True)):
        levels, root = canonical(levels, root, len(odd.labels), [None] * len(levels))
    return replace(odd, variables=tuple(v for v, _ in new), levels=levels, root=root, source=None)
