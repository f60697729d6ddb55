# SPDX-License-Identifier: Apache-2.0
"""`oddly show`: draw a diagram, for a terminal, a page or Graphviz."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from oddly.cli.options import (
    DEFAULT_BUILD,
    AsJson,
    BuildOptions,
    UsageError,
    assignments,
    complete,
    diagram,
    output_beside,
)
from oddly.cli.output import emit, emit_json, note, save_text
from oddly.cli.progress import Bar

if TYPE_CHECKING:
    from oddly.diagram import ODD

EXAMPLE = """\
Example:
  oddly show model.odd
  oddly show model.json -o model.svg --instance U=+ve --instance B=-ve --instance S=+ve
  oddly show model.json --given S=-ve
  oddly show model.json --format dot | dot -Tpdf > model.pdf"""

Format = Literal["text", "svg", "dot"]

BY_SUFFIX: dict[str, Format] = {".svg": "svg", ".dot": "dot", ".gv": "dot", ".txt": "text"}


def run(
    diagram_or_model: Annotated[
        Path, Parameter(name="X", help="A diagram (.odd), a model (.json), or example:pregnancy.")
    ],
    /,
    *,
    output: Annotated[Path | None, Parameter(alias="-o", help="A file: .svg, .dot, .gv or .txt.")] = None,
    format: Annotated[
        Format | None,
        Parameter(help="What to draw; otherwise what -o's name says, or text.", show_choices=True),
    ] = None,
    levels: Annotated[
        bool, Parameter(negative="", show_default=False, help="Draw every depth, not the reduced diagram.")
    ] = False,
    instance: Annotated[
        list[str] | None,
        Parameter(negative="", help="NAME=VALUE, once per attribute: its path stands out, in svg."),
    ] = None,
    given: Annotated[
        list[str] | None,
        Parameter(negative="", help="NAME=VALUE: draw only what remains once this is known."),
    ] = None,
    most: Annotated[int | None, Parameter(help="Draw up to this many nodes.")] = None,
    build: BuildOptions = DEFAULT_BUILD,
    as_json: AsJson = False,
) -> int:
    """Draw a diagram, as text, SVG or DOT."""
    output_beside(output, diagram_or_model, suffixes=[] if format else list(BY_SUFFIX))
    chosen = format or (BY_SUFFIX[output.suffix.lower()] if output else "text")
    if instance and chosen != "svg":
        raise UsageError(f"--instance: a path stands out in svg, not in {chosen}; try --format svg")
    with Bar() as bar:
        odd = diagram(diagram_or_model, build, bar)
    if given:
        odd = odd.restrict(assignments(given, odd.variables))
    path = complete(assignments(instance, odd.variables), odd.variables) if instance else None
    drawing = draw(odd, chosen, reduced=not levels, instance=path, most=most)
    if output is not None:
        save_text(drawing, output)
        note(f"written to {output}")
    if as_json:
        told = {"format": chosen, "size": odd.size, "reduced_size": odd.reduced_size, "order": odd.order}
        emit_json({**told, "written": output and str(output), "drawing": None if output else drawing})
    elif output is None:
        emit(drawing if drawing.endswith("\n") else drawing + "\n")
    return 0


def draw(
    odd: "ODD",
    format: Format,
    *,
    reduced: bool = True,
    instance: dict[str, str] | None = None,
    most: int | None = None,
) -> str:
    """The drawing in one of the formats, each with its own idea of how many nodes are too many."""
    import oddly.draw as drawn

    limit = {} if most is None else {"most": most}
    if format == "svg":
        return drawn.svg(odd, reduced=reduced, instance=instance, **limit)
    return (drawn.dot if format == "dot" else drawn.text)(odd, reduced=reduced, **limit)
