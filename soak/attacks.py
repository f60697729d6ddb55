# SPDX-License-Identifier: Apache-2.0
"""All attacks by name, a batch of tries of one of them, and one try again."""

import logging
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock

from soak import asking, deciding, faults, files, forging, specs
from soak.shrinking import shrunk
from soak.specs import Spec

Attack = Callable[[Random, Path], int]

ATTACKS: dict[str, tuple[Attack, int]] = {
    "engines": (deciding.engines, 60),
    "large": (deciding.large, 10),
    "laws": (deciding.laws, 20),
    "questions": (asking.questions, 60),
    "diagrams": (forging.diagrams, 30),
    "certificates": (forging.certificates, 2),
    "files": (files.reading, 2),
    "failing": (faults.failing, 10),
    "killed": (faults.killed, 1),
    "starved": (faults.starved, 1),
}
"""Each with how many tries a batch has; those that start processes have few."""


@dataclass(frozen=True)
class Tally:
    """What was tried."""

    tries: int = 0
    compared: int = 0
    """Decisions, answers or files that were held against something."""
    failures: int = 0

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(self.tries + other.tries, self.compared + other.compared, self.failures + other.failures)


@dataclass(frozen=True)
class Failure:
    """What went wrong, and how to have it again."""

    attack: str
    seed: str
    message: str
    spec: Any


def batch(name: str, seed: str, number: int) -> tuple[str, Tally, list[Failure]]:
    """The tries of one batch, each with a seed of its own."""
    attack, tries = ATTACKS[name]
    logging.getLogger("oddly").setLevel(logging.ERROR)  # what is not proven says so, and here that is meant
    compared, failures = 0, []
    for i in range(number * tries, (number + 1) * tries):
        with tempfile.TemporaryDirectory() as folder:
            try:
                compared += attack(Random(f"{seed}/{name}/{i}"), Path(folder))
            except Exception as error:
                failures.append(_made_small(name, f"{seed}/{name}/{i}", error))
    return name, Tally(tries, compared, len(failures)), failures


def replay(name: str, seed: str, folder: Path, spec: Spec | None = None) -> None:
    """One try again, with this specification in the place of the one that its seed draws."""
    attack, _ = ATTACKS[name]
    drawn = specs.spec

    def instead(r: Random) -> Spec:
        found = drawn(r)  # what follows is drawn as before
        return found if spec is None else specs.copied(spec)

    with ExitStack() as stack:
        for module in (deciding, asking, faults, files, forging):
            stack.enter_context(mock.patch.object(module, "spec", instead))
        attack(Random(seed), folder)


def _made_small(name: str, seed: str, error: Exception) -> Failure:
    r = Random(seed)
    spec = specs.spec(r)
    if name not in ("engines", "laws", "questions", "diagrams"):
        return Failure(name, seed, f"{type(error).__name__}: {error}", error.args[1:] or None)

    def fails(simpler: Spec) -> bool:
        with tempfile.TemporaryDirectory() as folder:
            try:
                replay(name, seed, Path(folder), simpler)
            except Exception as found:
                return type(found) is type(error)
        return False

    small = shrunk(spec, fails) if fails(spec) else spec
    return Failure(name, seed, f"{type(error).__name__}: {error}", small)
