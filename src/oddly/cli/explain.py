# SPDX-License-Identifier: Apache-2.0
"""`oddly explain`: why one input is decided as it is."""

from itertools import islice
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from oddly.cli.options import (
    DEFAULT_BUILD,
    AsJson,
    BuildOptions,
    UsageError,
    case_of,
    diagram,
    no_options,
)
from oddly.cli.output import emit_json, show
from oddly.cli.progress import ProgressBar

EXAMPLE = """\
Example:
  oddly explain model.json U=+ve B=-ve S=+ve
  oddly explain model.odd U=+ve                    what is settled, what is open
  oddly explain model.json U=+ve B=-ve S=+ve --list 10 --json"""


def run(
    diagram_or_model: Annotated[
        Path, Parameter(name="X", help="A diagram (.odd), a model (.json), or example:pregnancy.")
    ],
    /,
    *instance: Annotated[
        str, Parameter(allow_leading_hyphen=True, help="NAME=VALUE, of all attributes or of those that are known.")
    ],
    top: Annotated[
        int | None, Parameter(name="--list", help="Also list this many reasons of each kind, the smallest first.")
    ] = None,
    build: BuildOptions = DEFAULT_BUILD,
    as_json: AsJson = False,
) -> int:
    """Why is this input decided so?

    The smallest set of its features that forces the decision whatever the others are, how many such reasons there are,
    and what would have to change. Exit code 1 if too little is known for a decision, 3 if a limit left
    something unknown.
    """
    from oddly.questions.explain.question import explain

    no_options(instance, "explain")
    if top is not None and top < 0:
        raise UsageError(f"--list: expected a number from 0 on, found {top}")
    with ProgressBar():
        odd = diagram(diagram_or_model, build)
        answer = explain(odd, case_of(instance, odd))
        told = answer.to_json()  # all the work is done here, under the bar
    if as_json:
        for reasons in (answer.sufficient, answer.necessary) if top is not None else ():
            told[reasons.kind]["list"] = list(islice(reasons, top))
        emit_json(told)
    else:
        show(answer, top or 0)
    if not answer:
        return 1
    return 3 if answer.sufficient.limit or answer.necessary.limit else 0
