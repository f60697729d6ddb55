# SPDX-License-Identifier: Apache-2.0
"""`oddly allow`: how far every number may move, and what blocks it."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from oddly.cli.options import DEFAULT_BUILD, AsJson, BuildOptions, diagram
from oddly.cli.output import emit_json, show
from oddly.cli.progress import ProgressBar

EXAMPLE = """\
Example:
  oddly allow model.json
  oddly allow network.bif --class fault --positive yes
  oddly allow model.odd --json"""


def run(
    diagram_or_model: Annotated[
        Path, Parameter(name="X", help="A diagram (.odd), a model (.json), or example:pregnancy.")
    ],
    /,
    *,
    most: Annotated[
        int | None,
        Parameter(name="--list", help="Show so many probabilities of tables, those with the least room first."),
    ] = None,
    build: BuildOptions = DEFAULT_BUILD,
    as_json: AsJson = False,
) -> int:
    """How far may each number move before any decision changes?

    The prior, the threshold, every weight and every probability, each alone, and all of them together; and for
    each end the case that is the first to be decided otherwise. Of more than 100 probabilities in tables those with
    the least room are shown, 40 or as many as --list says; --json has them all.
    """
    from oddly.questions.allowed.question import allowed

    with ProgressBar():
        odd = diagram(diagram_or_model, build)
        answer = allowed(odd)
    if as_json:
        emit_json(answer.to_json())
    else:
        show(answer, most)
    return 0
