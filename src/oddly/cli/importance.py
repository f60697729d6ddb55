# SPDX-License-Identifier: Apache-2.0
"""`oddly importance`: which attributes matter, overall and for the decision on one input."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from oddly.cli.options import (
    DEFAULT_BUILD,
    AsJson,
    BuildOptions,
    UsageError,
    case_of,
    complete,
    diagram,
    no_options,
)
from oddly.cli.output import emit_json, show
from oddly.cli.progress import ProgressBar

if TYPE_CHECKING:
    from oddly.questions.importance import Importance

EXAMPLE = """\
Example:
  oddly importance model.json                             how often each attribute alone tips the decision
  oddly importance model.json U=-ve B=-ve S=+ve           Shapley and Banzhaf values for this input
  oddly importance model.odd --under uniform --json"""


def run(
    diagram_or_model: Annotated[
        Path, Parameter(name="X", help="A diagram (.odd), a model (.json), or example:pregnancy.")
    ],
    /,
    *instance: Annotated[
        str, Parameter(allow_leading_hyphen=True, help="NAME=VALUE for every attribute: the decision on this input.")
    ],
    label: Annotated[str | None, Parameter(help="Only this decision counts. Default: any, or the one made.")] = None,
    under: Annotated[
        str | None,
        Parameter(help="How inputs are distributed: model, uniform, or a CSV file of rows. Default: the model's own."),
    ] = None,
    exact: Annotated[
        bool, Parameter(negative="", show_default=False, help="The numbers of one input as exact ones, in JSON.")
    ] = False,
    build: BuildOptions = DEFAULT_BUILD,
    as_json: AsJson = False,
) -> int:
    """Which attributes matter?

    Overall: in how many inputs changing an attribute alone changes the decision. Of one input: what each of its
    values contributes to the decision, others being drawn independently.
    """
    from oddly.questions.importance import Contributions, contributions, importance

    no_options(instance, "importance")
    if exact and not instance:
        raise UsageError("--exact is about the numbers of one input; give its values")
    with ProgressBar():
        odd = diagram(diagram_or_model, build)
        if instance:
            case = complete(case_of(instance, odd), odd.variables)
            answer: Contributions | Importance = contributions(odd, case, label=label, under=under, exact=exact or None)
        else:
            answer = importance(odd, label=label, under=under)
    if not as_json:
        show(answer)
    else:
        emit_json(answer.to_json(exact) if isinstance(answer, Contributions) else answer.to_json())
    return 0
