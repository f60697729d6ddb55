# SPDX-License-Identifier: Apache-2.0
"""A decision as a reduced binary decision diagram (Bryant, 1986): true of the instances that get one label.

An attribute of m values is ⌈log2 m⌉ bits, the most significant first, that spell the place of the value: two values are
one bit, true for the second, and one value is none. Places past the last value are false, so that the assignments that
satisfy the diagram are the instances with that label, one for one, and counting them counts those.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from oddly.errors import Unsupported
from oddly.export.subject import Subject, subject
from oddly.model import Variable
from oddly.runtime import LimitArguments, limited, polled

FALSE, TRUE = 0, 1


@dataclass(frozen=True)
class Bit:
    """One binary variable."""

    attribute: Variable
    place: int
    """Which bit of the attribute it is, from 0 on, the most significant first."""
    of: int
    """How many bits the attribute has."""
    name: str


@dataclass(frozen=True, eq=False)
class BinaryDiagram:
    """Nodes from the bottom up: 0 is false, 1 is true, and node i + 2 is `nodes[i]`."""

    bits: tuple[Bit, ...]
    nodes: tuple[tuple[int, int, int], ...]
    """The bit that is read, the node if it is false, and the node if it is true; both stand before."""
    root: int
    label: str
    subject: Subject

    def numbered(self) -> Iterator[tuple[int, int, int, int]]:
        """(node, bit, low, high), from the bottom up."""
        for i, node in enumerate(self.nodes):
            yield (i + 2, *node)


def binary(thing: Any, label: str | None = None, limits: LimitArguments | None = None) -> BinaryDiagram:
    """The binary diagram of a decision; `label` is which one, the positive if there are two and it is not said.

    Cost: linear in the children of the diagram.
    """
    with limited(limits or {}, orders=True):
        return _binary(subject(thing), label)


def _binary(written: Subject, label: str | None) -> BinaryDiagram:
    odd, wanted = written.walked, _label(written, label)
    bits = _bits(odd.variables)
    below = [TRUE if i == wanted else FALSE for i in range(len(written.labels))]
    made: dict[tuple[int, int, int], int] = {}
    first = len(bits)
    levels = list(zip(reversed(odd.levels), reversed(odd.variables), strict=True))
    for level, variable in polled(levels, "bits"):
        many = (len(variable.values) - 1).bit_length()
        first -= many
        padding = [FALSE] * (2**many - len(variable.values))
        below = [_spelt([*(below[c] for c in children), *padding], first, made) for children in level.tolist()]
    nodes, root = _reached(list(made), below[odd.root])
    return BinaryDiagram(bits, tuple(nodes), root, written.labels[wanted], written)


def _label(subject: Subject, label: str | None) -> int:
    if label is not None:
        return subject.odd.label_index(label)
    if len(subject.labels) != 2:
        raise Unsupported(f"a binary diagram is of one label; say which of {', '.join(subject.labels)}")
    return 1


def _bits(variables: Sequence[Variable]) -> tuple[Bit, ...]:
    """The bits of all attributes, under names that differ."""
    found: list[Bit] = []
    taken = {v.name for v in variables}
    for v in variables:
        many = (len(v.values) - 1).bit_length()
        for place in range(many):
            name = v.name
            if many > 1:
                name = f"{v.name}.{place}"
                while name in taken:
                    name += "_"
                taken.add(name)
            found.append(Bit(v, place, many, name))
    return tuple(found)


def _spelt(children: list[int], bit: int, made: dict[tuple[int, int, int], int]) -> int:
    """The node that reads the remaining bits of a value's place."""
    if len(children) == 1:
        return children[0]
    half = len(children) // 2
    low, high = _spelt(children[:half], bit + 1, made), _spelt(children[half:], bit + 1, made)
    return low if low == high else made.setdefault((bit, low, high), len(made) + 2)


def _reached(nodes: list[tuple[int, int, int]], root: int) -> tuple[list[tuple[int, int, int]], int]:
    """The nodes below the root only, numbered anew."""
    wanted = {root}
    for i in range(len(nodes) - 1, -1, -1):
        if i + 2 in wanted:
            wanted |= set(nodes[i][1:])
    kept = [i for i in range(len(nodes)) if i + 2 in wanted]
    number = {FALSE: FALSE, TRUE: TRUE} | {i + 2: place + 2 for place, i in enumerate(kept)}
    return [(nodes[i][0], number[nodes[i][1]], number[nodes[i][2]]) for i in kept], number[root]
