# SPDX-License-Identifier: Apache-2.0
"""`oddly order`: search for an order of the attributes that makes the diagram small."""

import shlex
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import mean, pstdev
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from oddly.cli.options import (
    IMPOSSIBLE,
    NO_CHOICE,
    NO_LIMITS,
    AsJson,
    Build,
    Choice,
    ChoiceOptions,
    Impossible,
    LimitOptions,
    UsageError,
    compiled,
    order_text,
)
from oddly.cli.output import emit_json, facts, seconds
from oddly.cli.progress import ProgressBar

if TYPE_CHECKING:
    from oddly.engine.order import Tried

EXAMPLE = """\
Example:
  oddly order model.json --tries 1000 --seed 7"""


def run(
    model: Annotated[Path, Parameter(help="A model file (.json), or example:pregnancy or example:tic-tac-toe.")],
    /,
    *,
    tries: Annotated[int, Parameter(help="How many random orders to try.")] = 100,
    seed: Annotated[int, Parameter(help="Where the random orders start; the same seed gives the same orders.")] = 0,
    jobs: Annotated[int, Parameter(help="How many to try at a time; -1 is one per processor.")] = -1,
    impossible: Annotated[Impossible, Parameter(help=IMPOSSIBLE)] = "negative",
    choice: ChoiceOptions = NO_CHOICE,
    limits: LimitOptions = NO_LIMITS,
    as_json: AsJson = False,
) -> int:
    """Search for an order of the attributes that makes the diagram smaller.

    Every order gives the same decisions; the number of nodes differs.
    """
    from oddly.diagram.sources import Tabled
    from oddly.engine.order import best_of, search
    from oddly.errors import Unsupported
    from oddly.lowering import lowered

    if jobs == 0:
        raise UsageError("--jobs: expected how many to try at a time, or -1, found 0")
    plan = best_of(tries, seed, jobs)
    started = time.perf_counter()
    with ProgressBar():
        source = compiled(model, Build(impossible=impossible, choice=choice)).source
        assert source is not None
        if isinstance(source, Tabled):
            raise Unsupported("a search would decide all instances one by one for every order")
        score = lowered(source.model, source.bits, impossible)  # at a precision that the compiler has proven to suffice
        tried = search(score, plan)
    answer = _answer(model, tried, score.names, choice) | {"seconds": time.perf_counter() - started}
    if as_json:
        emit_json(answer)
    else:
        facts(_lines(answer))
    return 0


def _answer(model: Path, tried: "Sequence[Tried]", names: Sequence[str], choice: Choice) -> dict[str, Any]:
    best = tried[0]
    order = [names[i] for i in best.order]
    sizes = {t.name: t.size for t in tried}
    randoms = [t.size for t in tried if t.name.startswith("random:")]
    return {
        "best": {"size": best.size, "name": best.name, "order": order},
        "ascending": sizes.get("ascending"),
        "descending": sizes.get("descending"),
        "random": {
            "tries": len(randoms),
            "mean": mean(randoms) if randoms else None,
            "deviation": pstdev(randoms) if randoms else None,
            "least": min(randoms, default=None),
            "greatest": max(randoms, default=None),
        },
        "command": shlex.join(["oddly", "compile", str(model), *choice.words(), "--order", order_text(order)]),
    }


def _lines(answer: dict[str, Any]) -> list[tuple[str, str]]:
    best, random = answer["best"], answer["random"]
    lines = [("best", f"{best['size']:,} nodes ({best['name']})")]
    for name in ("ascending", "descending"):
        lines.append((name, "more than fits into memory" if answer[name] is None else f"{answer[name]:,}"))
    if random["tries"]:
        spread = f"from {random['least']:,} to {random['greatest']:,}, deviation {random['deviation']:,.1f}"
        lines.append(("random", f"{random['mean']:,.1f} on average over {random['tries']:,} orders, {spread}"))
    return [
        *lines,
        ("order", ", ".join(best["order"])),
        ("time", seconds(answer["seconds"])),
        ("again", answer["command"]),
    ]
