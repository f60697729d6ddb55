# SPDX-License-Identifier: Apache-2.0
"""What was done on the page, as a Python program and as commands.

Told is what the page shows now: the models, how they were changed, and the questions that were asked of them. Commands
work on files, so a model that was changed by hand is saved first.
"""

import csv
import io
import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from oddly.answers.lettering import visible

Json = Mapping[str, Any]
_TWINS = "# two different models have the same name here: say of each where it is"


def script(asked: Json) -> dict[str, str]:
    """Both, of what a page says it did.

    >>> print(script({"models": [{"name": "pregnancy", "origin": "example", "edits": [[["prior"], "0.6"]]}],
    ...               "steps": [{"ask": "why", "instance": {"U": "+ve", "B": "-ve", "S": "-ve"}}]})["python"])
    import oddly
    from oddly.studio import edited
    <BLANKLINE>
    model = oddly.examples.pregnancy()
    original = model
    model = edited(model, [(["prior"], "0.6")])
    print(oddly.explain(model, {"U": "+ve", "B": "-ve", "S": "-ve"}))
    print(oddly.change(model, {"U": "+ve", "B": "-ve", "S": "-ve"}, k=3))
    """
    models, steps = list(asked["models"]), list(asked.get("steps") or [])
    return {"python": _python(models, steps), "commands": _commands(models, steps)}


# ---- Python ----


def _python(models: Sequence[Json], steps: Sequence[Json]) -> str:
    lines = ["import oddly"]
    if any(model["origin"] == "example" and model.get("choice") for model in models):
        lines.append("from oddly.formats import chosen")
    if any(model.get("edits") for model in models):
        lines.append("from oddly.studio import edited")
    lines.append("")
    if len({str(model.get("id")) for model in models}) > 1 and len({_source(model) for model in models}) == 1:
        lines.append(_TWINS)
    for name, model in zip(("model", "other"), models, strict=False):
        lines += _opened(name, model)
    for step in steps:
        lines += _asked(step)
    return "\n".join(lines)


def _opened(variable: str, model: Json) -> Iterator[str]:
    keywords = list(_keywords(model.get("choice")))
    if model["origin"] == "example":
        made = f"oddly.examples.{model['name'].replace('-', '_')}()"
        yield f"{variable} = " + (f"chosen({', '.join([made, *keywords])})" if keywords else made)
    elif _is_diagram(model):
        yield f"{variable} = oddly.load({_quoted(model['name'])})"
    else:
        yield f"{variable} = oddly.read({', '.join([_quoted(model['name']), *keywords])})"
    if model.get("edits"):
        if variable == "model":
            yield "original = model"
        edits = ", ".join(f"({_literal(path)}, {_quoted(to)})" for path, to in model["edits"])
        if _is_diagram(model):
            changed, like = f"edited({variable}.source.model, [{edits}])", f"impossible={variable}.source.impossible"
            yield f"{variable} = oddly.compile({changed}, {like})"
        else:
            yield f"{variable} = edited({variable}, [{edits}])"


def _is_diagram(model: Json) -> bool:
    return model["origin"] != "example" and str(model["name"]).lower().endswith(".odd")


def _keywords(choice: Json | None) -> Iterator[str]:
    if not choice:
        return
    yield f"class_={_quoted(choice['class'])}"
    if choice.get("positive"):
        yield f"positive={_quoted(choice['positive'])}"
    if choice.get("attributes"):
        yield f"attributes={_literal(choice['attributes'])}"


def _asked(step: Json) -> Iterator[str]:
    kind = step["ask"]
    if kind == "why":
        yield f"print(oddly.explain(model, {_literal(step['instance'])}))"
        if step.get("complete", True):
            yield f"print(oddly.change(model, {_literal(step['instance'])}, k=3))"
    elif kind == "numbers":
        yield "print(oddly.allowed(model))"
    elif kind == "flips":
        yield "print(oddly.compare(original, model))"
    elif kind == "differ":
        yield "print(oddly.compare(model, other))"
    elif kind == "check":
        yield f"print(oddly.check(model, {_literal(step['rules'])}))"
    elif kind == "fair":
        label = f", label={_quoted(step['label'])}" if step.get("label") else ""
        yield f"print(oddly.fairness(model, {_literal(step['protected'])}{label}))"


