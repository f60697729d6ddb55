# SPDX-License-Identifier: Apache-2.0
"""`oddly fair`: which decisions hinge on protected attributes, and how groups are decided."""

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from oddly.cli.options import DEFAULT_BUILD, AsJson, BuildOptions, UsageError, diagram, names_of
from oddly.cli.output import emit_json, show
from oddly.cli.progress import ProgressBar

EXAMPLE = """\
Example:
  oddly fair model.json --protected sex
  oddly fair model.odd --protected sex --protected age --label grant
  oddly fair model.json --protected sex --under applicants.csv --target repaid --json"""


def run(
    diagram_or_model: Annotated[
        Path, Parameter(name="X", help="A diagram (.odd), a model (.json), or example:pregnancy.")
    ],
    /,
    *,
    protected: Annotated[
        list[str],
        Parameter(negative="", help="An attribute that decisions should not hinge on, or several with commas between."),
    ],
    under: Annotated[
        str | None,
        Parameter(help="Whom it is about: model, uniform, or a CSV file of rows. Default: the model's own."),
    ] = None,
    label: Annotated[
        str | None, Parameter(help="The decision that groups are compared by; of two, the positive.")
    ] = None,
    target: Annotated[
        str | None, Parameter(help="The column of the rows with the true class; otherwise that of the class's name.")
    ] = None,
    top: Annotated[
        int | None, Parameter(name="--list", help="How many values to show through which the gap arises. Default: 8.")
    ] = None,
    exact: Annotated[
        bool, Parameter(negative="", show_default=False, help="Probabilities as exact numbers, in JSON.")
    ] = False,
    build: BuildOptions = DEFAULT_BUILD,
    as_json: AsJson = False,
) -> int:
    """Does any decision hinge on protected attributes, and are groups decided alike?

    A decision hinges on them if the same input with other values of theirs is decided otherwise. Exit code 0 if none does, 1
    if some do. Then how often each group gets the decision, and how often rightly, the gaps, and the values of other
    attributes through which the gap in rates arises.
    """
    from oddly.compiler import is_diagram
    from oddly.questions.fairness.question import fairness

    if top is not None and top < 0:
        raise UsageError(f"--list: expected a number from 0 on, found {top}")
    if target is not None and under in (None, "model", "uniform"):
        raise UsageError(f"--target {target} is a column of rows; say which with --under FILE")
    truth: Any = under
    if under in (None, "model") and not is_diagram(diagram_or_model):
        model = build.choice.decider(diagram_or_model)
        truth = model if model.others else under  # it may know variables that its diagram does not
    with ProgressBar():
        odd = diagram(diagram_or_model, build)
        answer = fairness(
            odd,
            names_of(protected, odd.order),
            under=truth,
            label=label,
            target=target,
            exact=exact or None,
        )
    if as_json:
        emit_json(answer.to_json(exact))
    else:
        show(answer, top)
    return 0 if answer else 1
