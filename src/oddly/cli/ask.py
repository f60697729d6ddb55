# SPDX-License-Identifier: Apache-2.0
"""`oddly ask`: what is decided so far, whether it will stand, which test to do next, and which can be left out."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from oddly.cli.options import (
    DEFAULT_BUILD,
    AsJson,
    BuildOptions,
    UsageError,
    case_of,
    diagram,
    no_options,
    output_beside,
)
from oddly.cli.output import emit_json, note, show
from oddly.cli.progress import ProgressBar

if TYPE_CHECKING:
    from oddly.diagram import ODD

EXAMPLE = """\
Example:
  oddly ask model.json U=+ve                      what is decided so far, and which test to do next
  oddly ask model.json U=+ve --enough 0.95        exit code 1 if the decision is less likely to stand
  oddly ask model.json --subset 0.99 -o small.json"""


def run(
    diagram_or_model: Annotated[
        Path, Parameter(name="X", help="A diagram (.odd), a model (.json), or example:pregnancy.")
    ],
    /,
    *observed: Annotated[
        str, Parameter(allow_leading_hyphen=True, help="NAME=VALUE: what is known so far, if anything.")
    ],
    enough: Annotated[
        str | None,
        Parameter(help="Stop from this probability on: exit code 1 if the decision is less likely to stand."),
    ] = None,
    under: Annotated[
        str | None,
        Parameter(help="How the rest comes in: model, uniform, or a CSV file of rows. Default: the model's own."),
    ] = None,
    subset: Annotated[
        str | None,
        Parameter(help="Find the fewest attributes that decide as all do in this share of cases, such as 0.99."),
    ] = None,
    max_work: Annotated[int | None, Parameter(help="With --subset: stop beyond so many table entries.")] = None,
    output: Annotated[
        Path | None, Parameter(name=["-o", "--output"], help="With --subset: write the smaller model to this file.")
    ] = None,
    exact: Annotated[
        bool, Parameter(negative="", show_default=False, help="Probabilities as exact numbers, in JSON.")
    ] = False,
    build: BuildOptions = DEFAULT_BUILD,
    as_json: AsJson = False,
) -> int:
    """May I stop testing, and which test should come next?

    The decision so far, the probability that it stands once everything is known, and what each remaining test would
    do. With --subset: which tests can be left out altogether.
    """
    no_options(observed, "ask")
    _check(observed, {"--enough": enough, "--under": under}, subset, {"--max-work": max_work, "-o": output})
    if max_work is not None and max_work < 1:
        raise UsageError(f"--max-work: expected a positive number, found {max_work}")
    output_beside(output, diagram_or_model, suffixes=(".json",))
    with ProgressBar():
        odd = diagram(diagram_or_model, build)
        if subset is not None:
            return _left_out(odd, subset, max_work, output, as_json, exact)
    from oddly.questions.same_decision import same_decision

    answer = same_decision(odd, case_of(observed, odd), under=under, enough=enough)
    if as_json:
        emit_json(answer.to_json(exact))
    else:
        show(answer)
    return 0 if answer else 1


def _check(
    observed: tuple[str, ...], testing: Mapping[str, object], subset: str | None, smaller: Mapping[str, object]
) -> None:
    """Refuse options that belong to the other question."""
    if subset is None:
        for option, value in smaller.items():
            if value is not None:
                raise UsageError(f"{option} goes with --subset")
        return
    if observed:
        raise UsageError(f"--subset is about all inputs: leave out {observed[0]}")
    for option, value in testing.items():
        if value is not None:
            raise UsageError(f"{option} does not go with --subset")


def _left_out(odd: "ODD", share: str, max_work: int | None, output: Path | None, as_json: bool, exact: bool) -> int:
    from oddly.questions.subset.question import MOST_WORK, subset

    answer = subset(odd, share, max_work=max_work or MOST_WORK)
    if output is not None:
        from oddly.formats import write

        write(answer.model, output)
        note(f"written to {output}")
    if as_json:
        emit_json({**answer.to_json(exact), "written": output and str(output)})
    else:
        show(answer)
    return 0 if answer.proven else 3
