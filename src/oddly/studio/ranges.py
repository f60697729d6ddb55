# SPDX-License-Identifier: Apache-2.0
"""Every number of a model beside the range that `oddly.allowed` gives it, for sliders."""

import math
from fractions import Fraction
from itertools import islice
from typing import Any

from oddly.answers import as_json
from oddly.diagram import ODD
from oddly.errors import OddlyError, TooLarge
from oddly.model import Model, Named
from oddly.model.numbers import as_float, written
from oddly.questions.allowed.flips.prepare import NO_NUMBERS
from oddly.questions.allowed.question import allowed
from oddly.questions.allowed.ranges import Range

MOST_TIMES = 8  # a slider of points is so many times as long as its range on either side, or nobody would see that


def listed(model: Model | None, most: int) -> dict[str, Any]:
    """Which numbers are there?  Each with a slider on which it may move."""
    found = [] if model is None else list(model.numbers())
    scale = _scale(model)
    rows = [_row(number, scale) for number in found[:most]]
    return {"numbers": rows, "left_out": max(len(found) - most, 0), "why_not": NO_NUMBERS if model is None else ""}


def ranges(odd: ODD, model: Model | None, most: int, **limits: Any) -> dict[str, Any]:
    """Where may each number lie without changing any decision?  If that is not known, why not."""
    try:
        answer = allowed(odd, **limits)
    except TooLarge:
        raise
    except OddlyError as error:
        return {"ranges": [], "why_not": str(error), "sentence": str(error)}
    own = [] if model is None else islice(model.numbers(), most)
    found = {path: number for path, _, number in answer.ranges()}
    scale = _scale(model)
    rows = [_range(number, found.get(number.path), scale) for number in own]
    return {"ranges": rows, "why_not": "", "sentence": answer.sentence()}


def _row(number: Named, scale: float) -> dict[str, Any]:
    return {
        "path": list(number.path),
        "name": number.name,
        "now": written(number.now),
        "value": _near(number),
        "points": number.points,
        "movable": number.movable,
        "interval": None,
        **_ends(number, scale),
    }


def _range(number: Named, found: Range | None, scale: float) -> dict[str, Any] | None:
    if found is None:
        return None
    texts, told = found.texts(), as_json(found)
    return {
        "interval": "anything" if found.any else found.interval(),
        "low_text": texts[0],
        "high_text": texts[1],
        "blocks": found.stops(),
        **{name: told[name] for name in ("low", "high", "includes_low", "includes_high", "below", "above")},
        **_ends(number, min(scale, MOST_TIMES * (found.high - found.low) or scale)),
    }


def _ends(number: Named, scale: float) -> dict[str, float]:
    """Where the slider of a number begins and ends: points move so far, probabilities from 0 to 1."""
    if not number.points:
        return {"min": 0.0, "max": 1.0, "step": 0.001}
    now, step = _near(number), _round_step(scale / 200)
    return {"min": round((now - scale) / step) * step, "max": round((now + scale) / step) * step, "step": step}


def _near(number: Named) -> float:
    return min(max(as_float(number.now), -1e300), 1e300)


def _scale(model: Model | None) -> float:
    """How far points may sensibly move: as far as all attributes together can move a sum."""
    rows: dict[str, list[Fraction]] = {}
    for number in [] if model is None else model.numbers():
        if number.path[0] == "points":
            rows.setdefault(number.path[1], []).append(number.now)
    total = sum((max(row) - min(row) for row in rows.values()), Fraction(0))
    return min(max(as_float(total), 1.0), 1e300)  # a slider ends somewhere


def _round_step(step: float) -> float:
    """A step of 1, 2 or 5 times a power of ten, no larger.

    >>> _round_step(0.034), _round_step(7)
    (0.02, 5.0)
    """
    power = 10.0 ** math.floor(math.log10(step))
    return float(f"{next(k for k in (5, 2, 1) if k * power <= step * 1.000001) * power:.12g}")
