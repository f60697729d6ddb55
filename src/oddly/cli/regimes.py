# SPDX-License-Identifier: Apache-2.0
"""`oddly regimes`: how many classifiers changing the prior, or one attribute, can make."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from oddly.answers import apart, percent
from oddly.cli.options import DEFAULT_BUILD, AsJson, BuildOptions, UsageError, diagram
from oddly.cli.output import emit_json, facts, heading
from oddly.cli.progress import Bar
from oddly.errors import listed

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
    from oddly.questions.regimes import shortened

    card = answer.unit == "points"
    number = "the intercept" if card else f"Pr({answer.class_name}={answer.positive})"
    how = "exactly" if answer.exact else "at most"
    count = f"{how} {shortened(answer.count)} by changing {number}"
    bound = "" if card or not answer.exact else f" (at most {shortened(answer.bound)} by Theorem 2.2)"
    facts([("classifiers", count + bound), *_by_attribute(answer)])
    if answer.exact:
        heading("")
        first = max((answer.now or 0) - SHOWN // 2, 0) if answer.count > SHOWN else 0
        lines = [("intercept" if card else "prior", f"{answer.positive}, of {answer.instances:,}")]
        lines += [_line(regime, answer) for regime in islice(answer, first, first + SHOWN)]
        if answer.count > SHOWN:
            lines.append(("…", f"{SHOWN} of {answer.count:,} shown; all with --json"))
        facts(lines)


def _by_attribute(answer: "Regimes") -> Iterator[tuple[str, str]]:
    """The bound depends on the number of values alone, so attributes share theirs."""
    from oddly.questions.regimes import shortened

    theorem = "" if answer.unit == "points" else " (Theorem 2.4)"
    shared: dict[int, list[str]] = {}
    for name, bound in answer.bound_by_attribute.items():
        shared.setdefault(bound, []).append(name)
    for bound, names in shared.items():
        yield "", f"at most {shortened(bound)} by changing {_one_of(names)}{theorem}"


def _one_of(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"one of {listed(names)}"


def _line(regime: "Regime", answer: "Regimes") -> tuple[str, str]:
    low, high = apart(regime.low, regime.high)
    left = "[" if regime.includes_low else "("
    right = "]" if regime.includes_high else ")"
    size = f"{regime.positives:,} ({percent(regime.positives, answer.instances)})"
    return f"{left}{low}, {high}{right}", size + ("  <- the model" if regime.now else "")
