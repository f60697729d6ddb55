# SPDX-License-Identifier: Apache-2.0
"""`oddly must`: do all inputs of a decision have these features?"""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from oddly.cli.options import DEFAULT_BUILD, AsJson, BuildOptions, diagram
from oddly.cli.output import emit_json, show
from oddly.cli.progress import ProgressBar

EXAMPLE = """\
Example:
  oddly must model.json yes "S=+ve or (U=+ve and B=+ve)"
  oddly must model.odd no "S!=+ve and not (U=+ve and B=+ve)" --json"""


def run(
    diagram_or_model: Annotated[
        Path, Parameter(name="X", help="A diagram (.odd), a model (.json), or example:pregnancy.")
    ],
    label: Annotated[str, Parameter(allow_leading_hyphen=True, help="The decision.")],
    expression: Annotated[
        str,
        Parameter(
            allow_leading_hyphen=True,
            help="NAME=VALUE, NAME!=VALUE, NAME in {A, B}, joined by and, or, not, -> and parentheses.",
        ),
    ],
    /,
    *,
    under: Annotated[
        str | None,
        Parameter(help="How inputs are distributed: model, uniform, or a CSV file of rows. Default: the model's own."),
    ] = None,
    build: BuildOptions = DEFAULT_BUILD,
    as_json: AsJson = False,
) -> int:
    """Do all inputs of a decision have these features?

    If not, how many and how probable the exceptions are, with the most probable one. Exit code 1 then.
    """
    from oddly.questions.must_hold import must_hold

    with ProgressBar():
        odd = diagram(diagram_or_model, build)
        answer = must_hold(odd, label, expression, under=under)
    if as_json:
        emit_json(answer.to_json())
    else:
        show(answer)
    return 0 if answer else 1
