# SPDX-License-Identifier: Apache-2.0
"""`oddly regimes`: how many classifiers changing the prior, or one attribute, can make."""

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from oddly.cli.options import DEFAULT_BUILD, AsJson, BuildOptions, UsageError, diagram
from oddly.cli.output import apart, emit_json, facts, heading, share
from oddly.cli.progress import Bar

if TYPE_CHECKING:
    from oddly.questions.regimes import Regime, Regimes

EXAMPLE = """\
Example:
  oddly regimes model.json
  oddly regimes model.json --json | jq .by_threshold"""

SHOWN = 25  # regimes that a person may want to see, around the model's own


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
    with Bar() as bar:
        odd = diagram(diagram_or_model, build, bar)
        answer = regimes(odd, max_regimes)
    if as_json:
        emit_json(answer.to_json())
    else:
        _show(answer)
    return 0


def _show(answer: "Regimes") -> None:
    card = answer.unit == "points"
    number = "the intercept" if card else f"Pr({answer.class_name}={answer.positive})"
    how = "exactly" if answer.exact else "at most"
    bounds = "(k + 1)^b, its points being free" if card else "Theorem 2.4"
    facts(
        [
            ("classifiers", f"{how} {answer.count:,} by changing {number}; at most {answer.bound:,} by Theorem 2.2"),
            *(
                (f"  {name}", f"at most {bound:,} by changing {name} ({bounds})")
                for name, bound in answer.bound_by_attribute.items()
            ),
        ]
    )
    if not answer.exact:
        return
    first = max((answer.now or 0) - SHOWN // 2, 0) if answer.count > SHOWN else 0
    heading("")
    lines = [("intercept" if card else "prior", f"{answer.positive}, of {answer.instances:,}")]
    lines += [_line(regime, answer) for regime in islice(answer, first, first + SHOWN)]
    if answer.count > SHOWN:
        lines.append(("…", f"{SHOWN} of {answer.count:,} shown; all with --json"))
    facts(lines)


def _line(regime: "Regime", answer: "Regimes") -> tuple[str, str]:
    low, high = apart(regime.low, regime.high)
    outer = (answer.unit == "points", answer.includes_low)
    left = "[" if outer[1] and regime.low not in (0, float("-inf")) else "("
    right = "]" if not outer[1] and regime.high not in (1, float("inf")) else ")"
    size = f"{regime.positives:,} ({share(regime.positives, answer.instances)})"
    return f"{left}{low}, {high}{right}", size + ("  <- the model" if regime.now else "")
