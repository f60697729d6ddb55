#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/answers.schema.json and docs/json.md: `python tools/json_page.py` writes them anew, from types and what commands print."""

import io
import json
import os
import re
import shlex
import tempfile
from collections import Counter
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path

from answers_schema import FILE, IN_PYTHON, schema, text

import oddly
from oddly.cli import COMMANDS, main

DOCS = Path(__file__).parents[1] / "docs"
PARTS = schema()["$defs"]
USES = Counter(re.findall(r'"#/\$defs/([^"]+)"', json.dumps(PARTS)))

HEAD = """\
# Answers as JSON

With `--json` every command prints one JSON object to standard output; notes and progress go to standard error, and the exit
code is the verdict as always. In Python every answer has `to_json()`, which gives the same object.

- Counts of instances, and bounds of Theorems 2.2, 2.4 and 3.2, are decimal texts, exact at any size: `"8"`. Other whole numbers, such as
  counts of nodes, of rows and points, are numbers. Which it is depends on the field alone, never on how large it is.
- Probabilities are numbers. Where a command has `--exact` they are exact texts then, such as `"0.87"` or `"1/3"`.
- A number that is infinite, and whatever does not exist, is `null`.
- A field is always there, unless it says when.

[answers.schema.json](answers.schema.json) is the JSON Schema (2020-12) of all of them: `#/$defs/count` is the object of `oddly count`,
and so on. No object has fields that are not in it; `tests/test_schemas.py` sees to that, and that no field in it is idle. It is
read from the types of the answers.
[model.schema.json](model.schema.json) is the schema of [model files](formats.md).

The examples are what the commands print, with line breaks; … stands for what is left out here. `new.json` is `example:pregnancy` with a
prior of 0.6, and `patients.csv` has five rows, from which `learned.json` was learned:

```
fever,cough,ill
{rows}
```

This page is written by `python tools/json_page.py`.
"""

ROWS = ["yes,yes,yes", "yes,no,no", "no,yes,no", "no,no,no", "yes,yes,no"]

EXAMPLES = {
    "demo": "demo",
    "learn": "learn patients.csv --target ill -o model.json",
    "info": "info example:pregnancy",
    "convert": "convert example:pregnancy pregnancy.net",
    "export": "export example:pregnancy --to sql --dialect duckdb",
    "compile": "compile example:pregnancy",
    "show": "show example:pregnancy",
    "classify": "classify example:pregnancy U=+ve B=-ve S=+ve",
    "count": "count example:pregnancy S=-ve",
    "explain": "explain example:pregnancy U=+ve B=-ve S=+ve",
    "change": "change example:pregnancy U=-ve B=-ve S=-ve",
    "diff": "diff example:pregnancy new.json",
    "allow": "allow example:pregnancy",
    "regimes": "regimes example:pregnancy",
    "round": "round example:pregnancy",
    "rows": "rows learned.json patients.csv",
    "must": "must example:pregnancy yes S=+ve",
    "gate": "gate example:pregnancy example:pregnancy --changed 0.1%",
    "check": 'check example:pregnancy --rule "ignores B"',
    "fair": "fair example:pregnancy --protected B",
    "robust": "robust example:pregnancy --list 1",
    "ask": "ask example:pregnancy U=+ve",
    "importance": "importance example:pregnancy",
    "scorecard": "scorecard example:pregnancy",
    "combine": "combine example:pregnancy xor new.json",
    "report": "report example:pregnancy -o page.html",
    "order": "order example:pregnancy --tries 3 --jobs 1",
    "error": "compile nothing.json",
}

WIDE, DEEPEST, MOST, LONGEST = 110, 3, 6, 90  # letters of a line, levels, entries of a list, letters of a text


def page() -> str:
    """The whole page."""
    lines = [HEAD.replace("{rows}", "\n".join(ROWS))]
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        oddly.write(oddly.examples.pregnancy().replace(prior=["0.6", "0.4"]), "new.json")
        Path("patients.csv").write_text("\n".join(["fever,cough,ill", *ROWS]) + "\n")
        oddly.write(oddly.learn("patients.csv", target="ill"), "learned.json")
        for name in [*COMMANDS, "error"]:
            lines += section(name)
    lines += ["## Parts that several answers share", ""]
    own = {*COMMANDS, "error", *(inside(ref) for name in COMMANDS for ref in PARTS[name].get("anyOf", ()))}
    for name in sorted(name for name in set(PARTS) - own if shared(name)):
        lines += [f"### {PARTS[name]['title']}", "", PARTS[name].get("description", ""), "", *table(name)]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).rstrip() + "\n"


def section(name: str) -> list[str]:
    """A command: its question, an example, its fields."""
    part = PARTS[name]
    lines = [f"## `oddly {name}`" if name in COMMANDS else f"## {part['title']}", "", part["description"]]
    if name in IN_PYTHON:
        lines[-1] += (
            " In Python: " + ", ".join(f"`oddly.{call}(…).to_json()`" for call in IN_PYTHON[name].split(", ")) + "."
        )
    if name in EXAMPLES:
        line = EXAMPLES[name]
        lines += ["", f"`oddly {line} --json`:", "", "```json", shown(printed(line)), "```"]
    lines.append("")
    if "anyOf" not in part:
        return lines + table(name)
    for ref in part["anyOf"]:
        lines += [f"### {PARTS[inside(ref)]['title']}", "", *table(inside(ref))]
    return lines


