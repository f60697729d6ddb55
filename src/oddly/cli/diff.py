# SPDX-License-Identifier: Apache-2.0
"""`oddly diff`: are two classifiers the same, and if not, who is decided differently?"""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from oddly.answers.blocks import Facts
from oddly.cli.options import (
    IMPOSSIBLE,
    NO_CHOICE,
    NO_LIMITS,
    AsJson,
    ChoiceOptions,
    Impossible,
    LimitOptions,
    UsageError,
)
from oddly.cli.output import emit_json, lay_out
from oddly.cli.progress import ProgressBar

EXAMPLE = """\
Example:
  oddly diff old.json new.json
  oddly diff old.odd new.json --max-changed 0.001 --under a     in a pipeline: fails above one in a thousand
  oddly diff old.json new.json --under customers.csv --json"""


def run(
    a: Annotated[Path, Parameter(help="A model (.json) or a diagram (.odd).")],
    b: Annotated[Path, Parameter(help="Another.")],
    /,
    *,
    under: Annotated[
        str | None,
        Parameter(help="The distribution: a or b (that model's own), uniform, or a table of rows (.csv)."),
    ] = None,
    max_changed: Annotated[
        float, Parameter(help="Exit with 0 as long as a changed decision is no more probable than this.")
    ] = 0.0,
    examples: Annotated[int, Parameter(help="How many instances to show, the most probable first.")] = 3,
    impossible: Annotated[
        Impossible | None,
        Parameter(help=f"{IMPOSSIBLE} By a model; a diagram has its own choice, and a model beside one follows it."),
    ] = None,
    choice: ChoiceOptions = NO_CHOICE,
    limits: LimitOptions = NO_LIMITS,
    as_json: AsJson = False,
) -> int:
    """Compare two classifiers on every possible input.

    Exit code 0 if they decide alike, 1 if not.
    """
    from oddly.questions.compare.question import compare, named_distribution

    if not 0 <= max_changed <= 1:
        raise UsageError(f"--max-changed: expected a probability, found {max_changed}")
    if examples < 0:
        raise UsageError(f"--examples: expected a number from 0 on, found {examples}")
    with ProgressBar():
        difference = compare(*choice.sides([a, b]), impossible=impossible)
    measured = difference.distribution(under)
    changed = difference.probability(measured)
    holds = difference.equivalent or (max_changed > 0 and changed <= max_changed)
    if as_json:
        told = difference.to_json(examples=examples, under=measured) | {
            "under": named_distribution(measured),
            "changed": changed,
            "max_changed": max_changed,
            "holds": holds,
        }
        emit_json(told)
    else:
        tolerance = Facts("", (("tolerance", f"{max_changed:g}: {'within it' if holds else 'exceeded'}"),))
        asked = [tolerance] if max_changed and not difference.equivalent else []
        lay_out([*difference.blocks(examples, measured), *asked])
    return 0 if holds else 1
