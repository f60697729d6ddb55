# SPDX-License-Identifier: Apache-2.0
"""How the texts of a command line are read: names, orders, sizes, and NAME=VALUE."""

import csv
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from cyclopts import Parameter

import oddly
from oddly.cli.output import note
from oddly.errors import OddlyError, UnknownName
from oddly.model import Variable

# What the last part of a file's name says: this is no expression, even if there is no such file.
SUFFIXES = (".odd", ".json", ".bif", ".net", ".uai", ".xmlbif", ".bifxml", ".xml", ".xdsl", ".dsl", ".csv")


Text = str | None
File = Path | None
Number = int | None


def say(help: str, **more: Any) -> Parameter:
    """What the help says of an option, and what else there is to it."""
    return Parameter(help=help, **more)


class UsageError(OddlyError):
    """A command line that makes no sense."""


def order_of(text: str, attributes: Sequence[str]) -> str | list[str]:
    """An order as `oddly.compile` takes it: a name, or a list if there is a comma or an attribute so named.

    >>> order_of("random:7", ["U", "B"]), order_of("B,U", ["U", "B"]), order_of('B,"U, V"', ["U, V", "B"])
    ('random:7', ['B', 'U'], ['B', 'U, V'])
    """
    if "," not in text and text not in attributes:
        return text
    return parts_of(text)


def parts_of(text: str) -> list[str]:
    """What stands between commas; a part with a comma in it stands in double quotes.

    >>> parts_of('U=+ve, "age=[30, 40)"')
    ['U=+ve', 'age=[30, 40)']
    """
    return next(csv.reader([text], skipinitialspace=True), [])


def labels_of(text: str | None) -> dict[str, str] | None:
    """What --labels says: THEIRS=OURS with commas between.

    >>> labels_of("1=bad,0=good"), labels_of(">=50=high")
    ({'1': 'bad', '0': 'good'}, {'>=50': 'high'})
    """
    if text is None:
        return None
    parts = [re.split("(?<![<>!])=", part, maxsplit=1) for part in parts_of(text)]
    if any(len(part) != 2 for part in parts) or len({part[0] for part in parts}) < len(parts):
        raise UsageError(
            f"--labels: expected the second's labels as the first calls them, 1=bad,0=good; found {text!r}"
        )
    return {part[0]: part[1] for part in parts}


def names_of(texts: Iterable[str], attributes: Iterable[str]) -> list[str]:
    """Attributes, each given by itself or several with commas between; groups of values stay the text that they are.

    >>> names_of(["age,sex", "income, €"], ["age", "sex", "income, €"])
    ['age', 'sex', 'income, €']
    """
    from oddly.algebra.groups import says_groups

    known = set(attributes)
    parts = [[text] if text in known or says_groups(text) else parts_of(text) for text in texts]
    return [name for part in parts for name in part]


def names_file(text: str) -> bool:
    """Whether a text is the name of a model or a diagram, and not an expression.

    >>> names_file("old.json"), names_file("example:pregnancy"), names_file("U=+ve or B=1.5")
    (True, True, False)
    """
    return text.startswith("example:") or text.lower().endswith(SUFFIXES) or os.path.isfile(text)


def bytes_of(text: str) -> int:
    """A size of memory.

    >>> bytes_of("4G"), bytes_of("500MB"), bytes_of("1000")
    (4294967296, 524288000, 1000)
    """
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", text.strip(), re.IGNORECASE)
    size = int(float(match[1]) * 1024 ** " KMGT".index(match[2].upper() or " ")) if match else 0
    if size < 1:
        raise UsageError(f"--max-memory: expected a size such as 500M or 4G, found {text!r}")
    return size


def assignments(texts: Iterable[str], variables: Sequence[Variable]) -> dict[str, str]:
    """NAME=VALUE texts as a mapping, every name and value checked."""
    from oddly.diagram.rows import label_of

    by_name = {v.name: v for v in variables}
    found: dict[str, str] = {}
    for text in texts:
        fitting = [name for name in by_name if text.startswith(f"{name}=")]
        name = max(fitting, key=len, default=text.partition("=")[0])
        if "=" not in text:
            raise UsageError(f"expected NAME=VALUE, found {text!r}")
        if name not in by_name:
            raise UnknownName.among("attribute", name, by_name)
        if name in found:
            raise UsageError(f"{name} is given twice")
        found[name] = label_of(text[len(name) + 1 :], by_name[name])
    return found


def case_of(texts: Iterable[str], odd: "oddly.ODD") -> dict[str, str]:
    """NAME=VALUE texts about one input. What they say about the class is no part of it: a row copied from a table has it."""
    target = f"{odd.source.model.class_name}=" if odd.source is not None else ""
    kept = []
    for text in texts:
        if target and text.startswith(target) and not any(text.startswith(f"{name}=") for name in odd.order):
            note(f"{text} is left aside: {target[:-1]} is what is decided")
        else:
            kept.append(text)
    return assignments(kept, odd.variables)


def instance_of(texts: Iterable[str], odd: "oddly.ODD") -> dict[str, str]:
    """The same, of all attributes."""
    return complete(case_of(texts, odd), odd.variables)


def at_least(least: int, **options: int | None) -> None:
    """Refuse numbers that are too small."""
    for name, number in options.items():
        if number is not None and number < least:
            option = f"--{name.replace('_', '-')}"
            raise UsageError(f"{option}: expected a number from {least} on, found {number}")


def no_options(texts: Iterable[str], command: str) -> None:
    """Refuse what stands among NAME=VALUE texts and looks like an option; values themselves may start with a dash."""
    for text in texts:
        if text.startswith("-") and "=" not in text.lstrip("-"):
            raise UsageError(f"unknown option {text}.  See oddly {command} --help.")


def complete(instance: dict[str, str], variables: Sequence[Variable]) -> dict[str, str]:
    """The instance, if it has a value for every variable."""
    for v in variables:
        if v.name not in instance:
            raise UnknownName(f"no value for {v.name}.  Add {v.name}={v.values[0]}, or another of its values.")
    return instance


def output_beside(output: Path | None, *inputs: Path, suffixes: Sequence[str] = ()) -> None:
    """Refuse an output that is one of the inputs, or whose name says it is something else."""
    if output is None:
        return
    if suffixes and output.suffix.lower() not in suffixes:
        raise UsageError(f"-o {output}: expected a name that ends in {' or '.join(suffixes)}")
    if os.path.realpath(output) in map(os.path.realpath, inputs):
        raise UsageError(f"-o {output}: that is the input; choose another name")
