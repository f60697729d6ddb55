# SPDX-License-Identifier: Apache-2.0
"""Commands about two classifiers: where they differ, and both as one."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

import oddly
from oddly.answers.blocks import Facts
from oddly.cli.compile import decided, shape
from oddly.cli.options import IMPOSSIBLE, READ, AsJson, Choice, DomainOption, OddFile, ReadOptions
from oddly.cli.output import emit_json, lay_out, state
from oddly.cli.texts import Text, UsageError, assignments, at_least, names_file, output_beside, say
from oddly.compiler import as_diagram
from oddly.diagram import combine as algebra

JOINS = ("and", "or", "xor", "implies")
QUANTIFIERS = ("for-all", "for-some")
OPERATIONS = (*JOINS, "not", *QUANTIFIERS, "restrict")


def diff(
    a: Annotated[Path, say("A model (.json) or a diagram (.odd).")],
    b: Annotated[Path, say("Another.")],
    /,
    *,
    under: Annotated[
        Text, say("The distribution: a or b (that model's own), uniform, or a table of rows (.csv).")
    ] = None,
    max_changed: Annotated[
        float, say("Exit with 0 as long as a changed decision is no more probable than this.")
    ] = 0.0,
    examples: Annotated[int, say("How many instances to show, the most probable first.")] = 3,
    impossible: Annotated[
        Literal["negative", "positive"] | None,
        say(f"{IMPOSSIBLE} By a model; a diagram has its own choice, and a model beside one follows it."),
    ] = None,
    within: DomainOption = None,
    read: ReadOptions = READ,
    as_json: AsJson = False,
) -> int:
    """Compare two classifiers on every possible input.

    Exit code 0 if they decide alike, 1 if not.

    Example:
      oddly diff old.json new.json
      oddly diff old.odd new.json --max-changed 0.001 --under a     in a pipeline: fails above one in a thousand
      oddly diff old.json new.json --under customers.csv --json
    """
    from oddly.questions.compare.question import named_distribution

    if not 0 <= max_changed <= 1:
        raise UsageError(f"--max-changed: expected a probability, found {max_changed}")
    at_least(0, examples=examples)
    difference = oddly.compare(*read.choice.sides([a, b]), within=within, impossible=impossible)
    measured = difference.distribution(under)
    changed = difference.probability(measured)
    holds = difference.equivalent or (max_changed > 0 and changed <= max_changed)
    if as_json:
        more = {"changed": changed, "max_changed": max_changed, "holds": holds}
        told = difference.to_json(examples=examples, under=measured)
        emit_json({**told, "under": named_distribution(measured), **more})
    else:
        tolerance = Facts("", (("tolerance", f"{max_changed:g}: {'within it' if holds else 'exceeded'}"),))
        asked = [tolerance] if max_changed and not difference.equivalent else []
        lay_out([*difference.blocks(examples, measured), *asked])
    return 0 if holds else 1


def combine(
    first: Annotated[
        str, Parameter(name="X", help='A model (.json), a diagram (.odd), or an expression such as "U=+ve or B=-ve".')
    ],
    second: Annotated[
        str, Parameter(name="OPERATION", help=f"{', '.join(OPERATIONS)}. It may also be written before X.")
    ],
    rest: Annotated[
        tuple[str, ...],
        Parameter(
            name="REST",
            show_default=False,
            help="Another like X; with for-all and for-some names of attributes; with restrict NAME=VALUE.",
        ),
    ] = (),
    /,
    *,
    output: OddFile = None,
    read: ReadOptions = READ,
    as_json: AsJson = False,
) -> int:
    """Combine classifiers: positive where both are, where either is, whatever one attribute says.

    An attribute that one side lacks is one it ignores. An expression is over the attributes of the other side.

    Example:
      oddly combine old.json and new.json -o both.odd
      oddly combine model.json xor "U=+ve or (B=+ve and S=-ve)"
      oddly combine model.json for-all sex -o whatever-the-sex.odd
      oddly combine restrict model.json U=+ve -o r.odd
      oddly combine model.odd not
    """
    operation, operands = _read([first, second, *rest])
    files = operands if operation in JOINS else operands[:1]
    output_beside(output, *(Path(text) for text in files if names_file(text)), suffixes=[".odd"])
    odd = _combined(operation, operands, read.choice)
    if output is not None:
        odd.save(output)
    written = [("written", str(output))] if output else []
    lines = [("size", f"{odd.size:,} nodes"), *decided(odd), *written]
    state(shape(odd) | {"written": output and str(output)}, lines, as_json)
    return 0


def _read(words: Sequence[str]) -> tuple[str, Sequence[str]]:
    """The operation, which stands first or second, and what it is done with."""
    if words[1] in OPERATIONS:
        return words[1], [words[0], *words[2:]]
    if words[0] in OPERATIONS:
        return words[0], words[1:]
    raise UsageError(f"no operation {words[1]!r}.  It is one of {', '.join(OPERATIONS)}.")


def _combined(operation: str, operands: Sequence[str], choice: Choice) -> "oddly.ODD":
    if operation in JOINS:
        joins = {"and": algebra.both, "or": algebra.either, "xor": algebra.one_of, "implies": algebra.implies}
        return joins[operation](*_sides(operation, operands, choice))
    if not names_file(operands[0]):
        raise UsageError(f"{operands[0]}: no such file; {operation} needs a model or a diagram")
    odd, words = as_diagram(*choice.sides([Path(operands[0])])), operands[1:]
    if operation == "not":
        if words:
            raise UsageError(f"not takes one diagram; unexpected {words[0]!r}")
        return algebra.negated(odd)
    if not words:
        what = "say what is known" if operation == "restrict" else "name the attributes"
        raise UsageError(f"{operation}: {what}, such as {_such_as(odd, operation)}")
    if operation == "restrict":
        return odd.restrict(assignments(words, odd.variables))
    return (algebra.for_all if operation == "for-all" else algebra.for_some)(odd, *words)


def _sides(operation: str, operands: Sequence[str], choice: Choice) -> list["oddly.ODD"]:
    """Both sides; an expression is read over the attributes of the other, and decides between its labels."""
    if len(operands) != 2:
        raise UsageError(f"{operation} takes two diagrams, found {len(operands)}")
    _check(operands)
    found: list[oddly.ODD] = []
    for side in choice.sides([Path(text) for text in operands if names_file(text)]):  # files first
        found.append(as_diagram(side, like=found[0] if found else None))
    for text in operands:
        if not names_file(text):
            found.append(oddly.expression_diagram(text, found[0]))
    return found if names_file(operands[0]) else found[::-1]


def _check(operands: Sequence[str]) -> None:
    """Refuse what is neither a file nor an expression, and expressions without a file."""
    for text in operands:
        if not names_file(text) and not any(sign in text for sign in ("=", "{")):
            raise UsageError(f"{text}: no such file, and no expression such as NAME=VALUE")
    if not any(map(names_file, operands)):
        raise UsageError("both sides are expressions; one must be a model or a diagram, for its attributes")


def _such_as(odd: "oddly.ODD", operation: str) -> str:
    if not odd.variables:
        return "A=x" if operation == "restrict" else "A"
    v = odd.variables[0]
    return f"{v.name}={v.values[0]}" if operation == "restrict" else v.name
