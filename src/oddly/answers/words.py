# SPDX-License-Identifier: Apache-2.0
"""Counts, shares and instances as a person would say them."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any


def of_instances(count: int, total: int, unit: str = "instance") -> str:
    """A count in its scope, as a person would say it.

    >>> of_instances(0, 8), of_instances(8, 8), of_instances(5, 8, "cell")
    ('none of 8 instances', 'all 8 instances', '5 of 8 cells')
    """
    if total == 1:
        return f"the only {unit}" if count else f"no {unit}"
    if count == 0:
        return f"none of {total:,} {unit}s"
    return f"all {total:,} {unit}s" if count == total else f"{count:,} of {total:,} {unit}s"


def every_instance(total: int, many: str, one: str) -> str:
    """All instances with a verb that agrees with their number, at the beginning of a sentence.

    >>> every_instance(8, "stay", "stays"), every_instance(1, "stay", "stays")
    ('All 8 instances stay', 'The only instance stays')
    """
    return f"The only instance {one}" if total == 1 else f"All {total:,} instances {many}"


def decided_alike(total: int) -> str:
    """Why nothing can matter where there is one decision only.

    >>> decided_alike(8), decided_alike(1)
    ('all 8 instances are decided alike', 'there is only one instance')
    """
    return "there is only one instance" if total == 1 else f"all {total:,} instances are decided alike"


def as_features(instance: Mapping[str, Any]) -> str:
    """An instance in the user's own words.

    >>> as_features({"U": "+ve", "B": "-ve"})
    'U=+ve, B=-ve'
    """
    return ", ".join(f"{name}={value}" for name, value in instance.items())


def many_instances(count: int) -> str:
    """How many instances there are.

    >>> many_instances(1), many_instances(1920)
    ('1 instance', '1,920 instances')
    """
    return f"{count:,} instance{'' if count == 1 else 's'}"


def percent(part: float, whole: int = 1) -> str:
    """Part of a whole, never rounded to all or nothing.

    >>> percent(5, 8), percent(1, 10**9), percent(10**9 - 1, 10**9), percent(0.0), percent(1.0)
    ('62.5%', 'under 0.1%', 'over 99.9%', '0%', '100%')
    """
    if part <= 0 or part >= whole:
        return "100%" if part >= whole > 0 else "0%"
    share = 100 * part / whole
    if share < 0.1:
        return "under 0.1%"
    return "over 99.9%" if share > 99.9 else f"{share:.1f}%"


def apart(*numbers: float) -> list[str]:
    """The numbers to seven digits, or to as many more as it takes to tell them apart.

    >>> apart(1 / 3, 2), apart(0.5, 0.5000000001)
    (['0.3333333', '2'], ['0.5', '0.5000000001'])
    """
    for digits in range(7, 18):
        texts = [f"{number:.{digits}g}" for number in numbers]
        if len(set(texts)) == len(set(numbers)):
            break
    return texts


def signed(number: Fraction | float) -> str:
    """What is added or taken away, to four digits.

    >>> signed(0.25), signed(Fraction(-1, 3)), signed(0)
    ('+0.25', '-0.3333', '0')
    """
    text = f"{float(number):+.4g}"
    return "0" if float(text) == 0 else text
