# SPDX-License-Identifier: Apache-2.0
"""`oddly scorecard`: the same decisions with whole-number points, and what smaller points change."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from oddly.cli.options import DEFAULT_BUILD, AsJson, BuildOptions, UsageError, diagram, output_beside
from oddly.cli.output import emit_json, note, show
from oddly.cli.progress import ProgressBar

if TYPE_CHECKING:
    from oddly.model import Scorecard

UNDECIDED = 3

EXAMPLE = """\
Example:
  oddly scorecard model.json
  oddly scorecard model.json --curve 5                  small points, and what they change
  oddly scorecard model.json --max-points 20 -o card.json
  oddly scorecard model.json --curve 3 -o card.csv      for a spreadsheet"""


def run(
    diagram_or_model: Annotated[
        Path, Parameter(name="X", help="A diagram (.odd), a model (.json), or example:pregnancy.")
    ],
    /,
    *,
    output: Annotated[
        Path | None,
        Parameter(
            name=["-o", "--output"],
            help="Write the card: a model (.json) or a table (.csv). With --curve the last one.",
        ),
    ] = None,
    label: Annotated[
        str | None, Parameter(help="The decision that points count for. Default: the positive one.")
    ] = None,
    max_points: Annotated[int | None, Parameter(help="Is there an exact card with points up to this?")] = None,
    curve: Annotated[
        int | None, Parameter(help="The best cards with points up to 1, 2, … this, what they change, what is proven.")
    ] = None,
    under: Annotated[
        str | None,
        Parameter(help="How inputs are distributed, for --curve: model or uniform. Default: the model's own."),
    ] = None,
    build: BuildOptions = DEFAULT_BUILD,
    as_json: AsJson = False,
) -> int:
    """The smallest whole-number points that make exactly the same decisions.

    With --curve also cards of smaller points, each proven to change the least probability of all such cards, or
    with a proven bound on what any of them changes.

    Exit code 1 if there is no such card, 3 if that, or whether it is the smallest, stayed undecided.
    """
    from oddly.questions.scorecard.question import scorecard
    from oddly.runtime import within

    output_beside(output, diagram_or_model, suffixes=(".json", ".csv"))
    if curve is not None and curve < 1:
        raise UsageError(f"--curve: expected points from 1 on, found {curve}")
    if max_points is not None and max_points < 0:
        raise UsageError(f"--max-points: expected a number from 0 on, found {max_points}")
    limits = build.limits.arguments()  # for the card, and again for the curve: each stops with what there is
    if under is not None and curve is None:
        raise UsageError("--under weighs the decisions that --curve changes; without it there are none")
    with ProgressBar():
        with within(limits, orders=True, least=5.0):
            odd = diagram(diagram_or_model, build)
        answer = scorecard(odd, label=label, max_points=max_points, **limits)
        drawn = None if curve is None else answer.curve(curve, under, **limits)
    made = answer.card if drawn is None else drawn[-1].card
    if as_json:
        more = {} if drawn is None else {"curve": drawn.to_json()["budgets"]}
        emit_json(answer.to_json() | more | {"written": str(output) if output and made else None})
    elif drawn is None:
        show(answer)
    else:
        print(answer.summary(), end="\n\n")
        show(drawn)
    _write(made, output)
    if not answer.decided:
        return UNDECIDED
    return 0 if answer.exists else 1


def _write(card: "Scorecard | None", output: Path | None) -> None:
    if output is None:
        return
    if card is None:
        note(f"oddly: there is no card, so {output} was not written")
        return
    from oddly.formats import write

    write(card, output)
