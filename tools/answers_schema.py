#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/answers.schema.json: `python tools/answers_schema.py` writes it anew, from the types of the answers.

What a field is says the text beneath it in the source, or what is computed says its docstring; a name that means the
same everywhere is explained here, once.
"""

import ast
import inspect
import json
import re
import textwrap
import typing
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import command_answers as told

import oddly
from oddly.answers.json import ROUNDED, UNBOUNDED, UNIONS, As, Count, members
from oddly.cli import COMMANDS, command
from oddly.cli.inputs import Extra as WithCounts
from oddly.questions.allowed.flips.answer import AllowedZoneFlips
from oddly.questions.allowed.flips.ranges import FlipRange
from oddly.questions.allowed.ranges import Range
from oddly.questions.check.verdicts import Check
from oddly.questions.compare.bounds import DifferenceBounds
from oddly.questions.compare.difference import Difference
from oddly.questions.count import CountBounds, Counts
from oddly.questions.explain.reasons import Reasons
from oddly.questions.fairness.parity import Contribution as GapContribution
from oddly.questions.fairness.question import Fairness
from oddly.questions.importance import Importance
from oddly.questions.robustness import Step as Histogram
from oddly.questions.scorecard.question import Card
from oddly.questions.subset.question import Subset
from oddly.reporting.content import Report, Section

WIDE = 140  # letters of a line
FILE = Path(__file__).parents[1] / "docs" / "answers.schema.json"

IN_PYTHON = {
    "count": "count",
    "explain": "explain",
    "change": "change",
    "diff": "compare",
    "allow": "allowed",
    "regimes": "regimes",
    "round": "rounding",
    "rows": "added_rows",
    "must": "must_hold",
    "check": "check",
    "gate": "gate",
    "fair": "fairness",
    "robust": "robustness",
    "ask": "same_decision, subset",
    "importance": "importance, contributions",
    "scorecard": "scorecard",
    "report": "report",
}
"""By command: the functions whose answers it prints."""

PRINTED: Mapping[str, Any] = {
    "demo": told.Demo,
    "learn": told.Learned,
    "info": told.Classifier | told.UnchosenNetwork | told.CombinedDiagram,
    "convert": told.Converted,
    "export": told.Exported,
    "compile": told.Compiled | told.CompiledPair,
    "show": told.Drawn,
    "classify": told.Classified,
    "combine": told.Combined,
    "report": told.Filed,
    "studio": told.Served,
    "order": told.Ordered,
    "error": told.Error,
}
"""By command: what else it prints."""


def _answers(command: str) -> Any:
    """What a command prints, as a type."""
    functions = [getattr(oddly, name) for name in IN_PYTHON.get(command, "").split(", ") if name]
    kinds = [get_type_hints(function)["return"] for function in functions]
    return Union[(*kinds, *([PRINTED[command]] if command in PRINTED else []))]


ANSWERS: Mapping[str, Any] = {name: _answers(name) for name in [*COMMANDS, "error"]}

ADDED = {
    Counts: WithCounts,
    Reasons: told.WithReasons,
    Difference: told.WithDifference,
    Subset: told.WithFile,
    Check: told.WithCertificate,
    Card: told.WithCurve,
}
"""What a command adds to an answer, or to a part of one."""


NOT_IN_A_REPORT = (AllowedZoneFlips, CountBounds, DifferenceBounds)


def _kinds(command: str) -> tuple[Any, ...]:
    """The answers of a command that a report has: with a budget, those of one sum alone; and none of two diagrams around a model."""
    kind = ANSWERS[command]
    every = get_args(kind) if get_origin(kind) in UNIONS else (kind,)
    return tuple(one for one in every if one not in NOT_IN_A_REPORT)


IN_A_REPORT = ("count", "diff", "check", "explain", "fair", "allow", "round", "robust")
DATA = Union[(*(kind for name in IN_A_REPORT for kind in _kinds(name)), Importance, tuple[Fairness, ...], None)]
"""What a section of a report has: the JSON of an answer, or of several."""

NAMES = {
    GapContribution: "gap-contribution",
    Histogram: "robustness-step",
    Importance: "influences",
    Report: "page",
    **{kind: name for name, kind in ANSWERS.items() if get_origin(kind) not in UNIONS},
}
"""Of parts whose class shares its name with another, or with a command."""

FIELDS = {
    "allowed": "By attribute: the values it may have; an attribute that is not here may have any.",
    "ascending": "The number of nodes, the weakest attribute first.",
    "attribute": "The attribute.",
    "attributes": "The attributes it reads.",
    "banzhaf": "Its Banzhaf value.",
    "blocks": "What the page shows.",
    "card": "The card; null if there is none, or none was found.",
    "caption": "What it is about.",
    "certificate": "How the diagram is proven; null if it is not.",
    "class": "What is decided.",
    "class_name": "The variable that is decided.",
    "contributions": "What each contributes, the greatest first.",
    "correct": "How many rows were decided rightly.",
    "cost": "What it costs, exactly.",
    "count": "How many instances.",
    "counts": "How many instances get each decision.",
    "decision": "What is decided.",
    "decisions": "What is decided of each.",
    "descending": "The number of nodes, the strongest attribute first.",
    "digits": "How many digits after the point.",
    "dropped": "The others.",
    "engine": "What built it: native, numpy or reference.",
    "equivalent": "Whether no decision differs.",
    "exact": "Whether it is exact.",
    "expression": "The features.",
    "false_positives": "How often it gets the decision, of those who should not.",
    "findings": "What came out, for the summary.",
    "folds": "The same by part.",
    "head": "The names of the columns.",
    "high": "The high end; null if there is none.",
    "holds": "Whether it holds.",
    "id": "Its name in links.",
    "includes_high": "Whether the high end belongs to it.",
    "includes_low": "Whether the low end belongs to it.",
    "instance": "The instance.",
    "instances": "How many instances there are.",
    "kind": "What kind it is.",
    "known": "What is known.",
    "label": "The decision.",
    "labels": "The decisions; of two, the positive one is the last.",
    "low": "The low end; null if there is none.",
    "max_changes": "How many changes were looked at, if not all.",
    "measure": "The measure.",
    "name": "Its name.",
    "now": "The number as it is; null if it is infinite.",
    "numbers": "How many probabilities it has.",
    "numeric": "Which columns are numbers.",
    "observed": "What is known so far.",
    "order": "The attributes in the order in which the diagram asks them.",
    "positive": "The positive decision.",
    "precision": "How often it is right, of those who get the decision.",
    "prior": "The prior, or a card's intercept; null if it cannot move a little.",
    "probabilities": "Rounding the probabilities, or points.",
    "probability": "How probable that is.",
    "protected": "The protected attributes.",
    "proven": "Whether every decision is that of the exact numbers.",
    "question": "What was asked.",
    "rate": "How often it gets the decision.",
    "reduced_size": "The number of nodes without those that ask in vain.",
    "rows": "The rows; of counts, how many.",
    "rule": "The rule.",
    "seconds": "How long it took.",
    "sections": "One for each question.",
    "shapley": "Its Shapley value.",
    "size": "The number of nodes.",
    "status": "What came out; only the first three are verdicts.",
    "subtitle": "The classifier in words.",
    "svg": "The drawing.",
    "text": "The words.",
    "threshold": "The threshold, or a card's cut-off; null if it cannot move a little.",
    "ties": "What an instance exactly on the threshold is.",
    "times": "How often it counts.",
    "title": "What it is about.",
    "true_positives": "How often it gets the decision, of those who should.",
    "under": "The distribution of the probabilities, in words.",
    "unit": "What it is measured in.",
    "value": "Its value.",
    "values": "Its values.",
    "variables": "Its variables.",
    "verdicts": "The verdict on each rule.",
    "within": "The tolerance.",
    "words": "The same in words.",
    "written": "The file that was written, if one was.",
    "zeros": "How many of the probabilities are zero.",
}
"""Names that mean the same in every answer."""

TALLY = {
    "title": "A count",
    "description": "How many, as a decimal text: exact at any size.",
    "type": "string",
    "pattern": "^(0|[1-9][0-9]*)$",
}
PROBABILITY = {
    "title": "A probability",
    "description": "A probability, or a difference of two; with --exact, where a command has it, exactly: a text such as 0.87 or 1/3.",
    "anyOf": [{"type": "number"}, {"type": "string", "pattern": "^-?[0-9]+(\\.[0-9]+|/[1-9][0-9]*)?$"}],
}
RANGES = Mapping[str, Range | None]
FLIP_RANGES = Mapping[str, FlipRange | None]
KINDS: dict[str, Any] = {}
"""What each part describes."""
PLAIN = {bool: "boolean", str: "string", int: "integer", float: "number", Fraction: "string", type(None): "null"}


def schema() -> dict[str, Any]:
    """The whole schema."""
    parts: dict[str, Any] = {"tally": TALLY, "probability": PROBABILITY}
    parts["ranges"] = {
        "title": "Ranges",
        "description": "A range for each name; null for a number that cannot move a little.",
        "type": "object",
        "additionalProperties": _of(Range | None, parts),
    }
    parts["flip-ranges"] = {
        "title": "Ranges for a budget",
        "description": "A range for each name; null for a number that cannot move.",
        "type": "object",
        "additionalProperties": _of(FlipRange | None, parts),
    }
    for name, kind in ANSWERS.items():
        found = _of(kind, parts)
        told_by = command(name).__doc__ if name in COMMANDS else kind.__doc__
        about = {
            "title": f"oddly {name}" if name in COMMANDS else "What went wrong",
            "description": told_by.split("\n")[0],
        }
        parts[name] = {**about, **(parts[name] if kind in NAMES else found), **about}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "answers.schema.json",
        "title": "What Oddly answers",
        "description": "One object for every command with --json, and for every answer's to_json() in Python. $defs has the "
        "command's object under the command's name.",
        "anyOf": [{"$ref": f"#/$defs/{name}"} for name in ANSWERS],
        "$defs": parts,
    }


def _of(kind: Any, parts: dict[str, Any]) -> dict[str, Any]:
    """What values of a type look like; objects are described among the parts, and referred to."""
    origin, inside = get_origin(kind), get_args(kind)
    if kind == Count:
        return {"$ref": "#/$defs/tally"}
    if kind == RANGES:
        return {"$ref": "#/$defs/ranges"}
    if kind == FLIP_RANGES:
        return {"$ref": "#/$defs/flip-ranges"}
    if kind in PLAIN:
        return {"type": PLAIN[kind]}
    if origin is Annotated:
        return _marked(inside[0], inside[1:], parts)
    if origin is Literal:
        return {"const": inside[0]} if len(inside) == 1 else {"enum": list(inside)}
    if origin in UNIONS:
        return _either(inside, parts)
    if origin is tuple and inside[-1] is not Ellipsis:
        return _fixed([_of(one, parts) for one in inside])
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": _of(inside[1], parts)}
    if isinstance(origin, type) and issubclass(origin, Sequence):
        return {"type": "array", "items": _of(inside[0], parts)}
    return _object(kind, parts)


def _marked(kind: Any, markers: Sequence[Any], parts: dict[str, Any]) -> dict[str, Any]:
    for marker in markers:
        if isinstance(marker, As):
            return _of(marker.kind, parts)
        if isinstance(marker, told.Ref):
            return {"$ref": marker.place}
        if marker == ROUNDED:
            return {"$ref": "#/$defs/probability"}
        if marker == UNBOUNDED:
            return {"type": ["number", "null"]}
    return _of(kind, parts)


def _either(kinds: Sequence[Any], parts: dict[str, Any]) -> dict[str, Any]:
    if {float, Fraction} <= set(kinds):
        rest = [_of(kind, parts) for kind in kinds if kind not in (float, Fraction)]
        return {"anyOf": [{"$ref": "#/$defs/probability"}, *rest]} if rest else {"$ref": "#/$defs/probability"}
    found = [_of(kind, parts) for kind in kinds]
    if all(set(one) == {"type"} for one in found):
        return {"type": [one["type"] for one in found]}
    return {"anyOf": found}


def _fixed(each: list[dict[str, Any]]) -> dict[str, Any]:
    if all(one == each[0] for one in each):
        return {"type": "array", "items": each[0], "minItems": len(each), "maxItems": len(each)}
    return {"type": "array", "prefixItems": each, "minItems": len(each), "items": False}


def _object(kind: Any, parts: dict[str, Any]) -> dict[str, Any]:
    name = NAMES.get(kind) or re.sub(r"(?<!^)(?=[A-Z])", "-", kind.__name__).lower()
    place = {"$ref": f"#/$defs/{name}"}
    assert KINDS.setdefault(name, kind) is kind, f"two parts are called {name}"
    if name in parts:
        return place
    parts[name] = {}  # as it may contain its like
    of_it = [(of, m) for of in (kind, ADDED.get(kind)) if of is not None for m in members(of)]
    parts[name] = {
        "title": name.replace("-", " ").capitalize(),
        "description": _sentence(kind.__doc__),
        "type": "object",
        "required": [m.name for _, m in of_it if m.always],
        "additionalProperties": False,
        "properties": {
            m.name: {
                **_of(DATA if (kind, m.name) == (Section, "data") else m.kind, parts),
                "description": _about(of, m.source, m.name),
            }
            for of, m in of_it
        },
    }
    return place


# ---- words ----


def _about(of: Any, source: str, name: str) -> str:
    """What a field is: as its class says it, or as everybody does."""
    bases = (of, *getattr(of, "__orig_bases__", ())) if typing.is_typeddict(of) else of.__mro__
    said = next((_texts(base)[source] for base in bases if source in _texts(base)), None)
    assert said or name in FIELDS, f"{of.__name__}.{name}: what is it?"
    return _sentence(said) if said else FIELDS[name]


@cache
def _texts(of: Any) -> dict[str, str]:
    """What stands beneath each field of a class, and the docstrings of what is computed."""
    try:
        (tree,) = ast.parse(textwrap.dedent(inspect.getsource(of))).body
    except (TypeError, OSError):  # made without a class statement, or built in
        return {}
    if not isinstance(tree, ast.ClassDef):
        return {}
    found = {f.name: ast.get_docstring(f) or "" for f in tree.body if isinstance(f, ast.FunctionDef)}
    for field, text in zip(tree.body, tree.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant):
            found[field.target.id] = text.value.value
    return {name: text for name, text in found.items() if text}


def _sentence(text: str) -> str:
    """The first paragraph in one line, JSON's null for Python's None."""
    line = " ".join(text.strip().split("\n\n")[0].split())
    return re.sub(r"\bNone(?=:| (if|where|while|once|past|for|stands|until)\b)", "null", line)


def text() -> str:
    """The schema as a file has it: what fits into a line stands in one."""
    return _laid_out(schema(), 0) + "\n"


def _laid_out(value: Any, depth: int) -> str:
    flat = json.dumps(value, ensure_ascii=False)
    if len(flat) + depth <= WIDE or not isinstance(value, dict | list):
        return flat
    pad = "\n" + " " * (depth + 1)
    if isinstance(value, list):
        return "[" + ",".join(pad + _laid_out(part, depth + 1) for part in value) + "\n" + " " * depth + "]"
    parts = (f"{pad}{json.dumps(name)}: {_laid_out(part, depth + 1)}" for name, part in value.items())
    return "{" + ",".join(parts) + "\n" + " " * depth + "}"


if __name__ == "__main__":
    FILE.write_text(text())
