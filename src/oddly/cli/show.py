# SPDX-License-Identifier: Apache-2.0
"""`oddly show`: draw a diagram, for a terminal, a page, a paper or Graphviz."""

from pathlib import Path
from typing import Annotated

from oddly.cli.options import BUILD, AsJson, BuildOptions, Flag, Output, Words, X, diagram
from oddly.cli.output import emit, emit_json, note, save
from oddly.cli.texts import File, Number, Text, UsageError, assignments, complete, output_beside, say
from oddly.draw.files import BY_SUFFIX, Kind, drawing

PICTURES = ("svg", "png", "pdf")
SUFFIXES = (".svg", ".png", ".pdf", ".dot", ".gv", ".txt")


def run(
    diagram_or_model: X,
    /,
    *,
    output: Annotated[Output, say("A file: .svg, .png, .pdf (these need matplotlib), .dot, .gv or .txt.")] = None,
    format: Annotated[
        Kind | None, say("What to draw; otherwise what -o's name says, or text.", show_choices=True)
    ] = None,
    levels: Annotated[Flag, say("Draw every depth, not the reduced diagram.")] = False,
    instance: Annotated[Words, say("NAME=VALUE, once per attribute: its path stands out, in a picture.")] = None,
    against: Annotated[
        File, say("Another model or diagram: what it decides otherwise stands out, in a picture.")
    ] = None,
    under: Annotated[
        Text, say("What shares in a picture are shares of: model, uniform, or a table of rows (.csv).")
    ] = None,
    given: Annotated[Words, say("NAME=VALUE: draw only what remains once this is known.")] = None,
    most: Annotated[Number, say("Draw up to this many nodes one by one; a picture of more has them in groups.")] = None,
    build: BuildOptions = BUILD,
    as_json: AsJson = False,
) -> int:
    """Draw a diagram, as text, a picture (SVG, PNG, PDF) or DOT.

    Example:
      oddly show model.odd
      oddly show model.json -o model.svg --instance U=+ve --instance B=-ve --instance S=+ve
      oddly show old.json --against new.json -o changed.pdf
      oddly show model.json --given S=-ve
      oddly show model.json --format dot | dot -Tpdf > model.pdf
    """
    output_beside(output, diagram_or_model, *([against] if against else []), suffixes=[] if format else SUFFIXES)
    chosen = format or ("text" if output is None else BY_SUFFIX[output.suffix.lower()])
    _fitting(chosen, output, {"--instance": instance, "--against": against, "--under": under})
    odd = diagram(diagram_or_model, build)
    if given:
        odd = odd.restrict(assignments(given, odd.variables))
    path = complete(assignments(instance, odd.variables), odd.variables) if instance else None
    other = None if against is None else build.choice.side(against)
    marked = {"instance": path, "against": other, "under": under} if chosen in PICTURES else {}
    limit = {} if most is None else {"most": most}  # each format has its own idea of how many nodes are too many
    data = drawing(odd, chosen, reduced=not levels, **limit, **marked)
    if output is not None:
        save(data, output)
        note(f"written to {output}")
    if as_json:
        told = {"format": chosen, "size": odd.size, "reduced_size": odd.reduced_size, "order": odd.order}
        emit_json({**told, "written": output and str(output), "drawing": None if output else data.decode()})
    elif output is None:
        emit(data.decode())
    return 0


def _fitting(chosen: Kind, output: Path | None, marks: dict[str, object]) -> None:
    """Refuse what the format cannot show."""
    for option, value in marks.items():
        if value and chosen not in PICTURES:
            wanted = {"--instance": "a path stands out", "--against": "decisions stand out"}
            what = wanted.get(option, "shares are shown")
            raise UsageError(f"{option}: {what} in svg, png and pdf, not in {chosen}; try --format svg")
    if chosen in ("png", "pdf") and output is None:
        raise UsageError(f"--format {chosen}: no picture for a terminal; name a file: -o model.{chosen}")
