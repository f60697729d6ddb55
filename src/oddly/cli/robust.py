# SPDX-License-Identifier: Apache-2.0
"""`oddly robust`: how many changes it takes to change a decision, over all inputs and over the population."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from oddly.cli.options import DEFAULT_BUILD, AsJson, BuildOptions, UsageError, diagram
from oddly.cli.output import emit_json, show
from oddly.cli.progress import ProgressBar

EXAMPLE = """\
Example:
  oddly robust model.json
  oddly robust model.odd --under uniform --max-changes 3
  oddly robust model.json --under rows.csv --list 20 --json"""


def run(
    diagram_or_model: Annotated[
        Path, Parameter(name="X", help="A diagram (.odd), a model (.json), or example:pregnancy.")
    ],
    /,
    *,
    under: Annotated[
        str | None,
        Parameter(help="How inputs are distributed: model, uniform, or a CSV file of rows. Default: the model's own."),
    ] = None,
    max_changes: Annotated[int | None, Parameter(help="Look at no more changes than these.")] = None,
    exact: Annotated[
        bool, Parameter(negative="", show_default=False, help="Probabilities as exact numbers, in JSON.")
    ] = False,
    top: Annotated[
        int, Parameter(name="--list", help="Show so many inputs that one change tips, the most probable first.")
    ] = 5,
    build: BuildOptions = DEFAULT_BUILD,
    as_json: AsJson = False,
) -> int:
    """How robust is the classifier?

    The robustness of an input is the fewest attributes whose change makes its decision another. Counted over all
    inputs, and weighed over the population.
    """
    from oddly.questions.robustness import robustness

    if top < 0:
        raise UsageError(f"--list: expected a number from 0 on, found {top}")
    if max_changes is not None and max_changes < 1:
        raise UsageError(f"--max-changes: expected a number from 1 on, found {max_changes}")
    with ProgressBar():
        odd = diagram(diagram_or_model, build)
        answer = robustness(odd, under=under, max_changes=max_changes, exact=exact or None)
    if as_json:
        emit_json(answer.to_json(exact, most=top))
    else:
        show(answer, top)
    return 0
