# SPDX-License-Identifier: Apache-2.0
"""A diagram as a picture: a self-contained SVG that reads on light and dark pages and without colours."""

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from oddly.diagram import ODD
from oddly.draw.curve import drawn, number
from oddly.draw.graph import Edge, Graph, drawable
from oddly.draw.layout import (
    ARROW,
    SINK_HEIGHT,
    Layout,
    label_text,
    label_width,
    layout,
    value_text,
    value_width,
)
from oddly.draw.lettering import ems, joined, shortened, visible
from oddly.draw.style import LETTERS, dash, outline, stylesheet

_MARGIN = 24.0
_LONGEST_NAME = 16.0  # ems of an attribute at the left edge before it is cut
_NOTE_HEIGHT, _NOTE_WIDTH = 26.0, 240.0  # below the drawing, and at least so wide if it is long


def svg(odd: ODD, *, reduced: bool = True, instance: Mapping[str, str] | None = None, most: int = 500) -> str:
    """What does the diagram look like?

    Attributes are rows and values stand on the edges; edges to one node that skip rows flow together. The
    path of an `instance` is marked. A diagram of more than `most` nodes is refused.

    >>> import oddly
    >>> odd = oddly.compile(oddly.examples.pregnancy())
    >>> picture = svg(odd, instance={"U": "+ve", "B": "-ve", "S": "+ve"})
    >>> picture[:4], picture[-7:]
    ('<svg', '</svg>\\n')
    """
    graph = drawable(odd, reduced=reduced, most=most)
    path = None if instance is None else _path(odd, graph, instance)
    return _Picture(graph, layout(graph), path).whole(_description(odd, graph, path))


def _path(odd: ODD, graph: Graph, instance: Mapping[str, str]) -> list[Edge]:
    codes = odd.encode([instance])[0].tolist()
    return graph.path(dict(zip(odd.columns, codes, strict=True)))


# ---- in words ----


def _description(odd: ODD, graph: Graph, path: list[Edge] | None) -> str:
    """The drawing for those who cannot see it."""
    sentences = [f"{visible(repr(odd))}.", f"Drawn with {graph.size:,} nodes."]
    if graph.variables:
        sentences.append(f"Rows from the top: {joined(v.name for v in graph.variables)}.")
    if graph.note:
        sentences.append(graph.note)
    if path is not None:
        steps = "; ".join(_step(edge, graph) for edge in path) or "no questions"
        sink = path[-1].target if path else graph.root
        sentences.append(f"The marked path: {steps}; decision {visible(graph.labels[sink])}.")
    return " ".join(sentences)


def _step(edge: Edge, graph: Graph) -> str:
    variable = graph.variable(edge.source)
    return f"{visible(variable.name)} = {joined(variable.values[value] for value in edge.values)}"


# ---- as a picture ----


