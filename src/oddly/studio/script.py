# SPDX-License-Identifier: Apache-2.0
"""What was done on the page, as a Python program and as commands.

Told is what the page shows now: the models, how they were changed, and the questions that were asked of them. Commands
work on files, so a model that was changed by hand is saved first.
"""

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from oddly.answers.lettering import visible
from oddly.formats.text import comma_text

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
    told = [pair for step in steps for pair in _asked(step, models)]
    calls = [f"print(oddly.{call})" for call, _ in told]
    commands = [shlex.join(["oddly", *words]) for _, lines in told for words in lines]
    return {"python": "\n".join([*_python(models), *calls]), "commands": "\n".join([*_commands(models), *commands])}


def _asked(step: Json, models: Sequence[Json]) -> Iterator[tuple[str, list[list[str]]]]:
    """A question as calls, and each as the commands that ask the same."""
    kind, first, options = step["ask"], _file(models[0]), _options(models[0])
    if kind == "why":
        instance, features = _literal(step["instance"]), [f"{k}={v}" for k, v in step["instance"].items()]
        yield f"explain(model, {instance})", [["explain", first, *features, *options]]
        if step.get("complete", True):
            yield f"change(model, {instance}, k=3)", [["change", first, *features, "--k", "3", *options]]
    elif kind == "numbers":
        yield "allowed(model)", [["allow", first, *options]]
    elif kind == "flips":
        yield "compare(original, model)", [["diff", _source(models[0]), first, *_choice_options(models[0])]]
    elif kind == "differ":
        yield "compare(model, other)", list(_diff(models))
    elif kind == "check":
        rules = [f"--rule={rule}" for rule in step["rules"]]
        yield f"check(model, {_literal(step['rules'])})", [["check", first, *rules, *options]]
    elif kind == "fair":
        protected = [f"--protected={name}" for name in step["protected"]]
        label, chosen = (
            (f", label={_quoted(step['label'])}", [f"--label={step['label']}"]) if step.get("label") else ("", [])
        )
        yield f"fairness(model, {_literal(step['protected'])}{label})", [["fair", first, *protected, *chosen, *options]]


# ---- Python ----


def _python(models: Sequence[Json]) -> list[str]:
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
    return lines


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


def _commands(models: Sequence[Json]) -> list[str]:
    """What is to be known before the commands."""
    names = [_file(model) for model in models]
    lines = [
        f"# {visible(file)} is {visible(str(model['name']))} as changed here: “Save the model” writes it"
        for file, model in zip(names, models, strict=True)
        if model.get("edits")
    ]
    if len(set(names)) < len({json.dumps([model.get("id"), model.get("edits") or []]) for model in models}):
        lines.append(_TWINS)
    return lines


def _diff(models: Sequence[Json]) -> Iterator[list[str]]:
    names, options = [_file(model) for model in models], [_options(model) for model in models]
    if options[0] == options[1]:
        yield ["diff", *names, *options[0]]
        return
    compiled = [_stem(name) + ".odd" for name in names]
    if compiled[0] == compiled[1]:
        compiled[1] = _stem(names[1]) + "-2.odd"
    for file, chosen, odd in zip(names, options, compiled, strict=True):  # two choices, and one command takes one
        if chosen:
            yield ["compile", file, *chosen, "-o", odd]
    yield ["diff", *(odd if chosen else f for f, chosen, odd in zip(names, options, compiled, strict=True))]


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


def _options(model: Json) -> list[str]:
    """What a network decides, where the file that is read does not say so itself."""
    return [] if model.get("edits") else _choice_options(model)


def _choice_options(model: Json) -> list[str]:
    choice = model.get("choice") or {}
    found = [f"--class={choice['class']}"] if choice else []
    found += [f"--positive={choice['positive']}"] if choice.get("positive") else []
    return [*found, f"--attributes={comma_text(choice['attributes'])}"] if choice.get("attributes") else found
