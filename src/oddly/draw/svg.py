# SPDX-License-Identifier: Apache-2.0
"""A diagram as a picture: one self-contained SVG that reads on light and dark pages, in print and without colours."""

from collections.abc import Iterable, Iterator, Mapping
from html import escape

from oddly.diagram import ODD
from oddly.draw.curve import curve, number
from oddly.draw.graph import Edge, Graph, drawable
from oddly.draw.layout import (
    ARROW,
    LETTERED,
    SINK_HEIGHT,
    Layout,
    label_text,
    label_width,
    layout,
    value_text,
    value_width,
)
from oddly.draw.lettering import ems, joined, shortened, visible
from oddly.draw.style import dash, outline, stylesheet

_MARGIN = 24.0
_NAME_SIZE, _LONGEST_NAME = 13.0, 16.0  # of an attribute at the left edge: pixels, and ems before it is cut
_NOTE_SIZE, _NOTE_HEIGHT = 11.5, 26.0
_FAN = 0.7  # how much of their slant edges leave a node with


def svg(odd: ODD, *, reduced: bool = True, instance: Mapping[str, str] | None = None, most: int = 500) -> str:
    """What does the diagram look like?

    Attributes are rows and values stand on the edges; edges to one node that skip rows flow together. The path of an
    `instance` is marked. A diagram of more than `most` nodes is refused.

    >>> import oddly
    >>> picture = svg(oddly.compile(oddly.examples.pregnancy()), instance={"U": "+ve", "B": "-ve", "S": "+ve"})
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
    if graph.unasked:
        sentences.append(_unasked(graph))
    if path is not None:
        steps = "; ".join(_step(edge, graph) for edge in path) or "no questions"
        sink = path[-1].target if path else graph.root
        sentences.append(f"The marked path: {steps}; decision {visible(graph.labels[sink])}.")
    return " ".join(sentences)


def _unasked(graph: Graph) -> str:
    return f"Never asked: {joined(v.name for v in graph.unasked)}."


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
        self.left = _MARGIN + max((ems(name) * _NAME_SIZE + 28 for name in self.names), default=0.0)
        self.width = self.left + plan.width + _MARGIN
        self.height = plan.height + 2 * _MARGIN + (_NOTE_HEIGHT if graph.unasked else 0.0)

    def whole(self, description: str) -> str:
        names = joined(v.name for v in self.graph.variables)
        size = f'width="{number(self.width)}" height="{number(self.height)}"'
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="oddly" role="img" direction="ltr" {size} '
            f'viewBox="0 0 {number(self.width)} {number(self.height)}" style="max-width: 100%; height: auto">',
            f"<title>{escape(f'Decision diagram over {names}' if names else 'Decision diagram')}</title>",
            f"<desc>{escape(description)}</desc>",
            f"<style>{stylesheet(len(self.graph.labels))}</style>",
            f'<rect class="paper" {size} rx="10"/>',
            *self._rows(),
            *self._note(),
            f'<g transform="translate({number(self.left)} {number(_MARGIN)})">',
            *self._marked(),
            *self._trunks(),
            *self._edges(),
            *self._nodes(),
            *self._sinks(),
            *self._values(),
            "</g>",
            "</svg>",
        ]
        return "\n".join(parts) + "\n"

    def _rows(self) -> Iterator[str]:
        high = 2 * self.plan.radius + 12
        for variable, name, y in zip(self.graph.variables, self.names, self.plan.rows, strict=False):
            yield (
                f'<rect class="band" {_at(_MARGIN / 2, y + _MARGIN - high / 2)} '
                f'width="{number(self.width - _MARGIN)}" height="{number(high)}" rx="6"/>'
            )
            yield _text("row", _MARGIN, y + _MARGIN, name, hint=repr(variable))

    def _note(self) -> Iterator[str]:
        if self.graph.unasked:
            note = _unasked(self.graph)
            cut = shortened(note, (self.width - 2 * _MARGIN) / _NOTE_SIZE, ems)
            yield _text("note", _MARGIN, self.height - _MARGIN + 4, cut, hint=note)

    def _marked(self) -> Iterator[str]:
        """The path of the instance, as if with a broad pen."""
        for edge, line in self.plan.lines.items():
            if edge in (self.path or ()):
                yield f'<path class="pen" d="{curve(line, leaving=_FAN)}"/>'
        for trunk in self.plan.trunks:
            if self._is_marked(trunk.edges):
                yield f'<path class="pen" d="{curve(trunk.points)}"/>'

    def _trunks(self) -> Iterator[str]:
        for trunk in self.plan.trunks:
            look = f"line{_to(trunk.edges[0].target, self.graph)}{self._state(self._is_marked(trunk.edges))}"
            dashes = {dash(edge.values) for edge in trunk.edges}
            pattern = dashes.pop() if len(dashes) == 1 else ""
            yield f'<path class="{look}" d="{curve(trunk.points)}"{pattern}/>'

    def _edges(self) -> Iterator[str]:
        for edge, line in self.plan.lines.items():
            look = f"line{_to(edge.target, self.graph)}{self._state(self._is_marked([edge]))}"
            yield (
                f'<path class="{look}" d="{curve(line, leaving=_FAN)}"{dash(edge.values)} '
                f'data-from="{edge.source}" data-to="{edge.target}">{_hint(_step(edge, self.graph))}</path>'
            )

    def _nodes(self) -> Iterator[str]:
        lettered = self.plan.radius == LETTERED
        for place, (name, variable) in enumerate(zip(self.names, self.graph.variables, strict=True)):
            for node in self.graph.rows[place]:
                x, y = self.plan.nodes[node]
                state = self._state(node in self.visited)
                yield from self._head(node, self.plan.radius)
                yield (
                    f'<circle class="node{state}" cx="{number(x)}" cy="{number(y)}" r="{number(self.plan.radius)}">'
                    f"{_hint(variable.name)}</circle>"
                )
                if lettered:
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
        for edge, (_, (x, y), _) in self.plan.lines.items():
            wide = value_width(edge) + 4
            yield f'<rect class="paper" {_at(x - wide / 2, y - 7)} width="{number(wide)}" height="14" rx="4"/>'
            state = self._state(self._is_marked([edge]))
            yield _text(f"value{state}", x, y, value_text(edge), hint=_step(edge, self.graph))

    def _is_marked(self, edges: Iterable[Edge]) -> bool:
        return self.path is not None and not self.path.isdisjoint(edges)

    def _state(self, marked: bool) -> str:
        return "" if self.path is None else " on" if marked else " off"


def _to(node: int, graph: Graph) -> str:
    """What ends in a sink has its colour."""
    return f" to{node}" if node in graph.sinks else ""


def _text(look: str, x: float, y: float, text: str, hint: str | None = None) -> str:
    more = _hint(hint) if hint else ""
    return f'<text class="{look}" {_at(x, y)} dy="0.35em">{more}{escape(text)}</text>'


def _hint(text: str) -> str:
    """What a reader sees when pointing at it."""
    return f"<title>{escape(visible(text))}</title>"


def _at(x: float, y: float) -> str:
    return f'x="{number(x)}" y="{number(y)}"'
