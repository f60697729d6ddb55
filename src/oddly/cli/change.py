# SPDX-License-Identifier: Apache-2.0
"""`oddly change`: what would change a decision, at the least cost."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from oddly.cli.options import (
    DEFAULT_BUILD,
    AsJson,
    BuildOptions,
    UsageError,
    case_of,
    complete,
    diagram,
    names_of,
    no_options,
)
from oddly.cli.output import emit_json, show
from oddly.cli.progress import ProgressBar

EXAMPLE = """\
Example:
  oddly change model.json U=-ve B=-ve S=-ve
  oddly change model.odd U=-ve B=-ve S=-ve --fixed S --cost U=3 --k 3
  oddly change model.json age=30s income=low --only-up age --step-cost income=2 --to grant
  oddly change model.json U=-ve B=-ve S=-ve --forbid "U=+ve and B=+ve" --json"""

Names = Annotated[tuple[str, ...], Parameter(negative="", consume_multiple=False, show_default=False)]


def run(
    diagram_or_model: Annotated[
        Path, Parameter(name="X", help="A diagram (.odd), a model (.json), or example:pregnancy.")
    ],
    /,
    *instance: Annotated[str, Parameter(allow_leading_hyphen=True, help="NAME=VALUE, of all attributes.")],
    to: Annotated[str | None, Parameter(help="The decision that is wanted; otherwise any other one.")] = None,
    cost: Annotated[
        Names, Parameter(help="NAME=NUMBER: what a change of it costs, otherwise 1. May be repeated.")
    ] = (),
    step_cost: Annotated[
        Names, Parameter(help="NAME=NUMBER: what each step between its values costs. May be repeated.")
    ] = (),
    fixed: Annotated[Names, Parameter(help="An attribute that cannot change, or several with commas between.")] = (),
    only_up: Annotated[
        Names, Parameter(help="An attribute that can only change to values listed later, or several.")
    ] = (),
    only_down: Annotated[
        Names, Parameter(help="An attribute that can only change to values listed earlier, or several.")
    ] = (),
    forbid: Annotated[
        Names,
        Parameter(
            allow_leading_hyphen=True,
            help='A combination that must not come out, such as "U=+ve and B=+ve". May be repeated.',
        ),
    ] = (),
    k: Annotated[int, Parameter(name="--k", help="How many ways to show.")] = 1,
    build: BuildOptions = DEFAULT_BUILD,
    as_json: AsJson = False,
) -> int:
    """What would change this decision?

    The fewest changes, or the cheapest, under the rules given. Exit code 1 if none is possible, which is proven then.
    """
    from oddly.questions.change.question import change

    no_options(instance, "change")
    if k < 1:
        raise UsageError(f"--k: expected a number from 1 on, found {k}")
    with ProgressBar():
        odd = diagram(diagram_or_model, build)
        up, down = names_of(only_up, odd.order), names_of(only_down, odd.order)
        for name in up:
            if name in down:
                raise UsageError(f"{name} can go neither up nor down.  Use --fixed {shlex.quote(name)}.")
        answer = change(
            odd,
            complete(case_of(instance, odd), odd.variables),
            to=to,
            costs=_numbers(cost, "--cost"),
            step_costs=_numbers(step_cost, "--step-cost"),
            fixed=names_of(fixed, odd.order),
            one_way={**dict.fromkeys(up, "up"), **dict.fromkeys(down, "down")},
            forbid=forbid,
            k=k,
        )
    if as_json:
        emit_json(answer.to_json())
    else:
        show(answer)
    return 0 if answer else 1


def _numbers(texts: Sequence[str], option: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in texts:
        name, equals, number = text.rpartition("=")
        if not equals:
            raise UsageError(f"{option}: expected NAME=NUMBER, found {text!r}")
        if name in found:
            raise UsageError(f"{option}: {name} is given twice")
        found[name] = number
    return found
