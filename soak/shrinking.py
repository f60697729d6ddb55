# SPDX-License-Identifier: Apache-2.0
"""A failure made small: the same attack on ever simpler specifications, as long as it fails in the same way."""

from collections.abc import Callable, Iterator
from typing import Any

from soak.specs import Spec, copied


def shrunk(spec: Spec, fails: Callable[[Spec], bool], most: int = 400) -> Spec:
    """The simplest specification met that still fails."""
    tries = 0
    changed = True
    while changed and tries < most:
        changed = False
        for simpler in _simpler(spec):
            tries += 1
            if tries > most:
                break
            if fails(simpler):
                spec, changed = simpler, True
                break
    return spec


def _simpler(spec: Spec) -> Iterator[Spec]:
    """One attribute less, one value less, one number less, one at a time."""
    for i in range(len(spec["attributes"])) if spec["kind"] != "network" else []:
        yield {**copied(spec), "attributes": copied(spec["attributes"][:i] + spec["attributes"][i + 1 :])}
    for i, attribute in enumerate(spec["attributes"]) if spec["kind"] != "network" else []:
        for v in range(len(attribute["values"])) if len(attribute["values"]) > 1 else []:
            yield _without_value(spec, i, v)
    for path, number in _numbers(spec):
        for other in (0, 1) if isinstance(number, int) else ("0", "1"):
            if number != other:
                simpler = copied(spec)
                _set(simpler, path, other)
                yield simpler


def _without_value(spec: Spec, i: int, v: int) -> Spec:
    simpler = copied(spec)
    attribute = simpler["attributes"][i]
    for name in ("values", "points"):
        if name in attribute:
            del attribute[name][v]
    for row in attribute.get("given", []):
        del row[v]
        row[0] = row[0] or int(not any(row))
    return simpler


def _numbers(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Every number below, and where it stands."""
    if isinstance(value, dict):
        for name, v in value.items():
            if name in ("prior", "given", "points", "intercept", "cutoff", "rows", "attributes", "nodes"):
                yield from _numbers(v, (*path, name))
    elif isinstance(value, list):
        for i, v in enumerate(value):
            yield from _numbers(v, (*path, i))
    elif isinstance(value, int) or (isinstance(value, str) and value.lstrip("-").isdigit()):
        yield path, value


def _set(spec: Spec, path: tuple[Any, ...], number: Any) -> None:
    at: Any = spec
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = number
