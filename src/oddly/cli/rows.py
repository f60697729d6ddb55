# SPDX-License-Identifier: Apache-2.0
"""`oddly rows`: would one more row of data change any decision?"""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from oddly.cli.options import NO_CHOICE, NO_LIMITS, AsJson, ChoiceOptions, LimitOptions
from oddly.cli.output import emit_json, show
from oddly.cli.progress import ProgressBar

EXAMPLE = """\
Example:
  oddly learn data.csv --target class -o model.json
  oddly rows model.json new-data.csv"""


def run(
    model: Annotated[Path, Parameter(help="A model that `oddly learn` wrote, or example:tic-tac-toe.")],
    rows: Annotated[
        Path, Parameter(help="A table (.csv, .parquet, …) with the class column; each row is tried alone.")
    ],
    /,
    *,
    choice: ChoiceOptions = NO_CHOICE,
    limits: LimitOptions = NO_LIMITS,
    as_json: AsJson = False,
) -> int:
    """Would learning from one more row change the decision on any input?

    Exit code 1 if some row would.
    """
    from oddly.questions.added_rows.question import added_rows

    with ProgressBar():
        answer = added_rows(choice.decider(model), rows)
    if as_json:
        emit_json(answer.to_json())
    else:
        show(answer)
    return 0 if answer else 1
