# SPDX-License-Identifier: Apache-2.0
"""A diagram as a picture: a self-contained SVG that reads on light and dark pages and without colours."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from oddly.answers import percent
from oddly.answers.lettering import ems, joined, shortened, visible
from oddly.diagram import ODD
from oddly.distribution.flow import beside
from oddly.draw.bands import Bands, bands
from oddly.draw.elements import Element, Svg, box, drawing, row, sink, text
from oddly.draw.graph import Edge, Graph, Marks, difference_marks, drawable, legible, path_marks, path_of
from oddly.draw.layout import ARROW, SINK_HEIGHT, Layout, layout, name_text, value_text, value_width
from oddly.draw.layout import path as path_of_line
from oddly.draw.ribbons import ribbons
from oddly.draw.style import LETTERS, dash
from oddly.errors import Unsupported

MOST = 500
"""The nodes that are drawn one by one; of more, or of more than three times as many edges, groups."""

_MARGIN = 24.0
_NOTE_HEIGHT, _NOTE_WIDTH = 26.0, 240.0  # below the drawing, and at least so wide if it is long
_CAPTION_HEIGHT = 18.0


def svg(
    odd: ODD,
    *,
    reduced: bool = True,
    instance: Mapping[str, str] | None = None,
    against: Any = None,
    under: Any = None,
    most: int = MOST,
) -> Svg:
    """What does the diagram look like?

    Attributes are rows and values stand on the edges; edges to one node that skip rows flow together. The path of an
    `instance` is marked, or all that another classifier (`against`: a model, a diagram, or the path of either) decides
    otherwise. A diagram of more than `most` nodes, or three times as many edges, is drawn as bands: the nodes of each depth
    in a few groups, as wide as the share of instances that passes them, under the model or the distribution `under` (as
    in `oddly.count`). The drawing is a text, which a notebook shows as a picture.

    >>> import oddly
    >>> odd = oddly.compile(oddly.examples.pregnancy())
    >>> picture = svg(odd, instance={"U": "+ve", "B": "-ve", "S": "+ve"})
    >>> picture[:4], picture[-7:]
    ('<svg', '</svg>\\n')
    """
    if instance is not None and against is not None:
        raise Unsupported("one thing is marked at a time: the path of an instance, or another classifier's decisions")
    graph = legible(odd, reduced=reduced, most=most)
    if graph is None:
        grouped = bands(odd, instance=instance, against=against, under=under)
        return ribbons(grouped, _grouped_description(odd, grouped, instance))
    if against is not None:
        found = beside(odd, against)
        graph = drawable(found.odd, reduced=reduced, most=most + len(found.odd.levels))
        marks = difference_marks(odd, found, graph, reduced, under)
        return _SvgElements(graph, layout(graph), marks).whole(_description(odd, graph, None, marks))
    path = None if instance is None else path_of(odd, graph, instance)
    marks = Marks() if path is None else path_marks(graph, path)
    return _SvgElements(graph, layout(graph), marks).whole(_description(odd, graph, path, marks))


# ---- in words ----


def _description(odd: ODD, graph: Graph, path: list[Edge] | None, marks: Marks) -> str:
    """The drawing for those who cannot see it."""
    sentences = [f"{visible(repr(odd))}.", f"Drawn with {graph.size:,} nodes."]
    if graph.variables:
        sentences.append(f"Rows from the top: {joined(v.name for v in graph.variables)}.")
    sentences += [part for part in (graph.note, marks.note) if part]
    if path is not None:
        steps = "; ".join(_step(edge, graph) for edge in path) or "no questions"
        end = path[-1].target if path else graph.root
        sentences.append(f"The marked path: {steps}; decision {visible(graph.labels[end])}.")
    return " ".join(sentences)


def _grouped_description(odd: ODD, grouped: Bands, instance: Mapping[str, str] | None) -> str:
    ends = zip(grouped.labels, grouped.rows[-1], strict=True)
    sentences = [
        f"{visible(repr(odd))}.",
        f"Drawn with the nodes of each depth in groups, as wide as their share under {visible(grouped.under)}.",
        f"Rows from the top: {joined(v.name for v in grouped.variables)}.",
        f"Decided: {', '.join(f'{visible(label)} {percent(group.share)}' for label, group in ends)}.",
    ]
    if instance is not None and grouped.path is not None:
        sentences.append(f"The marked path ends in {visible(grouped.labels[grouped.path[-1]])}.")
    if grouped.differs is not None:
        sentences.append(f"Marked: what the other decides otherwise, {percent(grouped.differs)} in all.")
    return " ".join(sentences)


def _step(edge: Edge, graph: Graph) -> str:
    variable = graph.variable(edge.source)
    return f"{visible(variable.name)} = {joined(variable.values[value] for value in edge.values)}"


# ---- as a picture ----


class _SvgElements:
    """The elements of a drawing, from the back to the front."""

    def __init__(self, graph: Graph, plan: Layout, marks: Marks) -> None:
        self.graph = graph
        self.plan = plan
        self.marks = marks
        self.names = [name_text(v.name) for v in graph.variables]
        self.note = " ".join(filter(None, [graph.note, marks.note]))
        note = min(ems(self.note) * LETTERS["note"], _NOTE_WIDTH * (2 if marks.note else 1))
        names = max((ems(name) * LETTERS["row"] + 28 for name in self.names), default=0.0)
        self.width = max(names + plan.width, note) + 2 * _MARGIN
        captions = _CAPTION_HEIGHT if marks.captions else 0.0
        self.height = plan.height + 2 * _MARGIN + captions + (_NOTE_HEIGHT if self.note else 0.0)
        self.left = _MARGIN + names + (self.width - 2 * _MARGIN - names - plan.width) / 2

    def whole(self, description: str) -> Svg:
        lines = [*self._lines(lit=False), *self._pen(), *self._lines(lit=True)]
        inside = (*lines, *self._nodes(), *self._sinks(), *self._values())
        moved = Element("g", inside=inside, moved=(self.left, _MARGIN))
        return drawing(self.graph, self.width, self.height, description, *self._rows(), *self._note(), moved)

    def _rows(self) -> Iterator[Element]:
        high = 2 * self.plan.radius + 12
        for variable, name, y in zip(self.graph.variables, self.names, self.plan.rows, strict=False):
            yield row(_MARGIN / 2, y + _MARGIN, self.width - _MARGIN, high)
            yield text("row", _MARGIN, y + _MARGIN, name, repr(variable))

    def _note(self) -> Iterator[Element]:
        if self.note:
            cut = shortened(self.note, (self.width - 2 * _MARGIN) / LETTERS["note"], ems)
            yield text("note", _MARGIN, self.height - _MARGIN, cut, self.note)

    def _pen(self) -> Iterator[Element]:
        """What is marked, as if with a broad pen."""
        lines = [((edge,), line) for edge, line in self.plan.lines.items()]
        for edges, line in [*lines, *((trunk.edges, trunk.line) for trunk in self.plan.trunks)]:
            if wide := self.marks.width(edges):
                yield Element("path", {"class": "pen", "stroke-width": wide, "d": path_of_line(line)})

    def _lines(self, lit: bool) -> Iterator[Element]:
        for trunk in self.plan.trunks:
            if self._is_lit(*trunk.edges) == lit:
                yield Element("path", {**self._look(trunk.edges), "d": path_of_line(trunk.line)})
        for edge, line in self.plan.lines.items():
            if self._is_lit(edge) == lit:
                ends = {"data-from": str(edge.source), "data-to": str(edge.target)}
                given = {**self._look([edge]), "d": path_of_line(line), **ends}
                yield Element("path", given, tip=_step(edge, self.graph))

    def _look(self, edges: Sequence[Edge]) -> dict[str, str]:
        """The class and dash of a line: solid where edges of different dashes have flown together."""
        dashes = {dash(edge.values) for edge in edges}
        look = f"line{_to(edges[0].target, self.graph)}{self.marks.state(self._is_lit(*edges))}"
        pattern = dashes.pop() if len(dashes) == 1 else ""
        return {"class": look, "stroke-dasharray": pattern} if pattern else {"class": look}

    def _nodes(self) -> Iterator[Element]:
        for nodes, name, variable in zip(self.graph.rows, self.names, self.graph.variables, strict=False):
            for node in nodes:
                x, y = self.plan.nodes[node]
                state = self.marks.state(node in self.marks.nodes)
                circle = {"class": f"node{state}", "cx": x, "cy": y, "r": self.plan.radius}
                yield from self._head(node, self.plan.radius)
                yield Element("circle", circle, tip=variable.name)
                if self.plan.lettered:
                    yield text(f"name{state}", x, y, name)

    def _sinks(self) -> Iterator[Element]:
        for label in self.graph.sinks:
            state = self.marks.state(label in self.marks.nodes)
            yield from self._head(label, SINK_HEIGHT / 2)
            caption = self.marks.captions.get(label, "")
            yield sink(label, self.graph.labels[label], self.plan.nodes[label], state, caption)

    def _head(self, node: int, above: float) -> Iterator[Element]:
        """The one arrow's head into which all edges to a node run."""
        if node != self.graph.root:
            x, y = self.plan.nodes[node]
            tip, high = y - above, y - above - ARROW - 1
            look = f"head{_to(node, self.graph)}{self.marks.state(node in self.marks.nodes)}"
            corners = (("M", (x, tip)), ("L", (x - 4, high)), ("L", (x + 4, high)), ("Z", ()))
            yield Element("path", {"class": look, "d": corners})

    def _values(self) -> Iterator[Element]:
        """The labels, each on a chip of paper that keeps lines off it."""
        for edge, (_, (x, y, _), *_) in self.plan.lines.items():
            wide = value_width(edge) + 4
            tip = "; ".join(filter(None, [_step(edge, self.graph), self.marks.tips.get(edge, "")]))
            yield box("paper", x - wide / 2, y - 7, wide, 14, 4)
            yield text(f"value{self.marks.state(self._is_lit(edge))}", x, y, value_text(edge), tip)

    def _is_lit(self, *edges: Edge) -> bool:
        return self.marks.width(edges) > 0


def _to(node: int, graph: Graph) -> str:
    """What ends in a sink has its colour."""
    return f" to{node}" if node in graph.sinks else ""
