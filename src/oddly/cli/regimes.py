# SPDX-License-Identifier: Apache-2.0
"""`oddly regimes`: how many classifiers changing the prior, or one attribute, can make."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from oddly.cli.options import DEFAULT_BUILD, AsJson, BuildOptions, UsageError, diagram
from oddly.cli.output import emit_json, show
from oddly.cli.progress import ProgressBar

EXAMPLE = """\
Example:
  oddly regimes model.json
  oddly regimes model.json --json | jq .by_threshold"""


def run(
    diagram_or_model: Annotated[
        Path, Parameter(name="X", help="A diagram (.odd), a model (.json), or example:pregnancy.")
    ],
    /,
    *,
    max_regimes: Annotated[int, Parameter(help="Count exactly up to this many; beyond, give the bound.")] = 1_000_000,
    build: BuildOptions = DEFAULT_BUILD,
    as_json: AsJson = False,
) -> int:
    """How many different classifiers can changing the prior make?

    Each with the priors that make it and the number of inputs it accepts, while there are few; and bounds on the
    number that changing one attribute makes. With --json also the sweep over all priors and thresholds.
    """
    from oddly.questions.regimes import regimes

    if max_regimes < 1:
        raise UsageError(f"--max-regimes: expected a positive number, found {max_regimes}")
    with ProgressBar():
        odd = diagram(diagram_or_model, build)
        answer = regimes(odd, max_regimes)
    if as_json:
        emit_json(answer.to_json())
    else:
        show(answer)
    return 0
