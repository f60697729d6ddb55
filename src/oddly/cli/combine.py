# SPDX-License-Identifier: Apache-2.0
"""`oddly combine`: two classifiers as one diagram, or one without some of its attributes."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from oddly.cli.compile import decided, shape
from oddly.cli.options import (
    NO_CHOICE,
    NO_LIMITS,
    AsJson,
    Choice,
    ChoiceOptions,
    LimitOptions,
    UsageError,
    assignments,
    names_file,
    output_beside,
)
from oddly.cli.output import emit_json, facts
from oddly.cli.progress import ProgressBar

if TYPE_CHECKING:
    from oddly.diagram import ODD

EXAMPLE = """\
Example:
  oddly combine old.json and new.json -o both.odd
  oddly combine model.json xor "U=+ve or (B=+ve and S=-ve)"
  oddly combine model.json for-all sex -o whatever-the-sex.odd
  oddly combine restrict model.json U=+ve -o r.odd
  oddly combine model.odd not"""

JOINS = ("and", "or", "xor", "implies")
QUANTIFIERS = ("for-all", "for-some")
OPERATIONS = (*JOINS, "not", *QUANTIFIERS, "restrict")


def run(
    first: Annotated[
        str,
        Parameter(name="X", help='A model (.json), a diagram (.odd), or an expression such as "U=+ve or B=-ve".'),
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
    output: Annotated[Path | None, Parameter(alias="-o", help="Keep the diagram in this file (.odd).")] = None,
    choice: ChoiceOptions = NO_CHOICE,
    limits: LimitOptions = NO_LIMITS,
    as_json: AsJson = False,
) -> int:
    """Combine classifiers: positive where both are, where either is, whatever one attribute says.

    An attribute that one side lacks is one it ignores. An expression is over the attributes of the other side.
    """
    operation, operands = _read([first, second, *rest])
    files = operands if operation in JOINS else operands[:1]
    output_beside(output, *(Path(text) for text in files if names_file(text)), suffixes=[".odd"])
    with ProgressBar():
        odd = _combined(operation, operands, choice)
    if output is not None:
        odd.save(output)
    _show(odd, output, as_json)
    return 0


def _read(words: Sequence[str]) -> tuple[str, Sequence[str]]:
    """The operation, which stands first or second, and what it is done with."""
    if words[1] in OPERATIONS:
        return words[1], [words[0], *words[2:]]
    if words[0] in OPERATIONS:
        return words[0], words[1:]
    raise UsageError(f"no operation {words[1]!r}.  It is one of {', '.join(OPERATIONS)}.")


def _combined(operation: str, operands: Sequence[str], choice: Choice) -> "ODD":
    from oddly.algebra import combine
    from oddly.compiler import as_diagram

    if operation in JOINS:
        joins = {"and": combine.both, "or": combine.either, "xor": combine.one_of, "implies": combine.implies}
        return joins[operation](*_sides(operation, operands, choice))
    if not names_file(operands[0]):
        raise UsageError(f"{operands[0]}: no such file; {operation} needs a model or a diagram")
    odd, words = as_diagram(*choice.sides([Path(operands[0])])), operands[1:]
    if operation == "not":
        if words:
            raise UsageError(f"not takes one diagram; unexpected {words[0]!r}")
        return combine.negated(odd)
    if not words:
        what = "say what is known" if operation == "restrict" else "name the attributes"
        raise UsageError(f"{operation}: {what}, such as {_such_as(odd, operation)}")
    if operation == "restrict":
        return odd.restrict(assignments(words, odd.variables))
    return (combine.for_all if operation == "for-all" else combine.for_some)(odd, *words)


def _sides(operation: str, operands: Sequence[str], choice: Choice) -> list["ODD"]:
    """Both sides; an expression is read over the attributes of the other, and decides between its labels."""
    from oddly.algebra.expression_diagram import expression_diagram
    from oddly.compiler import as_diagram

    if len(operands) != 2:
        raise UsageError(f"{operation} takes two diagrams, found {len(operands)}")
    _check(operands)
    found: list[ODD] = []
    for side in choice.sides([Path(text) for text in operands if names_file(text)]):  # files first
        found.append(as_diagram(side, like=found[0] if found else None))
    for text in operands:
        if not names_file(text):
            found.append(expression_diagram(text, found[0]))
    return found if names_file(operands[0]) else found[::-1]


def _check(operands: Sequence[str]) -> None:
    """Refuse what is neither a file nor an expression, and expressions without a file."""
    for text in operands:
        if not names_file(text) and not any(sign in text for sign in ("=", "{")):
            raise UsageError(f"{text}: no such file, and no expression such as NAME=VALUE")
    if not any(map(names_file, operands)):
        raise UsageError("both sides are expressions; one must be a model or a diagram, for its attributes")


def _such_as(odd: "ODD", operation: str) -> str:
    if not odd.variables:
        return "A=x" if operation == "restrict" else "A"
    v = odd.variables[0]
    return f"{v.name}={v.values[0]}" if operation == "restrict" else v.name


def _show(odd: "ODD", output: Path | None, as_json: bool) -> None:
    if as_json:
        emit_json(shape(odd) | {"written": output and str(output)})
    else:
        written = [("written", str(output))] if output else []
        facts([("size", f"{odd.size:,} nodes"), *decided(odd), *written])
