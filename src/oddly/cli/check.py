# SPDX-License-Identifier: Apache-2.0
"""`oddly check`: does a classifier obey these rules?"""

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

import oddly
from oddly.cli.failures import UNDECIDED, in_options
from oddly.cli.options import BUILD, MODEL_OR_DIAGRAM, AsJson, BuildOptions, DomainOption, Words, diagram
from oddly.cli.output import note, show
from oddly.cli.texts import File, Text, UsageError, say
from oddly.questions.check.language import Written, read_rules
from oddly.questions.check.verdicts import Check

PROJECT = Path("pyproject.toml")


def run(
    diagram_or_model: Annotated[
        File,
        Parameter(name="X", help=f"{MODEL_OR_DIAGRAM}, or example:pregnancy. Default: the rule file's."),
    ] = None,
    /,
    *,
    rule: Annotated[
        Words,
        Parameter(
            allow_leading_hyphen=True,
            help="monotone up|down in NAME [for LABEL] [: LOW < … < HIGH]; ignores NAME, …; always or never LABEL; agrees with FILE "
            "[up to P] [under model|baseline|uniform|ROWS]; each perhaps with if CONDITION. if CONDITION then LABEL; LABEL only if "
            "CONDITION.",
        ),
    ] = None,
    rules: Annotated[File, say("A file of rules: one a line, or TOML. Without any rule: pyproject.toml.")] = None,
    under: Annotated[
        Text, say("By which distribution cases are chosen: model, uniform, or a CSV file of rows.")
    ] = None,
    certificate: Annotated[
        File, say("Write a proof of every verdict here (.json), and the diagrams beside it.")
    ] = None,
    within: DomainOption = None,
    build: BuildOptions = BUILD,
    as_json: AsJson = False,
) -> int:
    """Does every decision obey these rules?

    For each rule whether it holds over all possible inputs, how many break it, and the smallest case. Exit code 0 if all
    hold, 1 if some fail, 3 if none fails and some are undecided within the limits.

    Example:
      oddly check model.json --rule "monotone up in income" --rule "ignores sex if job=full"
      oddly check model.odd --rule "if U=+ve and B=+ve then yes" --rule "never no if S=+ve"
      oddly check model.json --rule "agrees with old.json up to 0.001 under model" --json
      oddly check model.json --rules rules.txt --certificate proof.json
      oddly check     with model = "model.json" and rules = ["ignores sex"] in
                      [tool.oddly.check] of pyproject.toml
    """
    model, written = _asked(diagram_or_model, rule or [], rules)
    if certificate is not None and certificate.suffix.lower() != ".json":
        raise UsageError(f"--certificate {certificate}: expected a name that ends in .json")
    _spare(certificate, [model, *([rules] if rules else [])])
    answer = _in_words(oddly.check(diagram(model, build), written, under=under, within=within))
    _spare(certificate, _named(answer))
    if certificate is not None:
        answer.save_certificate(certificate)
        note(f"certificate written to {certificate}, its diagram to {certificate.with_suffix('.odd')}")
    show(answer, as_json, certificate=certificate and str(certificate))
    return UNDECIDED if answer.holds is None else 0 if answer.holds else 1


def _spare(certificate: Path | None, inputs: Sequence[Path]) -> None:
    """Refuse to write over what was read."""
    if certificate is None:
        return
    stem, exactly = re.escape(certificate.stem), [_real(certificate), _real(certificate.with_suffix(".odd"))]
    beside = re.compile(rf"{stem}-baseline-\d+\.odd|{stem}-under-\d+\.json")
    for path in map(_real, inputs):
        if path in exactly or (path.parent == _real(certificate.parent) and beside.fullmatch(path.name)):
            raise UsageError(f"--certificate {certificate}: {path.name} would replace an input; choose another name")


def _real(path: Path) -> Path:
    """Where a path leads; a link in a circle leads to itself."""
    return Path(os.path.realpath(path))


def _named(answer: Check) -> list[Path]:
    """The files that rules of agreement name."""
    found = [getattr(v.settled, name, None) for v in answer.verdicts for name in ("baseline", "under")]
    return [Path(file) for file in found if isinstance(file, str)]


def _in_words(answer: Check) -> Check:
    """What stopped a rule, in the words of the command line."""
    told = [replace(v, why=in_options(v.why)) if v.why else v for v in answer.verdicts]
    return replace(answer, verdicts=tuple(told))


def _asked(model: Path | None, texts: Sequence[str], file: Path | None) -> tuple[Path, list[Written]]:
    """The model and the rules, from the command line, a file of rules, or the project's."""
    written = [Written(text) for text in texts]
    implied = file is None and (model is None or not written) and PROJECT.exists()
    if implied:
        file = PROJECT
    if file is not None:
        found = read_rules(file)
        model = found.model if model is None else model
        written += () if implied and texts else found.rules  # a rule that is given is checked alone
    if model is None:
        where = f"{file} names no model" if file is not None else f"there is no {PROJECT} here"
        raise UsageError(f"which model?  Give a file; {where}.  See oddly check --help.")
    if not written:
        raise UsageError('no rules; add --rule "monotone up in NAME", or --rules FILE.  See oddly check --help.')
    return model, written