def printed(line: str) -> dict:
    """What a command prints; times and engines differ between machines, so that they are always told alike."""
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(io.StringIO()):
        code = main([*shlex.split(line), "--json"])
    assert code in range(4), out.getvalue()
    text = re.sub(r'("seconds"): [0-9.e-]+', r"\1: 0.002", out.getvalue())
    return json.loads(re.sub(r'("engine"): "numpy"', r'\1: "native"', text).replace(oddly.__version__, "0.1.0"))


def shown(value: object, depth: int = 0) -> str:
    """JSON in few lines, without what is long or deep."""
    flat = json.dumps(short(value), ensure_ascii=False)
    if len(flat) + depth <= WIDE or not isinstance(value, dict | list):
        return flat
    if depth == DEEPEST:
        return '"…"'
    pad = " " * (depth + 1)
    if isinstance(value, dict):
        entries = [f"{json.dumps(k, ensure_ascii=False)}: {shown(v, depth + 1)}" for k, v in value.items()]
        return "{\n" + ",\n".join(pad + entry for entry in entries) + "\n" + " " * depth + "}"
    entries = [shown(v, depth + 1) for v in value[:2]] + ['"…"'] * (len(value) > 2)
    return "[\n" + ",\n".join(pad + entry for entry in entries) + "\n" + " " * depth + "]"


def short(value: object) -> object:
    if isinstance(value, str):
        return value if len(value) <= LONGEST else value[:LONGEST] + "…"
    if isinstance(value, dict):
        return {name: short(part) for name, part in value.items()}
    if isinstance(value, list):
        return [short(part) for part in value[:MOST]] + ["…"] * (len(value) > MOST)
    return value


# ---- what the schema says ----


def table(name: str) -> list[str]:
    """The fields of an object; of what is none, nothing."""
    rows = list(fields(PARTS[name], ""))
    if not rows:
        return []
    return [
        "| field | type | what it is |",
        "|---|---|---|",
        *(f"| `{field}` | {kind} | {told} |" for field, kind, told in rows),
        "",
    ]


def fields(part: dict, path: str):
    """A line for every field, those of fields too."""
    for name, field in part.get("properties", {}).items():
        absent = "" if name in part["required"] else " (not always there)"
        yield path + name, kind(field) + absent, field["description"].replace("|", "\\|")
        yield from below(field, path + name)


def below(field: dict, path: str):
    """The fields of an object that has no name of its own."""
    for part in (field, *field.get("anyOf", ())):
        part = part if shared(inside(part)) else PARTS.get(inside(part), part)
        if "properties" in part:
            yield from fields(part, f"{path}.")
        for inner, mark in (("items", "[]"), ("additionalProperties", ".*")):
            if isinstance(part.get(inner), dict):
                yield from below(part[inner], path + mark)


def kind(part: dict) -> str:
    """A type in words."""
    if "$ref" in part:
        return link(part["$ref"]) if shared(inside(part)) else "object"
    if "anyOf" in part:
        return " or ".join(dict.fromkeys(kind(one) for one in part["anyOf"]))
    if "enum" in part or "const" in part:
        return ", ".join(f"`{json.dumps(value)}`" for value in part.get("enum", [part.get("const")]))
    names = part["type"] if isinstance(part["type"], list) else [part["type"]]
    words = {"string": "text", "boolean": "true or false", "integer": "number", "object": "object", "array": "list"}
    told = [words.get(name, name) for name in names]
    if "array" in names and isinstance(part.get("items"), dict):
        told[0] = f"list of {kind(part['items'])}"
    if "object" in names and isinstance(part.get("additionalProperties"), dict):
        told[0] = f"by name: {kind(part['additionalProperties'])}"
    return " or ".join(told)


def link(ref: str) -> str:
    file, _, place = ref.partition("#")
    if file:
        return f"[{'bins' if place else 'a model'}]({file})"
    name = place.rpartition("/")[2]
    title = f"oddly {name}" if name in COMMANDS else PARTS[name]["title"]
    return f"[{title[:1].lower() + title[1:]}](#{re.sub(r'[^a-z0-9 -]', '', title.lower()).replace(' ', '-')})"


def shared(name: str) -> bool:
    """Whether a part has a place of its own on the page: one that stands in a single object is told there."""
    return name in COMMANDS or "properties" not in PARTS.get(name, {}) or USES[name] > 1


def inside(ref: dict) -> str:
    """The name of a part that is referred to."""
    return ref.get("$ref", "").rpartition("/")[2]


if __name__ == "__main__":
    os.environ.setdefault("SOURCE_DATE_EPOCH", "0")
    FILE.write_text(text())
    (DOCS / "json.md").write_text(page())
