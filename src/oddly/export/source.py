# SPDX-License-Identifier: Apache-2.0
"""A decision as source code without dependencies, in Python, JavaScript or C, with cases by which it tests itself.

The texts that do not depend on the model are templates beside this module; what is put into them are numbers, and names
and values as each language writes texts. No name reaches a comment.
"""

import json
import random
from collections.abc import Callable, Sequence
from importlib.resources import files
from typing import Any, Unpack

import numpy as np

from oddly.errors import UnknownName
from oddly.export.c_source import c_parts
from oddly.export.dialects import BLANKS
from oddly.export.labels import float_labels, gap_texts
from oddly.export.subject import Subject, reach, subject
from oddly.lowering.score import Score
from oddly.model import Variable
from oddly.model.numbers import written
from oddly.runtime import LimitArguments, limited

CASES = 64  # of the table by which a source tests itself; all instances, if there are no more
SAFE = 2**53  # from here on JavaScript's numbers round

Parts = dict[str, str]


def to_source(thing: Any, language: str, **limits: Unpack[LimitArguments]) -> str:
    """The decision of a model or diagram as source code: "python", "javascript" or "c".

    >>> from oddly import examples
    >>> "def classify(row):" in to_source(examples.pregnancy(), "python")
    True
    """
    writers: dict[str, tuple[str, Callable[[Subject, list[list[int]]], Parts]]] = {
        "python": ("# {}\n", _python),
        "javascript": ("// {}\n", _javascript),
        "c": ("/* {} */\n", c_parts),
    }
    if language not in writers:
        raise UnknownName.among("language", language, writers)
    comment, write = writers[language]
    with limited(limits, orders=True):
        made = subject(thing)
        parts = write(made, cases(made))
        head = "".join(comment.format(line) for line in made.origin).rstrip("\n")
    return filled(language, {"HEAD": head, **parts})


def filled(template: str, parts: Parts) -> str:
    """A template with its parts put in; @@DECIDE@@ is itself the name of one."""
    text = _template(template).replace("@@DECIDE@@", _template(f"{template}_{parts['DECIDE']}").rstrip("\n"))
    for name, part in parts.items():
        text = text.replace(f"@@{name}@@", part)
    return text


def _template(name: str) -> str:
    return files("oddly.export").joinpath("templates", f"{name}.txt").read_text(encoding="utf-8")


def cases(subject: Subject) -> list[list[int]]:
    """Places of values, and last that of the label: all instances if they are few, else some, always the same."""
    arities = [len(v.values) for v in subject.variables]
    if subject.instances <= CASES:
        found = list(np.ndindex(*arities))
    else:
        chance = random.Random(0)
        found = [tuple(chance.randrange(arity) for arity in arities) for _ in range(CASES)]
    rows = np.array(found, np.intp).reshape(len(found), len(arities))
    return [[*map(int, row), label] for row, label in zip(rows, subject.decide(rows), strict=True)]


# ---- Python ----


def _python(subject: Subject, cases: Sequence[Sequence[int]]) -> Parts:
    def attribute(v: Variable) -> str:
        cuts, closed = (None, None) if v.bins is None else ([*map(written, v.bins.cuts)], v.bins.closed)
        return f"    ({v.name!a}, {list(v.values)!a}, {cuts!a}, {closed!r}, {gap_texts(v)[0]!a}, {gap_texts(v)[1]}),"

    numbers = _numbers(subject, str, "{} = {}", "None")
    return {
        **numbers,
        "LABELS": ascii(list(subject.labels)),
        "ATTRIBUTES": "\n".join(map(attribute, subject.variables)),
        "CASES": "\n".join(f"    ({row[:-1]}, {row[-1]})," for row in cases),
    }


# ---- JavaScript ----


def _javascript(subject: Subject, cases: Sequence[Sequence[int]]) -> Parts:
    def attribute(v: Variable) -> str:
        cuts = "null" if v.bins is None else _list(f"[{c.numerator}n, {c.denominator}n]" for c in v.bins.cuts)
        closed = json.dumps(None if v.bins is None else v.bins.closed)
        floats = _list(f"[{number!r}, {place}]" for number, place in float_labels(v).items())
        gaps = f"{json.dumps(gap_texts(v)[0])}, {json.dumps(gap_texts(v)[1])}"
        return f"  [{json.dumps(v.name)}, {json.dumps(list(v.values))}, {cuts}, {closed}, {floats}, {gaps}],"

    large = subject.score is not None and reach(subject.score) >= SAFE
    numbers = _numbers(subject, (lambda n: f"{n}n") if large else str, "const {} = {};", "null")
    return {
        **numbers,
        "LABELS": json.dumps(list(subject.labels)),
        "ATTRIBUTES": "\n".join(map(attribute, subject.variables)),
        "CASES": "\n".join(f"  [{row[:-1]}, {row[-1]}]," for row in cases),
        "BLANKS": "".join(rf"\u{code:04x}" for code in BLANKS),
    }


def _numbers(subject: Subject, weight: Callable[[int], str], assign: str, nothing: str) -> Parts:
    """Weights, or the diagram, as lists of lists."""
    if subject.score is not None:
        return {
            "NUMBERS": "\n".join(assign.format(*pair) for pair in _weights(subject.score, weight, nothing)),
            "DECIDE": "sum",
        }
    odd = subject.walked
    levels = "[\n" + "".join(f"  {level.tolist()},\n" for level in odd.levels) + "]"
    order = [next(i for i, v in enumerate(subject.variables) if v.name == name) for name in odd.order]
    pairs = [("ROOT", str(odd.root)), ("ORDER", str(order)), ("LEVELS", levels)]
    return {"NUMBERS": "\n".join(assign.format(*pair) for pair in pairs), "DECIDE": "walk"}


def _weights(score: Score, weight: Callable[[int], str], nothing: str) -> list[tuple[str, str]]:
    rows = "".join(f"  {_list(weight(t.weight) for t in terms)},\n" for terms in score.terms)
    states = "".join(f"  {[t.state for t in terms]},\n" for terms in score.terms)
    outcomes = _list(nothing if outcome < 0 else str(outcome) for outcome in score.outcomes)
    return [
        ("START", weight(score.start)),
        ("WEIGHTS", f"[\n{rows}]"),
        ("STATE", str(score.prior.state)),
        ("STATES", f"[\n{states}]"),
        ("OUTCOMES", outcomes),
    ]


def _list(texts: Any) -> str:
    return f"[{', '.join(texts)}]"
