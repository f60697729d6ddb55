# SPDX-License-Identifier: Apache-2.0
"""`oddly convert`: a model from one file format to another."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from oddly.cli.options import NO_CHOICE, AsJson, ChoiceOptions, UsageError, output_beside
from oddly.cli.output import emit_json, facts, note

if TYPE_CHECKING:
    from oddly.model import Model, Network

EXAMPLE = """\
Example:
  oddly convert alarm.bif alarm.xdsl
  oddly convert asia.bif lung.json --class lung --positive yes --attributes asia,smoke,xray
  oddly convert learned.json learned.net --digits 12"""


def run(
    model: Annotated[
        Path,
        Parameter(name="A", help="A model file (.json .csv .bif .net .uai .xmlbif .xdsl), or example:pregnancy."),
    ],
    output: Annotated[Path, Parameter(name="B", help="The file to write; its ending says the format.")],
    /,
    *,
    digits: Annotated[
        int | None,
        Parameter(
            help="Round probabilities or points to so many digits after the point. Otherwise nothing is rounded."
        ),
    ] = None,
    choice: ChoiceOptions = NO_CHOICE,
    as_json: AsJson = False,
) -> int:
    """Write a model in another format.

    Numbers are kept exactly; one that the format cannot hold is an error, unless you round with --digits. What else
    it has no place for is left out, and a note says so.
    """
    import oddly
    from oddly.formats import dropped

    output_beside(output, model)
    if digits is not None and digits < 1:
        raise UsageError(f"--digits: expected a number from 1 on, found {digits}")
    found = choice.of(model)
    left_out = []
    if digits is not None:
        left_out += ["the counts it was learned from, which are not those of rounded numbers"] * _has_counts(found)
        found = found.rounded(digits, zeros=False)
    oddly.write(found, output)
    left_out += dropped(found, output)
    for what in left_out:
        note(f"oddly: {output} does not keep {what}")
    if as_json:
        emit_json({"model": repr(found), "written": str(output), "digits": digits, "dropped": left_out})
    else:
        facts([("model", repr(found)), ("written", str(output))])
    return 0


def _has_counts(model: "Model | Network") -> bool:
    return getattr(model, "learned", None) is not None