def _literal(value: Any) -> str:
    """A list or mapping of texts, in Python's own notation with double quotes."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_quoted(k)}: {_quoted(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_quoted, value)) + "]"
    return _quoted(value)


def _quoted(text: object) -> str:
    r"""A text as a Python literal; JSON's notation is Python's where all can be printed.

    >>> print(_quoted('say "é"'), _quoted("a\n\U0001f600"))
    "say \"é\"" 'a\n\U0001f600'
    """
    return json.dumps(str(text), ensure_ascii=False) if str(text).isprintable() else ascii(str(text))


# ---- commands ----


def _commands(models: Sequence[Json], steps: Sequence[Json]) -> str:
    names = [_file(model) for model in models]
    lines = [
        f"# {visible(file)} is {visible(str(model['name']))} as changed here: “Save the model” writes it"
        for file, model in zip(names, models, strict=True)
        if model.get("edits")
    ]
    if len(set(names)) < len({json.dumps([model.get("id"), model.get("edits") or []]) for model in models}):
        lines.append(_TWINS)
    options = [[] if model.get("edits") else _options(model.get("choice")) for model in models]
    for step in steps:
        lines += _command(step, models, names, options)
    return "\n".join(lines)


def _command(step: Json, models: Sequence[Json], names: Sequence[str], options: Sequence[list[str]]) -> Iterator[str]:
    kind, first = step["ask"], names[0]
    features = [f"{k}={v}" for k, v in step.get("instance", {}).items()]
    if kind == "why":
        yield _line("explain", first, *features, *options[0])
        if step.get("complete", True):
            yield _line("change", first, *features, "--k", "3", *options[0])
    elif kind == "numbers":
        yield _line("allow", first, *options[0])
    elif kind == "flips":
        yield _line("diff", _source(models[0]), first, *_options(models[0].get("choice")))
    elif kind == "differ":
        yield from _diff(names, options)
    elif kind == "check":
        yield _line("check", first, *(f"--rule={rule}" for rule in step["rules"]), *options[0])
    elif kind == "fair":
        label = [f"--label={step['label']}"] if step.get("label") else []
        yield _line("fair", first, *(f"--protected={name}" for name in step["protected"]), *label, *options[0])


def _diff(names: Sequence[str], options: Sequence[list[str]]) -> Iterator[str]:
    if options[0] == options[1]:
        yield _line("diff", *names, *options[0])
        return
    compiled = [_stem(name) + ".odd" for name in names]
    if compiled[0] == compiled[1]:
        compiled[1] = _stem(names[1]) + "-2.odd"
    for file, chosen, odd in zip(names, options, compiled, strict=True):  # two choices, and one command takes one
        if chosen:
            yield _line("compile", file, *chosen, "-o", odd)
    yield _line("diff", *(odd if chosen else f for f, chosen, odd in zip(names, options, compiled, strict=True)))


def _source(model: Json) -> str:
    name = str(model["name"])
    if model["origin"] == "example":
        return f"example:{name}"
    return f"./{name}" if name.startswith(("-", "example:")) else name  # or it would be read as something else


def _file(model: Json) -> str:
    """Where the model is read from: its own file, or the one it is saved to."""
    name = str(model["name"])
    return saved_name(f"./{name}" if name.startswith("-") else name) if model.get("edits") else _source(model)


def saved_name(name: str) -> str:
    """What a changed model is saved as.

    >>> saved_name("clinic.bif"), saved_name("pregnancy")
    ('clinic-changed.json', 'pregnancy-changed.json')
    """
    return f"{_stem(name)}-changed.json"


def _stem(name: str) -> str:
    stem, dot, _ = name.rpartition(".")
    return stem if dot and stem else name


def _options(choice: Json | None) -> list[str]:
    if not choice:
        return []
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(choice.get("attributes") or [])
    found = [f"--class={choice['class']}"]
    found += [f"--positive={choice['positive']}"] if choice.get("positive") else []
    return [*found, f"--attributes={line.getvalue()}"] if choice.get("attributes") else found


def _line(*words: str) -> str:
    return shlex.join(["oddly", *words])
