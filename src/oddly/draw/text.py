# SPDX-License-Identifier: Apache-2.0
"""A diagram in letters: a small one as a tree for a terminal, which writes out once what several edges reach, and any in
Graphviz's language, for those who lay it out or style it themselves.

The grammar: https://graphviz.org/doc/info/lang.html
"""

from collections import Counter, deque
from collections.abc import Iterator
from typing import NamedTuple

from oddly.answers.lettering import columns, shortened, visible
from oddly.diagram import ODD
from oddly.draw.graph import Edge, Graph, drawable

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


_SHAPES = (
    "box",
    "box, style=rounded",
    "hexagon",
    "parallelogram",
    "trapezium",
    "invtrapezium",
    "cds",
    "house",
    "octagon",
)
_STYLES = ("solid", "dashed", "dotted", "bold", "dashed,bold", "dotted,bold")


def dot(odd: ODD, *, reduced: bool = True, most: int = 5_000) -> str:
    """What would Graphviz be given to draw the diagram?

    >>> import oddly
    >>> print(dot(oddly.compile(oddly.examples.pregnancy(), order=["U", "B", "S"])))
    digraph oddly {
    ...
      n2 -> n3 [label="+ve", style=solid]
      n2 -> n4 [label="-ve", style=dashed]
    ...
    }
    """
    graph = drawable(odd, reduced=reduced, most=most)
    lines = [
        'node [fontname="Helvetica,Arial,sans-serif", shape=ellipse, height=0.3]',
        'edge [fontname="Helvetica,Arial,sans-serif", arrowsize=0.7]',
        *_names(graph),
        *_rows(graph),
        *map(_edge, graph.edges),
    ]
    return "\n".join(["digraph oddly {", *(f"  {line}" for line in lines), "}", ""])


def _names(graph: Graph) -> Iterator[str]:
    """The attributes at the left, chained so that Graphviz keeps the rows in order."""
    for place, variable in enumerate(graph.variables):
        yield f"row{place} [label={_quoted(variable.name)}, shape=plaintext]"
    if len(graph.variables) > 1:
        yield " -> ".join(f"row{place}" for place in range(len(graph.variables))) + " [style=invis]"


def _rows(graph: Graph) -> Iterator[str]:
    for place, (variable, row) in enumerate(zip(graph.variables, graph.rows, strict=False)):
        nodes = "; ".join(f"n{node} [label={_quoted(variable.name)}]" for node in row)
        yield f"{{ rank=same; row{place}; {nodes} }}"
    shapes = {sink: _SHAPES[sink % len(_SHAPES)] for sink in graph.sinks}
    sinks = "; ".join(f"n{i} [label={_quoted(graph.labels[i])}, shape={s}, penwidth=2]" for i, s in shapes.items())
    yield f"{{ rank=sink; {sinks} }}"


def _edge(edge: Edge) -> str:
    style = _STYLES[edge.values[0] % len(_STYLES)]
    style = f'"{style}"' if "," in style else style
    return f"n{edge.source} -> n{edge.target} [label={_quoted(edge.label)}, style={style}]"


def _quoted(name: str) -> str:
    """The string that Graphviz shows as the name: even quoted, it reads backslashes and HTML's entities."""
    return '"' + visible(name).replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"') + '"'
