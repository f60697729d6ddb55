# SPDX-License-Identifier: Apache-2.0
"""`oddly compile`: the diagram of a model, its size and its certificate."""

import time
from fractions import Fraction
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from oddly.answers import Unbounded, apart, as_json, percent
from oddly.cli.options import DEFAULT_BUILD, AsJson, BuildOptions, compiled, output_beside
from oddly.cli.output import bars, emit_json, facts, on_terminal, seconds
from oddly.cli.progress import ProgressBar

if TYPE_CHECKING:
    from oddly.diagram import ODD, Certificate
    from oddly.engine import Engine

EXAMPLE = """\
Example:
  oddly compile model.json -o model.odd
  oddly compile model.json --order best-of:100 --max-memory 4G
  oddly compile model.json --order U,B,S --json"""


def run(
    model: Annotated[Path, Parameter(help="A model file (.json), or example:pregnancy or example:tic-tac-toe.")],
    /,
    *,
    output: Annotated[Path | None, Parameter(alias="-o", help="Keep the diagram in this file (.odd).")] = None,
    build: BuildOptions = DEFAULT_BUILD,
    as_json: AsJson = False,
) -> int:
    """Turn a model into its diagram.

    The diagram decides as the model does on every possible input, and the certificate proves it.
    """
    output_beside(output, model, suffixes=[".odd"])
    started = time.perf_counter()
    with ProgressBar():
        odd = compiled(model, build)
    elapsed = time.perf_counter() - started
    answer = summary(odd, build.engine) | {"seconds": elapsed, "written": output and str(output)}
    if output is not None:
        odd.save(output)
    if as_json:
        emit_json(answer)
    else:
        facts(_lines(odd, answer))
    return 0 if odd.certificate else 1


def summary(odd: "ODD", engine: "Engine" = "auto") -> dict[str, Any]:
    """What there is to say about a diagram, as JSON says it."""
    from oddly.diagram.sources import Tabled
    from oddly.engine import used

    assert odd.source is not None
    certificate = odd.certificate
    return {
        **shape(odd),
        "widths": odd.widths,
        "bound": str(odd.bound),
        "certificate": certificate_json(certificate),
        "interval": certificate.interval
        and {
            **as_json(dict(zip(("low", "high"), certificate.interval, strict=True)), dict[str, Unbounded]),
            "closed": "high" if odd.source.model.ties == "negative" else "low",
            "unit": odd.source.model.unit,
        },
        "engine": "numpy" if isinstance(odd.source, Tabled) else used(odd.source, engine),
    }


def shape(odd: "ODD") -> dict[str, Any]:
    """What there is to say about any diagram."""
    return {
        "size": odd.size,
        "reduced_size": odd.reduced_size,
        "order": odd.order,
        "instances": str(odd.instances),
        "labels": odd.labels,
        "counts": {label: str(odd.count(label)) for label in reversed(odd.labels)},
    }


def decided(odd: "ODD") -> list[tuple[str, str]]:
    """The order of a diagram, and how many instances get which decision."""
    counts = [(label, odd.count(label)) for label in reversed(odd.labels)]
    rows = [(f"  {label}", f"{n:,} ({percent(n, odd.instances)})") for label, n in counts]
    return [("order", ", ".join(odd.order)), ("instances", f"{odd.instances:,}"), *rows]


def certificate_json(certificate: "Certificate") -> dict[str, Any]:
    """How far a diagram is proven."""
    return {
        "proven": certificate.proven,
        "closest": as_json(certificate.closest, Unbounded),
        "ties": str(certificate.ties),
        "bits": certificate.bits,
        "error": certificate.error,
    }


def _lines(odd: "ODD", answer: dict[str, Any]) -> list[tuple[str, str]]:
    return [
        (
            "size",
            f"{odd.size:,} nodes; {answer['reduced_size']:,} reduced; at most {odd.bound:,} by the bound",
        ),
        ("widths", _shape(odd.widths)),
        *decided(odd),
        ("certificate", repr(odd.certificate).removeprefix("Certificate: ")),
        _allowed(odd),
        ("time", f"{seconds(answer['seconds'])} on the {answer['engine']} engine"),
        *([("written", answer["written"])] if answer["written"] else []),
    ]


def _shape(widths: list[int]) -> str:
    """The widths: numbers for a pipe, and on a terminal bars, with the numbers while they are few."""
    numbers = " ".join(f"{width:,}" for width in widths)
    if not on_terminal():
        return numbers
    widest = f"widest {max(widths):,}, at depth {widths.index(max(widths))}"
    return f"{bars(widths)}  {numbers if len(widths) <= 12 else widest}"


def _allowed(odd: "ODD") -> tuple[str, str]:
    """Which priors, or intercepts, leave every decision as it is?"""
    from oddly.lowering.score import Score
    from oddly.model.numbers import as_float, from_log_odds

    assert odd.source is not None
    model = odd.source.model
    name = "intercept" if model.unit == "points" else "prior"
    if odd.certificate.interval is None and not isinstance(odd.source, Score):
        return name, "there is more than one number; see oddly allow"
    if odd.certificate.interval is None:
        return name, "it is certain, so no input tells what another prior would change"
    low, high = odd.certificate.interval
    if (low, high) == (-inf, inf):
        return name, f"any {'intercept' if name == 'intercept' else 'prior but 0 and 1'} leaves every decision as it is"
    stretch = "any above {} up to {}" if model.ties == "negative" else "any from {} to below {}"
    by_class = dict(zip(model.class_values, model.start or (), strict=False))
    start = as_float(by_class.get(odd.labels[1], Fraction(0)))
    if model.unit == "points":
        least, now, below = apart(low, start, high)
        return name, f"{now} points; {stretch.format(least, below)} leaves every decision as it is"
    least, now, below = apart(from_log_odds(low), start, from_log_odds(high))
    log_odds = " to ".join(apart(low, high))
    return name, (
        f"Pr({model.class_name}={odd.labels[1]}) is {now}; {stretch.format(least, below)} leaves every "
        f"decision as it is (log-odds {log_odds})"
    )
