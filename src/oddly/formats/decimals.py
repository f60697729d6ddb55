# SPDX-License-Identifier: Apache-2.0
"""Exact numbers in files that hold decimals only."""

from fractions import Fraction

from oddly.errors import Unsupported
from oddly.model import Node
from oddly.model.numbers import MOST_DIGITS, written


def decimals(node: Node, what: str) -> list[list[str]]:
    """The rows of a node's table as decimals, or an error that names the first number that has none."""
    seen: dict[Fraction, str] = {}
    rows = []
    for row in node.table:
        for number in row:
            if number not in seen:
                seen[number] = _checked(number, node.name, what)
        rows.append([seen[number] for number in row])
    return rows


def decimal(number: Fraction) -> str | None:
    """The number as an exact decimal, if it has one that ends within a few thousand digits.

    >>> decimal(Fraction(1, 8)), decimal(Fraction(1, 3)), decimal(Fraction(1, 10**12)), decimal(Fraction(3))
    ('0.125', None, '1e-12', '3')
    """
    places = _places(number.denominator)
    if places is None or places > MOST_DIGITS:
        return None
    digits = str(abs(number.numerator) * 10**places // number.denominator)
    sign = "-" if number < 0 else ""
    if places - len(digits) > 6:
        head, tail = digits[0], digits[1:]
        return f"{sign}{head}{'.' if tail else ''}{tail}e-{places - len(tail)}"
    digits = digits.rjust(places + 1, "0")
    return sign + (f"{digits[:-places]}.{digits[-places:]}" if places else digits)


def _checked(number: Fraction, where: str, what: str) -> str:
    text = decimal(number)
    if text is None:
        found = written(number)
        found = found if len(found) <= 40 else f"a number near {float(number):.6g}"
        raise Unsupported(
            f"{where}: {found} has no decimal that ends, and {what} files hold decimals only.  "
            "Write .json, which keeps it, or round knowingly: digits=12 (--digits 12)."
        )
    return text


def _places(denominator: int) -> int | None:
    """The digits after the point that a fraction of this denominator needs, if they end."""
    twos = (denominator & -denominator).bit_length() - 1
    rest, fives = denominator >> twos, 0
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    return max(twos, fives) if rest == 1 else None
