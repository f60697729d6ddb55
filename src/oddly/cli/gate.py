# SPDX-License-Identifier: Apache-2.0
"""`oddly gate`: may the new model take the old one's place?  The terms stand in a file beside the code."""

import os
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

import oddly
from oddly.answers.markdown import blocks_markdown
from oddly.cli.failures import UNDECIDED
from oddly.cli.options import MODEL_OR_DIAGRAM, READ, AsJson, DomainOption, ReadOptions
from oddly.cli.output import note, save, show
from oddly.cli.texts import UsageError
from oddly.errors import FormatError, UnknownName
from oddly.formats.text import read_text
from oddly.questions.check.language import Written, read_rules

HOMES = {"oddly.toml": ("gate",), "pyproject.toml": ("tool", "oddly", "gate")}
"""Files that may hold the terms, and the table they stand in."""
FILES = ("baseline", "candidate", "summary", "report")
TERMS = (
    "changed",
    "directions",
    "under",
    "changed-under",
    "directions-under",
    "rules",
    "room",
    "values",
    "labels",
    "within",
)


def run(
    baseline: Annotated[
        Path | None, Parameter(help=f"The one in use. {MODEL_OR_DIAGRAM}. Default: the one in the file of terms.")
    ] = None,
    candidate: Annotated[Path | None, Parameter(help="The model that is to take its place.")] = None,
    /,
    *,
    config: Annotated[
        Path | None, Parameter(help="The file of terms. Default: oddly.toml, or [tool.oddly.gate] in pyproject.toml.")
    ] = None,
    changed: Annotated[
        str | None, Parameter(help="The share of all inputs that may be decided otherwise: 0, 0.001, 0.1%.")
    ] = None,
    under: Annotated[
        str | None, Parameter(help="Also weigh changes by a distribution: a table of rows, a, b or uniform.")
    ] = None,
    changed_under: Annotated[str | None, Parameter(help="The share of that distribution that may change.")] = None,
    summary: Annotated[
        Path | None, Parameter(help="Add the verdict as Markdown to this file, such as $GITHUB_STEP_SUMMARY.")
    ] = None,
    report: Annotated[Path | None, Parameter(help="Write the whole report here (.html, .md or .json).")] = None,
    within: DomainOption = None,
    read: ReadOptions = READ,
    as_json: AsJson = False,
) -> int:
    """May the new model take the old one's place?

    Reads what was agreed on: the share of decisions that may change, of all inputs and of a table's rows; directions that must
    not happen; rules; how far numbers must be able to move. Exit code 0 if all of it holds, 1 if not, 3 if none fails and some
    is undecided within the limits.

    Example:
      oddly gate                                    with [tool.oddly.gate] in pyproject.toml:
                                                      baseline = "validated.json"
                                                      candidate = "model.json"
                                                      changed = "0.1%"
                                                      directions = {"approve → refuse" = 0}
                                                      under = "applicants.csv"
      oddly gate old.json new.json --changed 1% --summary summary.md --report gate.html
    """
    file = _config(config, needed=baseline is None or candidate is None)
    terms = {} if file is None else _read(file)
    here: dict[str, Any] = {"baseline": baseline, "candidate": candidate, "summary": summary, "report": report}
    here |= {"changed": changed, "under": under, "changed-under": changed_under, "within": within}
    terms |= {name: value for name, value in here.items() if value is not None}
    for name in ("baseline", "candidate"):
        if name not in terms:
            raise UsageError(f"which {name}?  Give a file, or {name} = … in {file or 'pyproject.toml'}.")
    asked = {name.replace("-", "_"): terms[name] for name in TERMS if name in terms}
    old, new = read.choice.sides([Path(terms["baseline"]), Path(terms["candidate"])])
    answer = oddly.gate(old, new, **asked)
    if "report" in terms:
        made = oddly.report(new, against=old, rules=asked.get("rules"), under=_of_report(asked))
        made.save(terms["report"])
        note(f"report written to {terms['report']}")
    if "summary" in terms:
        _append(terms["summary"], blocks_markdown(answer.blocks()))
    show(answer, as_json)
    return UNDECIDED if answer.holds is None else 0 if answer.holds else 1


