# SPDX-License-Identifier: Apache-2.0
"""`oddly combine`: two classifiers as one diagram, or one without some of its attributes."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from oddly.cli.options import AsJson, UsageError, output_beside
from oddly.cli.output import emit_json, facts, share
from oddly.cli.progress import Bar

if TYPE_CHECKING:
    from oddly.diagram import ODD

EXAMPLE = """\
Example:
  oddly combine old.json and new.json -o both.odd
  oddly combine model.json for-all sex -o whatever-the-sex.odd
  oddly combine model.odd not"""

Operation = Literal["and", "or", "xor", "implies", "not", "for-all", "for-some"]


def run(
    left: Annotated[Path, Parameter(help="A model (.json) or a diagram (.odd).")],
    operation: Annotated[Operation, Parameter(help="What to do with it.")],
    right: Annotated[
        tuple[str, ...],
        Parameter(help="Another model or diagram; with for-all and for-some the names of attributes."),
    ] = (),
    /,
    *,
    output: Annotated[Path | None, Parameter(alias="-o", help="Keep the diagram in this file (.odd).")] = None,
    max_nodes: Annotated[int | None, Parameter(help="Stop beyond this many nodes.")] = None,
    as_json: AsJson = False,
) -> int:
    """Combine classifiers: positive where both are, where either is, whatever one attribute says.

    An attribute that one side lacks is one it ignores.
    """
    from oddly.questions.diagrams import as_diagram

    inputs = [left] if operation in ("not", "for-all", "for-some") else [left, *map(Path, right)]
    output_beside(output, *inputs, suffixes=[".odd"])
    with Bar() as bar:
        odd = _combined(as_diagram(left, progress=bar, max_nodes=max_nodes), operation, right, max_nodes)
    if output is not None:
        odd.save(output)
    counts = {label: odd.count(label) for label in reversed(odd.labels)}
    if as_json:
        told = {label: str(n) for label, n in counts.items()}
        written = output and str(output)
        emit_json(
            {"size": odd.size, "order": odd.order, "instances": str(odd.instances), "counts": told, "written": written}
        )
    else:
        rows = [("size", f"{odd.size:,} nodes"), ("order", ", ".join(odd.order)), ("instances", f"{odd.instances:,}")]
        rows += [(f"  {label}", f"{n:,} ({share(n, odd.instances)})") for label, n in counts.items()]
        facts(rows + ([("written", str(output))] if output else []))
    return 0


def _combined(odd: "ODD", operation: Operation, right: tuple[str, ...], max_nodes: int | None) -> "ODD":
    from oddly.questions import combine
    from oddly.questions.diagrams import as_diagram

    if operation == "not":
        if right:
            raise UsageError(f"not takes one diagram; unexpected {right[0]!r}")
        return combine.negated(odd)
    if operation in ("for-all", "for-some"):
        if not right:
            raise UsageError(f"{operation}: name the attributes, such as {odd.order[0] if odd.order else 'A'}")
        return (combine.for_all if operation == "for-all" else combine.for_some)(odd, *right, max_nodes=max_nodes)
    if len(right) != 1:
        raise UsageError(f"{operation} takes two diagrams, found {1 + len(right)}")
    other = as_diagram(right[0], like=odd, max_nodes=max_nodes)
    joins = {"and": combine.both, "or": combine.either, "xor": combine.one_of, "implies": combine.implies}
    return joins[operation](odd, other, max_nodes=max_nodes)
