# SPDX-License-Identifier: Apache-2.0
"""`oddly count`: how many instances get which decision, how likely, and which."""

from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NotRequired, TypedDict, cast

from cyclopts import Parameter

from oddly.answers import Rounded, as_json
from oddly.cli.options import DEFAULT_BUILD, AsJson, BuildOptions, UsageError, assignments, diagram, no_options
from oddly.cli.output import emit_json, lay_out
from oddly.cli.progress import ProgressBar

if TYPE_CHECKING:
    from fractions import Fraction

    from oddly.answers.blocks import Table
    from oddly.diagram import ODD

EXAMPLE = """\
Example:
  oddly count model.json
  oddly count model.odd U=+ve B=-ve --under uniform
  oddly count model.json --label yes --list 10
  oddly count model.json --under rows.csv --json"""


class Decided(TypedDict):
    """An instance, and what is decided of it."""

    instance: Mapping[str, str]
    decision: str
    probability: NotRequired[Rounded]
    """How probable the instance is; absent where instances were drawn."""


class Extra(TypedDict, total=False):
    """What the command adds to the counts."""

    sample: Sequence[Decided]
    """Instances drawn at random (`--sample`)."""
    list: Sequence[Decided]
    """The most probable instances (`--list`)."""


def run(
    diagram_or_model: Annotated[
        Path, Parameter(name="X", help="A diagram (.odd), a model (.json), or example:pregnancy.")
    ],
    /,
    *given: Annotated[
        str, Parameter(allow_leading_hyphen=True, help="NAME=VALUE: only the inputs of which this holds.")
    ],
    label: Annotated[str | None, Parameter(help="Only this decision; otherwise each.")] = None,
    under: Annotated[
        str | None,
        Parameter(help="How inputs are distributed: model, uniform, or a CSV file of rows. Default: the model's own."),
    ] = None,
    exact: Annotated[
        bool, Parameter(negative="", show_default=False, help="Probabilities as exact numbers, in JSON.")
    ] = False,
    draw: Annotated[int | None, Parameter(name="--sample", help="Also draw this many inputs at random.")] = None,
    seed: Annotated[int, Parameter(help="Where the drawing starts; the same seed draws the same.")] = 0,
    top: Annotated[
        int | None, Parameter(name="--list", help="Also list this many inputs, the most probable first.")
    ] = None,
    build: BuildOptions = DEFAULT_BUILD,
    as_json: AsJson = False,
) -> int:
    """Count the inputs of each decision, and say how likely each is.

    Counts are exact, of all possible inputs or of those with some values known.
    """
    from oddly.distribution.listing import instances
    from oddly.distribution.sampling import sample
    from oddly.questions.count import count

    _check(given, {"--sample": draw, "--seed": seed, "--list": top})
    with ProgressBar():
        odd = diagram(diagram_or_model, build)
    known = assignments(given, odd.variables)
    counts = count(odd, label, given=known, under=under, exact=exact)
    parts: Extra = {}
    if draw is not None:
        drawn = sample(odd, draw, label, under, given=known, seed=seed)
        parts["sample"] = _cases(odd, drawn)
    if top is not None:
        listed = list(islice(instances(odd, label, under, given=known), top))
        cases = _cases(odd, [instance for instance, _ in listed])
        chances = [_chance(odd, i, known, under) if exact else p for i, p in listed]
        parts["list"] = [{**case, "probability": p} for case, p in zip(cases, chances, strict=True)]
    if as_json:
        emit_json(counts.to_json() | _told(parts, exact))
    else:
        shown = cast(Mapping[str, Sequence[Decided]], parts)
        lay_out([*counts.blocks(), *(_table(title, cases) for title, cases in shown.items())])
    return 0


def _told(parts: Extra, exact: bool) -> dict[str, Any]:
    return dict(as_json(parts, Extra, exact))


def _check(given: Sequence[str], asked: Mapping[str, int | None]) -> None:
    no_options(given, "count")
    for option, number in asked.items():
        if number is not None and number < 0:
            raise UsageError(f"{option}: expected a number from 0 on, found {number}")


def _chance(odd: "ODD", instance: Mapping[str, str], known: Mapping[str, str], under: str | None) -> "Fraction":
    """How probable an instance is, given what is known, exactly."""
    from oddly.distribution.listing import exactly
    from oddly.distribution.measure import known_places, measure_of

    return exactly(odd, instance, measure_of(odd, under).knowing(known_places(known, odd)))


def _cases(odd: "ODD", instances: Sequence[dict[str, str]]) -> list[Decided]:
    """Instances with the decision on each, as JSON says it."""
    labels = odd.classify(instances)
    return [{"instance": i, "decision": str(label)} for i, label in zip(instances, labels, strict=True)]


def _table(title: str, cases: Sequence[Decided]) -> "Table":
    from oddly.answers import as_features
    from oddly.answers.blocks import Table
    from oddly.distribution.measure import shown

    rows = [(as_features(case["instance"]), str(case["decision"])) for case in cases]
    if title == "sample":
        return Table("Drawn at random", ("instance", "decision"), tuple(rows))
    listed = ((*row, shown(case["probability"])) for row, case in zip(rows, cases, strict=True))
    return Table("The most probable first", ("instance", "decision", "probability"), tuple(listed), (2,))
