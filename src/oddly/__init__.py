# SPDX-License-Identifier: Apache-2.0
"""Oddly: ask a classifier about every possible input at once, exactly.

import oddly
odd = oddly.compile(oddly.examples.pregnancy())
odd.count("yes"), odd.instances
"""

import ast
from importlib import import_module
from pathlib import Path
from typing import Any


def _homes() -> dict[str, str]:
    """Where each public name is, as the stub beside this file says it to type checkers."""
    stub = ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    found = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: str(node.module) for node in found for alias in node.names}


HOMES = _homes()
ROOMS = ("draw", "examples", "export", "plots", "rules")  # modules that are public as they are
__all__ = sorted(HOMES)


def __getattr__(name: str) -> Any:
    """What a program asks for is imported when it does, because importing everything takes a while."""
    if name in ROOMS:
        return import_module(f"{HOMES[name]}.{name}")
    if name in HOMES:
        return getattr(import_module(HOMES[name]), name)
    if name == "__version__":
        from importlib.metadata import PackageNotFoundError, version

        try:
            return version("oddly")
        except PackageNotFoundError:  # run from a source tree that was never installed
            return "0+unknown"
    raise AttributeError(f"module 'oddly' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