class _Picture:
    """The elements of a drawing, from the back to the front."""

    def __init__(self, graph: Graph, plan: Layout, path: list[Edge] | None) -> None:
        self.graph = graph
        self.plan = plan
        self.path = None if path is None else frozenset(path)
        self.visited = {graph.root, *(edge.target for edge in path or ())}
        self.names = [shortened(visible(v.name), _LONGEST_NAME, ems) for v in graph.variables]
        note = min(ems(graph.note) * LETTERS["note"], _NOTE_WIDTH)
        names = max((ems(name) * LETTERS["row"] + 28 for name in self.names), default=0.0)
        self.width = max(names + plan.width, note) + 2 * _MARGIN
        self.height = plan.height + 2 * _MARGIN + (_NOTE_HEIGHT if graph.note else 0.0)
        self.left = _MARGIN + names + (self.width - 2 * _MARGIN - names - plan.width) / 2

    def whole(self, description: str) -> str:
        parts = [
            *self._opening(description),
            *self._rows(),
            *self._note(),
            f'<g transform="translate({number(self.left)} {number(_MARGIN)})">',
            *self._lines(marked=False),
            *self._pen(),
            *self._lines(marked=True),
            *self._nodes(),
            *self._sinks(),
            *self._values(),
            "</g>",
            "</svg>",
        ]
        return "\n".join(parts) + "\n"

    def _opening(self, description: str) -> Iterator[str]:
        width, height = number(self.width), number(self.height)
        yield (
            '<svg xmlns="http://www.w3.org/2000/svg" class="oddly" role="img" direction="ltr" '
            f'width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
        )
        over = f" over {joined(v.name for v in self.graph.variables)}" if self.graph.variables else ""
        yield f"<title>{escape(f'Decision diagram{over}')}</title>"
        yield f"<desc>{escape(description)}</desc>"
        yield f"<style>{stylesheet(len(self.graph.labels))}</style>"
        yield f'<rect class="paper" width="{width}" height="{height}" rx="10"/>'

    def _rows(self) -> Iterator[str]:
        high = 2 * self.plan.radius + 12
        for variable, name, y in zip(self.graph.variables, self.names, self.plan.rows, strict=False):
            yield (
                f'<rect class="band" {_at(_MARGIN / 2, y + _MARGIN - high / 2)} '
                f'width="{number(self.width - _MARGIN)}" height="{number(high)}" rx="6"/>'
            )
            yield _text("row", _MARGIN, y + _MARGIN, name, hint=repr(variable))

    def _note(self) -> Iterator[str]:
        if note := self.graph.note:
            cut = shortened(note, (self.width - 2 * _MARGIN) / LETTERS["note"], ems)
            yield _text("note", _MARGIN, self.height - _MARGIN, cut, hint=note)

    def _pen(self) -> Iterator[str]:
        """The path of the instance, as if marked with a broad pen."""
        lines = [line for edge, line in self.plan.lines.items() if self._is_marked(edge)]
        lines += [trunk.line for trunk in self.plan.trunks if self._is_marked(*trunk.edges)]
        for line in lines:
            yield f'<path class="pen" d="{drawn(line)}"/>'

    def _lines(self, marked: bool) -> Iterator[str]:
        for trunk in self.plan.trunks:
            if self._is_marked(*trunk.edges) == marked:
                yield f'<path {self._look(trunk.edges)} d="{drawn(trunk.line)}"/>'
        for edge, line in self.plan.lines.items():
            if self._is_marked(edge) == marked:
                ends = f'data-from="{edge.source}" data-to="{edge.target}"'
                hint = _hint(_step(edge, self.graph))
                yield f'<path {self._look([edge])} d="{drawn(line)}" {ends}>{hint}</path>'

    def _look(self, edges: Sequence[Edge]) -> str:
        """The class and dash of a line: solid where edges of different dashes have flown together."""
        dashes = {dash(edge.values) for edge in edges}
        state = self._state(self._is_marked(*edges))
        pattern = dashes.pop() if len(dashes) == 1 else ""
        return f'class="line{_to(edges[0].target, self.graph)}{state}"{pattern}'

    def _nodes(self) -> Iterator[str]:
        for row, name, variable in zip(self.graph.rows, self.names, self.graph.variables, strict=False):
            for node in row:
                x, y = self.plan.nodes[node]
                state = self._state(node in self.visited)
                circle = f'cx="{number(x)}" cy="{number(y)}" r="{number(self.plan.radius)}"'
                yield from self._head(node, self.plan.radius)
                yield f'<circle class="node{state}" {circle}>{_hint(variable.name)}</circle>'
                if self.plan.lettered:
                    yield _text(f"name{state}", x, y, name)

    def _sinks(self) -> Iterator[str]:
        for sink in self.graph.sinks:
            x, y = self.plan.nodes[sink]
            name = self.graph.labels[sink]
            state = self._state(sink in self.visited)
            yield from self._head(sink, SINK_HEIGHT / 2)
            yield f'<g transform="translate({number(x)} {number(y)})" data-label="{sink}">{_hint(name)}'
            yield f'<{outline(sink, label_width(name), SINK_HEIGHT)} class="node to{sink}{state}"/>'
            yield _text(f"label to{sink}{state}", 0, 0, label_text(name)) + "</g>"

    def _head(self, node: int, above: float) -> Iterator[str]:
        """The one arrow's head into which all edges to a node run."""
        if node != self.graph.root:
            x, y = self.plan.nodes[node]
            look = f"head{_to(node, self.graph)}{self._state(node in self.visited)}"
            yield f'<path class="{look}" d="M{number(x)} {number(y - above)}l-4 -{number(ARROW + 1)}h8z"/>'

    def _values(self) -> Iterator[str]:
        """The labels, each on a chip of paper that keeps lines off it."""
        for edge, (_, (x, y, _), *_) in self.plan.lines.items():
            wide = value_width(edge) + 4
            chip = f'{_at(x - wide / 2, y - 7)} width="{number(wide)}" height="14" rx="4"'
            state = self._state(self._is_marked(edge))
            yield f'<rect class="paper" {chip}/>'
            yield _text(f"value{state}", x, y, value_text(edge), hint=_step(edge, self.graph))

    def _is_marked(self, *edges: Edge) -> bool:
        return self.path is not None and not self.path.isdisjoint(edges)

    def _state(self, marked: bool) -> str:
        return "" if self.path is None else " on" if marked else " off"


def _to(node: int, graph: Graph) -> str:
    """What ends in a sink has its colour."""
    return f" to{node}" if node in graph.sinks else ""


def _text(look: str, x: float, y: float, text: str, hint: str | None = None) -> str:
    baseline = y + 0.35 * LETTERS[look.split()[0]]
    return f'<text class="{look}" {_at(x, baseline)}>{_hint(hint) if hint else ""}{escape(text)}</text>'


def _hint(text: str) -> str:
    """What a reader sees when pointing at it."""
    return f"<title>{escape(visible(text))}</title>"


def _at(x: float, y: float) -> str:
    return f'x="{number(x)}" y="{number(y)}"'
