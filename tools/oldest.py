#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The oldest versions that pyproject.toml allows, as constraints for pip: `python tools/oldest.py > constraints.txt`.

Every requirement there is, of the build, of the package and of its extras: a lower bound `name>=1.2` becomes `name==1.2`.
Needs nothing but Python, since it runs before anything is installed.
"""

import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).parents[1] / "pyproject.toml"
BOUNDED = re.compile(r"\s*(?P<name>[A-Za-z0-9][\w.-]*)\s*(\[[^]]*\])?\s*>=\s*(?P<bound>\d[\w.]*)\s*([,;].*)?")


def requirements(project: dict[str, Any]) -> Iterator[str]:
    """Which packages are asked for, by the build, the package and every extra?"""
    yield from project["build-system"]["requires"]
    yield from project["project"]["dependencies"]
    for extra in project["project"].get("optional-dependencies", {}).values():
        yield from extra


def oldest(asked: Iterable[str]) -> dict[str, str]:
    """Which version of each package is the oldest allowed?

    A package without a lower bound, or with two of them in two places, is refused: no one version would be the oldest.

    >>> oldest(["numpy>=2.0", "scikit_learn[x]>=1.6,<3", "numpy>=2.0"])
    {'numpy': '2.0', 'scikit-learn': '1.6'}
    """
    bounds: dict[str, str] = {}
    for requirement in asked:
        found = BOUNDED.fullmatch(requirement)
        if not found:
            raise ValueError(f"{requirement!r} has no lower bound; write it as name>=version")
        name = re.sub(r"[-_.]+", "-", found["name"]).lower()
        if bounds.setdefault(name, found["bound"]) != found["bound"]:
            raise ValueError(f"{name} has two lower bounds, {bounds[name]} and {found['bound']}; write the same one")
    return bounds


def main() -> None:
    """Print a constraint a line."""
    bounds = oldest(requirements(tomllib.loads(PROJECT.read_text())))
    sys.stdout.writelines(f"{name}=={bound}\n" for name, bound in sorted(bounds.items()))


if __name__ == "__main__":
    main()
