# SPDX-License-Identifier: Apache-2.0
"""A small diagram as text for a terminal: a tree that writes out once what several edges reach."""

from collections import Counter, deque
from collections.abc import Iterator
from typing import NamedTuple

from oddly.answers.lettering import columns, shortened, visible
from oddly.diagram import ODD
from oddly.draw.graph import Graph, drawable

_MARKS = "○●◇◆□■△▲"


def text(odd: ODD, *, reduced: bool = True, most: int = 60, width: int = 80) -> str:
    """What does the diagram look like, in a terminal?

    A number in brackets names a node that more than one edge reaches, and an arrow refers to it.

    >>> import oddly
    >>> print(text(oddly.compile(oddly.examples.pregnancy(), order=["U", "B", "S"])))
    U
    ├─ +ve: B
    │  ├─ +ve: ● yes
    │  └─ -ve: [1] S
    │     ├─ +ve: ● yes
    │     └─ -ve: ○ no
    └─ -ve: → [1] S
    """
    graph = drawable(odd, reduced=reduced, most=most)
    parts = [*_Writer(graph, width).trees(), shortened(graph.note, width)]
    return "\n\n".join(part for part in parts if part)


class _Branch(NamedTuple):
    """A line to come: what stands before it and before those below it, the values, and where they lead."""

    before: str
    below: str
    values: str
    node: int


class _Writer:
    """Writes a tree; a branch that would stand too far to the right becomes a tree of its own, below."""

    def __init__(self, graph: Graph, width: int) -> None:
        self.graph = graph
        self.width = width
        self.reached = Counter(edge.target for edge in graph.edges)
        self.numbers: dict[int, int] = {}
        self.written: set[int] = set()
        self.waiting = deque([graph.root])

    def trees(self) -> Iterator[str]:
        while self.waiting:
            yield "\n".join(self._tree(self.waiting.popleft()))

    def _tree(self, root: int) -> Iterator[str]:
        branches = [_Branch("", "", "", root)]
        while branches:
            branch = branches.pop()
            goes_on = self._goes_on(branch)
            yield self._line(branch, self._name(branch.node, goes_on))
            if goes_on:
                self.written.add(branch.node)
                branches += reversed(self._branches(branch))

    def _goes_on(self, branch: _Branch) -> bool:
        """Whether the branch's node is written out here; if it is not for want of room, it will be below."""
        node = branch.node
        if node in self.graph.sinks or node in self.written or node in self.waiting:
            return False
        if columns(branch.before) > self.width // 2:
            self.waiting.append(node)
            return False
        return True

    def _branches(self, branch: _Branch) -> list[_Branch]:
        *edges, last = self.graph.leaving[branch.node]
        return [
            *(_Branch(f"{branch.below}├─ ", f"{branch.below}│  ", edge.label, edge.target) for edge in edges),
            _Branch(f"{branch.below}└─ ", f"{branch.below}   ", last.label, last.target),
        ]

    def _name(self, node: int, goes_on: bool) -> str:
        if node in self.graph.sinks:
            return f"{_MARKS[node % len(_MARKS)]} {visible(self.graph.labels[node])}"
        name = visible(self.graph.variable(node).name)
        if goes_on and self.reached[node] < 2 and node not in self.numbers:
            return name
        number = self.numbers.setdefault(node, len(self.numbers) + 1)
        return f"[{number}] {name}" if goes_on else f"→ [{number}] {name}"

    def _line(self, branch: _Branch, name: str) -> str:
        """A line that fits; if something has to be cut, that is the values, then the name."""
        room = self.width - columns(branch.before) - columns(name) - 2
        values = f"{shortened(branch.values, max(room, 8))}: " if branch.values else ""
        return shortened(branch.before + values + name, self.width)
