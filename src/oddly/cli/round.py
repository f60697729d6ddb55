# SPDX-License-Identifier: Apache-2.0
"""`oddly round`: how many digits do the numbers of a model need?"""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from oddly.cli.options import NO_CHOICE, NO_LIMITS, AsJson, ChoiceOptions, LimitOptions
from oddly.cli.output import emit_json, show
from oddly.cli.progress import ProgressBar

EXAMPLE = """\
Example:
  oddly round model.json
  oddly round model.json --most 4 --json"""


def run(
    model: Annotated[Path, Parameter(help="A model file (.json), or example:pregnancy or example:tic-tac-toe.")],
    /,
    *,
    most: Annotated[int, Parameter(help="Try at most this many digits.")] = 12,
    choice: ChoiceOptions = NO_CHOICE,
    limits: LimitOptions = NO_LIMITS,
    as_json: AsJson = False,
) -> int:
    """Round a model's numbers to one digit, two, three…, until no decision changes.

    Exit code 1 if some decision changes even at the most digits tried.
    """
    from oddly.questions.rounding import rounding

    with ProgressBar():
        answer = rounding(choice.decider(model), most)
    if as_json:
        emit_json(answer.to_json())
    else:
        show(answer)
    return 0 if answer else 1
