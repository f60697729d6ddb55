# SPDX-License-Identifier: Apache-2.0
"""Commands about the numbers of a model: how far they may move, how few digits they need, and points in their place."""

from pathlib import Path
from typing import Annotated

import oddly
from oddly.answers.blocks import Paragraph
from oddly.cli.failures import UNDECIDED
from oddly.cli.options import (
    BUILD,
    READ,
    AsJson,
    BuildOptions,
    DomainOption,
    ModelFile,
    Most,
    Output,
    ReadOptions,
    X,
    diagram,
)
from oddly.cli.output import lay_out, note, show, verdict
from oddly.cli.texts import Number, Text, UsageError, at_least, output_beside, say
from oddly.questions.scorecard.programme import OUT_OF_TIME
from oddly.runtime import limited


def allow(
    diagram_or_model: X,
    /,
    *,
    flips: Annotated[Text, say("How far until more than this share of inputs changes: 0.001, 0.1%, 1/1000.")] = None,
    under: Annotated[
        Text, say("How inputs are distributed, for --flips: model, uniform, or a CSV file of rows.")
    ] = None,
    most: Annotated[Most, say("Show so many probabilities of tables, those with the least room first.")] = None,
    within: DomainOption = None,
    build: BuildOptions = BUILD,
    as_json: AsJson = False,
) -> int:
    """How far may each number move before any decision changes?

    The prior, the threshold, every weight and every probability, each alone, and all of them together; and for
    each end the case that is the first to be decided otherwise. Of more than 100 probabilities in tables those with
    the least room are shown, 40 or as many as --list says; --json has them all.

    With --flips, how far until more than that share of inputs changes: what is inside a range is proven to change no more, and where
    more changes for certain stands beside it; and what share changes if a number moves a little, or much.

    Example:
      oddly allow model.json
      oddly allow model.json --flips 0.1%                   one case in a thousand may change
      oddly allow model.json --flips 1% --under rows.csv
      oddly allow network.bif --class fault --positive yes
      oddly allow model.odd --json
    """
    if flips is None:
        if under is not None:
            raise UsageError("--under weighs the inputs that --flips lets change; without it there are none")
        return verdict(oddly.allowed(diagram(diagram_or_model, build), within=within), as_json, most)
    if within:
        raise UsageError(
            "--flips is a share of all inputs, and not of those within a domain; leave out --flips or --within"
        )
    return verdict(oddly.allowed(diagram(diagram_or_model, build), flips=flips, under=under), as_json, most)


def regimes(
    diagram_or_model: X,
    /,
    *,
    max_regimes: Annotated[int, say("Count exactly up to this many; beyond, give the bound.")] = 1_000_000,
    build: BuildOptions = BUILD,
    as_json: AsJson = False,
) -> int:
    """How many different classifiers can changing the prior make?

    Each with the priors that make it and the number of inputs it accepts, while there are few; and bounds on the
    number that changing one attribute makes. With --json also the sweep over all priors and thresholds.

    Example:
      oddly regimes model.json
      oddly regimes model.json --json | jq .by_threshold
    """
    if max_regimes < 1:
        raise UsageError(f"--max-regimes: expected a positive number, found {max_regimes}")
    return verdict(oddly.regimes(diagram(diagram_or_model, build), max_regimes), as_json)


