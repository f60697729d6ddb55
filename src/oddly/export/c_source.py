# SPDX-License-Identifier: Apache-2.0
"""What goes into the C of a decision: flat tables of numbers, and texts in escapes.

Sums past 63 bits are of GCC's and Clang's `__int128`; past 127 bits the diagram is walked instead.
"""

from collections.abc import Iterable, Sequence
from itertools import accumulate

from oddly.errors import Unsupported
from oddly.export.dialects import BLANKS
from oddly.export.labels import below, float_gaps, float_labels, gap_texts
from oddly.export.subject import Subject, reach
from oddly.lowering.score import Score
from oddly.model import MISSING_VALUE, Variable

LINE = 12  # numbers in a line
HALF = 2**64


def c_parts(subject: Subject, cases: Sequence[Sequence[int]]) -> dict[str, str]:
    """The parts of the C template."""
    variables = subject.variables
    sides = [[below(cut, v.bins) for cut in v.bins.cuts] if v.bins else [] for v in variables]
    flat = [side for row in sides for side in row]
    gaps, known = [gap_texts(v)[0] for v in variables], [_known_numbers(v) for v in variables]
    return {
        **_numbers(subject),
        "MANY": str(len(variables)),
        "MANY_CASES": str(len(cases)),
        "LABELS": _array(map(_text, subject.labels)),
        "NAMES": _array(_text(v.name) for v in variables),
        "ARITIES": _ints(len(v.values) for v in variables),
        "FIRSTS": _ints(_starts([len(v.values) for v in variables])),
        "VALUES": _array(_text(value) for v in variables for value in v.values),
        "MISSING": _ints(v.values.index(MISSING_VALUE) if MISSING_VALUE in v.values else -1 for v in variables),
        "CUT_COUNTS": _ints(map(len, sides)),
        "FIRST_CUTS": _ints(_starts([*map(len, sides)])),
        "CUTS": _array(repr(number) for number, _ in flat),
        "INCLUDED": _ints(int(included) for _, included in flat),
        "IS_CUT": _ints(int(v.bins is not None) for v in variables),
        "GAP_COUNTS": _ints(map(len, gaps)),
        "FIRST_GAPS": _ints(_starts([*map(len, gaps)])),
        "GAPS": _array(_text(gap) for row in gaps for gap in row),
        "FOLDED": _ints(int(gap_texts(v)[1]) for v in variables),
        "NUMBER_COUNTS": _ints(map(len, known)),
        "FIRST_NUMBERS": _ints(_starts([*map(len, known)])),
        "NUMBER_OF": _array(repr(number) for row in known for number in row),
        "NUMBER_PLACE": _ints(place for row in known for place in row.values()),
        "BLANKS": _array(_text(chr(code)) for code in BLANKS),
        "CASES": _ints(number for row in cases for number in row),
    }


def _known_numbers(variable: Variable) -> dict[float, int]:
    """Numbers that are no part of an interval: values by themselves, and those that stand for a missing cell."""
    gap = variable.values.index(MISSING_VALUE) if MISSING_VALUE in variable.values else -1
    return dict.fromkeys(float_gaps(variable), gap) | float_labels(variable)


def _numbers(subject: Subject) -> dict[str, str]:
    score = subject.score
    if score is not None and reach(score) < 2**127:
        wide = reach(score) >= 2**63
        return {
            "NUMBERS": _weights(score, wide),
            "DECIDE": "sum",
            "NEEDS": " and GCC's or Clang's __int128" if wide else "",
        }
    odd = subject.walked
    place = {v.name: i for i, v in enumerate(subject.variables)}
    lines = [
        f"static const unsigned root = {odd.root};",
        f"static const int order[] = {_ints(place[name] for name in odd.order)};",
        f"static const size_t level[] = {_ints(_starts([level.size for level in odd.levels]))};",
        f"static const unsigned children[] = {_ints(int(c) for level in odd.levels for c in level.flat)};",
    ]
    return {"NUMBERS": "\n".join(lines), "DECIDE": "walk", "NEEDS": ""}


def _weights(score: Score, wide: bool) -> str:
    weights = [term.weight for terms in score.terms for term in terms]
    shown = _halves if wide else _long
    kind = "__int128" if wide else "long long"
    half = "#define WEIGHT(high, low) ((__int128)(high) * ((__int128)1 << 64) + (__int128)(low))\n" if wide else ""
    return half + "\n".join(
        [
            f"#define WIDE {kind}",
            f"static const WIDE start = {shown(score.start)};",
            f"static const WIDE weights[] = {_array(map(shown, weights))};",
            f"static const int start_state = {score.prior.state};",
            f"static const int states[] = {_ints(term.state for terms in score.terms for term in terms)};",
            f"static const int outcomes[] = {_ints(score.outcomes)};",
        ]
    )


def _long(number: int) -> str:
    return f"{number}LL"


def _halves(number: int) -> str:
    return f"WEIGHT({number // HALF}LL, {number % HALF}ULL)"


def _starts(lengths: Sequence[int]) -> list[int]:
    return [0, *accumulate(lengths)][:-1]


def _ints(numbers: Iterable[int]) -> str:
    return _array(map(str, numbers))


def _array(items: Iterable[str]) -> str:
    """An initialiser; of nothing, one zero, since C has no empty arrays."""
    found = list(items) or ["0"]
    lines = [", ".join(found[i : i + LINE]) for i in range(0, len(found), LINE)]
    return "{" + lines[0] + "}" if len(lines) == 1 else "{\n    " + ",\n    ".join(lines) + "}"


def _text(value: str) -> str:
    """A text in C: letters, digits and harmless signs as they are, every other byte in octal."""
    if "\0" in value:
        raise Unsupported(f"{value!r} holds the letter NUL, where a text in C ends")
    plain = set(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _+-=<>.,:;()[]/'")
    return '"' + "".join(chr(byte) if byte in plain else f"\\{byte:03o}" for byte in value.encode()) + '"'
