# SPDX-License-Identifier: Apache-2.0
"""Rules in files, and rules of any kind as a list.

A file of rules is plain text, one a line, where lines that begin with # are comments; or TOML with a list `rules` and
perhaps a `model`. In a pyproject.toml both stand in the table [tool.oddly.check].
"""

import os
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from oddly.algebra.expressions import LONGEST
from oddly.diagram import ODD
from oddly.errors import FormatError, OddlyError, UnknownName
from oddly.formats.text import read_text
from oddly.questions.check.language import beside, rule
from oddly.questions.check.rules import Rule


@dataclass(frozen=True)
class Written:
    """A rule's text, and where it stands."""

    text: str
    where: str = ""
    folder: Path | None = None
    """Where its files are looked for; None: where the program runs."""

    def read(self, odd: ODD) -> Rule:
        """The rule, its names those of the diagram."""
        try:
            return rule(self.text, odd, self.folder)
        except OddlyError as error:
            if self.where:
                error.args = (f"{self.where}  {error}",)
            raise


@dataclass(frozen=True)
class RuleFile:
    """What a file says: rules, and perhaps of which model."""

    rules: tuple[Written, ...]
    model: Path | None = None


Rules = str | Written | Rule | os.PathLike[str] | Sequence[str | Written | Rule]
"""One rule, several, or a file of them."""


def as_rules(rules: Rules, odd: ODD) -> list[tuple[str, Rule]]:
    """Rules of any kind, with their texts."""
    if isinstance(rules, os.PathLike):
        rules = read_rules(rules).rules
    elif isinstance(rules, str | Written | Rule):
        rules = [rules]
    if not isinstance(rules, Sequence):
        raise FormatError(f"expected a rule, a list of rules or the path of a file, found {rules!r}")
    found = []
    for one in rules:
        if isinstance(one, Rule):
            found.append((str(one), one))
            continue
        if not isinstance(one, str | Written):
            raise FormatError(f"expected a rule or its text, found {one!r}")
        text = Written(one) if isinstance(one, str) else one
        found.append((" ".join(text.text.split()), text.read(odd)))
    return found


def read_rules(path: str | os.PathLike[str]) -> RuleFile:
    """The rules in a file: TOML by its name, else one a line."""
    path = Path(path)
    text = read_text(path)
    if len(text) > LONGEST:
        raise FormatError(f"{path}: {len(text):,} characters; at most {LONGEST:,} of rules are read.  Split the file.")
    if path.suffix.lower() == ".toml":
        return _of_toml(path, text)
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), start=1)]
    found = [Written(line, f"{path}:{n}", path.parent) for n, line in lines if line and not line.startswith("#")]
    return RuleFile(tuple(found))


def _of_toml(path: Path, text: str) -> RuleFile:
    try:
        table: Any = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise FormatError(f"{path}: {error}") from None
    where = str(path)
    if path.name == "pyproject.toml" or "tool" in table:
        where = f"{path}: [tool.oddly.check]"
        for name in ("tool", "oddly", "check"):
            table = table.get(name) if isinstance(table, dict) else None
        if not isinstance(table, dict):
            raise FormatError(f"{path}: no table [tool.oddly.check]")
    for name in table:
        if name not in ("model", "rules"):
            raise UnknownName(f"{where}: {UnknownName.among('entry', name, ('model', 'rules'))}")
    model, rules = table.get("model"), table.get("rules", [])
    if not isinstance(rules, list) or not all(isinstance(r, str) for r in rules):
        raise FormatError(f"{where}: rules: expected a list of texts, found {rules!r}")
    if model is not None and not isinstance(model, str):
        raise FormatError(f"{where}: model: expected the name of a file, found {model!r}")
    found = tuple(Written(r, f"{where}, rule {i}:", path.parent) for i, r in enumerate(rules, start=1))
    return RuleFile(found, None if model is None else Path(beside(model, path.parent)))