def rounded(
    model: ModelFile,
    /,
    *,
    most: Annotated[int, say("Try at most this many digits.")] = 12,
    digits: Annotated[Number, say("Round to this many digits only; 0: points to whole numbers.")] = None,
    to: Annotated[Text, say("Round points and intercept to multiples of this number; the cut-off stays.")] = None,
    cases: Annotated[Most, say("Show so many cases that --digits or --to changes.")] = None,
    within: DomainOption = None,
    read: ReadOptions = READ,
    as_json: AsJson = False,
) -> int:
    """Round a model's numbers to one digit, two, three…, until no decision changes.

    With --digits or --to one rounding alone, and the cases that it changes, from what they were to what they become.
    Exit code 1 if some decision changes even at the most digits tried.

    Example:
      oddly round model.json
      oddly round model.json --most 4 --json
      oddly round card.json --digits 0                      points as whole numbers
      oddly round card.json --to 5                          and as multiples of five
    """
    if digits is not None and to is not None:
        raise UsageError("--digits and --to are two roundings; ask for one of them")
    at_least(0, digits=digits, list=cases)
    found = oddly.rounding(read.choice.decider(model), most, digits=digits, to=to, within=within)
    return verdict(found, as_json, cases)


def rows(
    model: Annotated[Path, say("A model that `oddly learn` wrote, or example:tic-tac-toe.")],
    rows: Annotated[Path, say("A table (.csv, .parquet, …) with the class column; each row is tried alone.")],
    /,
    *,
    within: DomainOption = None,
    read: ReadOptions = READ,
    as_json: AsJson = False,
) -> int:
    """Would learning from one more row change the decision on any input?

    Exit code 1 if some row would.

    Example:
      oddly learn data.csv --target class -o model.json
      oddly rows model.json new-data.csv
    """
    return verdict(oddly.added_rows(read.choice.decider(model), rows, within=within), as_json)


def scorecard(
    diagram_or_model: X,
    /,
    *,
    output: Annotated[
        Output, say("Write the card: a model (.json) or a table (.csv). With --curve the last one.")
    ] = None,
    label: Annotated[Text, say("The decision that points count for. Default: the positive one.")] = None,
    max_points: Annotated[Number, say("Is there an exact card with points up to this?")] = None,
    curve: Annotated[
        Number, say("The best cards with points up to 1, 2, … this, what they change, what is proven.")
    ] = None,
    under: Annotated[
        Text, say("How inputs are distributed, for --curve: model or uniform. Default: the model's own.")
    ] = None,
    build: BuildOptions = BUILD,
    as_json: AsJson = False,
) -> int:
    """The smallest whole-number points that make exactly the same decisions.

    With --curve also cards of smaller points, each proven to change the least probability of all such cards, or
    with a proven bound on what any of them changes.

    Exit code 1 if there is no such card, 3 if that, or whether it is the smallest, stayed undecided.

    Example:
      oddly scorecard model.json
      oddly scorecard model.json --curve 5                  small points, and what they change
      oddly scorecard model.json --max-points 20 -o card.json
      oddly scorecard model.json --curve 3 -o card.csv      for a spreadsheet
    """
    output_beside(output, diagram_or_model, suffixes=(".json", ".csv"))
    if curve is not None and curve < 1:
        raise UsageError(f"--curve: expected points from 1 on, found {curve}")
    at_least(0, max_points=max_points)
    limits = build.limits.arguments()  # for the card, and again for the curve: each stops with what there is
    if under is not None and curve is None:
        raise UsageError("--under weighs the decisions that --curve changes; without it there are none")
    with limited(limits, orders=True, least=5.0):
        odd = diagram(diagram_or_model, build)
    answer = oddly.scorecard(odd, label=label, max_points=max_points, **limits)
    drawn = None if curve is None else answer.curve(curve, under, **limits)
    made = answer.card if drawn is None else drawn[-1].card
    if as_json or drawn is None:
        more = {} if drawn is None else {"curve": drawn.to_json()["budgets"]}
        show(answer, as_json, **more, written=str(output) if output and made else None)
    else:
        lay_out([Paragraph(answer.summary()), *drawn.blocks()])
    if output is not None and made is not None:
        oddly.write(made, output)
    elif output is not None:
        note(f"oddly: there is no card, so {output} was not written")
    if answer.gave_up == OUT_OF_TIME:
        note("oddly: time ran out.  Try --seconds 600.")
    return UNDECIDED if not answer.decided else 0 if answer.exists else 1
