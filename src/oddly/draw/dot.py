# SPDX-License-Identifier: Apache-2.0
"""A diagram in Graphviz's language, for those who lay it out or style it themselves.

The grammar: https://graphviz.org/doc/info/lang.html
"""

from collections.abc import Iterator

from oddly.answers.lettering import visible
from oddly.diagram import ODD
from oddly.draw.graph import Edge, Graph, drawable

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
    sinks = "; ".join(f"n{sink} [label={_quoted(graph.labels[sink])}, {_shape(sink)}]" for sink in graph.sinks)
    yield f"{{ rank=sink; {sinks} }}"


def _shape(sink: int) -> str:
    return f"shape={_SHAPES[sink % len(_SHAPES)]}, penwidth=2"


def _edge(edge: Edge) -> str:
    style = _STYLES[edge.values[0] % len(_STYLES)]
    style = f'"{style}"' if "," in style else style
    return f"n{edge.source} -> n{edge.target} [label={_quoted(edge.label)}, style={style}]"


def _quoted(name: str) -> str:
    """The string that Graphviz shows as the name: even quoted, it reads backslashes and HTML's entities."""
    return '"' + visible(name).replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"') + '"'