def _of_report(asked: Mapping[str, Any]) -> Any:
    """The distribution of the report's probabilities: that of the terms, where it does not name a side."""
    return None if asked.get("under") in ("a", "b") else asked.get("under")


def _config(given: Path | None, needed: bool) -> Path | None:
    """The file of terms: the one that is named, or the project's, if it has any."""
    if given is not None:
        return given
    found = next((path for path in map(Path, HOMES) if path.exists() and _table(path) is not None), None)
    if found is None and needed:
        raise UsageError(
            "no terms: there is no oddly.toml with a table [gate] here, and no [tool.oddly.gate] in pyproject.toml.  "
            "Give two models, or see oddly gate --help."
        )
    return found


def _table(path: Path) -> dict[str, Any] | None:
    """The table of terms in a file."""
    try:
        found: Any = tomllib.loads(read_text(path), parse_float=str)  # 0.001 is a thousandth, exactly
    except tomllib.TOMLDecodeError as error:
        raise FormatError(f"{path}: {error}") from None
    for name in HOMES.get(path.name, ("gate",)):
        found = found.get(name) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else None


def _read(path: Path) -> dict[str, Any]:
    """The terms in a file, its paths beside it, and the rules that `oddly check` would check."""
    table = _table(path)
    where = f"{path}: [{'.'.join(HOMES.get(path.name, ('gate',)))}]"
    if table is None:
        raise FormatError(f"{path}: no table {where.partition(': ')[2]}")
    found = {name.replace("_", "-"): value for name, value in table.items()}
    for name, value in found.items():
        if name not in (*FILES, *TERMS):
            raise UnknownName(f"{where}: {UnknownName.among('entry', name, (*FILES, *TERMS))}")
        _check(name, value, where)
    for name in FILES:
        if name in found:
            found[name] = _beside(path, found[name])
    if "under" in found and found["under"] not in ("a", "b", "uniform"):
        found["under"] = _beside(path, found["under"])
    if isinstance(found.get("within"), str) and (path.parent / found["within"]).is_file():
        found["within"] = _beside(path, found["within"])
    rules = [Written(r, f"{where}, rule {i}:", path.parent) for i, r in enumerate(found.get("rules", []), start=1)]
    rules += _checked_anyway(path)
    return found | ({"rules": rules} if rules else {})


def _check(name: str, value: Any, where: str) -> None:
    """Refuse an entry of the wrong kind."""
    kinds: dict[str, tuple[Callable[[Any], bool], str]] = {
        "rules": (lambda v: isinstance(v, list) and all(isinstance(r, str) for r in v), "a list of texts"),
        "directions": (lambda v: isinstance(v, dict), 'shares by direction, such as {"yes → no" = 0}'),
        "directions-under": (lambda v: isinstance(v, dict), 'shares by direction, such as {"yes → no" = 0}'),
        "labels": (lambda v: isinstance(v, dict), 'labels of the candidate by name, such as {"1" = "bad"}'),
        "within": (lambda v: isinstance(v, str | list), "an expression, a file, or possible"),
        "values": (lambda v: isinstance(v, str), "common, skip or error"),
        **dict.fromkeys((*FILES, "under"), (lambda v: isinstance(v, str), "the name of a file")),
        **dict.fromkeys(("changed", "changed-under", "room"), (_is_number, 'a share such as "0.1%"')),
    }
    fits, expected = kinds[name]
    if not fits(value):
        raise FormatError(f"{where}: {name}: expected {expected}, found {value!r}")


def _is_number(value: Any) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _checked_anyway(path: Path) -> list[Written]:
    """The rules of [tool.oddly.check], which hold of every model of the project."""
    if path.name != "pyproject.toml":
        return []
    table: Any = tomllib.loads(read_text(path))
    for name in ("tool", "oddly", "check"):
        table = table.get(name) if isinstance(table, dict) else None
    return list(read_rules(path).rules) if isinstance(table, dict) else []


def _beside(path: Path, name: str) -> str:
    """A file's name as seen from the file that has it; a link such as example:pregnancy stays as it is."""
    return name if name.startswith("example:") else str(path.parent / name)


def _append(path: str | Path, text: str) -> None:
    """Add to a file: what other steps of a pipeline wrote before stays."""
    before = Path(path).read_bytes() if os.path.exists(path) else b""
    save(before + text.encode(), Path(path))
