# SPDX-License-Identifier: Apache-2.0
"""The compiled kernels: what the stub promises is what was built, and no argument can lead them astray."""

import ast
from pathlib import Path

import numpy as np
import pytest

from oddly import native
from oddly.runtime import Watch

pytestmark = pytest.mark.skipif(not native.AVAILABLE, reason="the kernels are not built")

STUB = Path(native.__file__).with_name("_kernels.pyi")


def promised():
    """The stub's functions: the names of their parameters, and how many have a default."""
    functions = [node for node in ast.parse(STUB.read_text()).body if isinstance(node, ast.FunctionDef)]
    return {f.name: ([a.arg for a in f.args.args], len(f.args.defaults)) for f in functions}


def built():
    """The same of the compiled module; overloads must agree."""
    found = {}
    for name in dir(native.kernels):
        function = getattr(native.kernels, name)
        if not hasattr(function, "__nb_signature__"):
            continue
        shapes = set()
        for text, *_ in function.__nb_signature__:
            plain = text.replace("\\", "__default__").split("->")[0] + ": ..."
            inside = plain[plain.index("(") + 1 : plain.rindex(")")]
            parameters = [p for p in _split(inside) if p.strip() not in ("/", "*")]
            names = tuple(p.split(":")[0].strip() for p in parameters)
            shapes.add((names, sum("__default__" in p for p in parameters)))
        assert len(shapes) == 1, f"the overloads of {name} differ"
        names, defaults = shapes.pop()
        found[name] = (list(names), defaults)
    return found


def _split(text):
    """Split at commas that are not inside brackets."""
    depth, start, parts = 0, 0, []
    for i, c in enumerate(text):
        depth += (c in "[(") - (c in "])")
        if c == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return [*parts, text[start:]] if text.strip() else []


def test_the_stub_promises_what_was_built():
    assert promised() == built()


def test_results_have_the_promised_types():
    start, weights = native.halves([0]), native.halves([-2, 2, -1, 1])
    levels = native.kernels.build(start, weights, [2, 2], False, Watch(2))
    assert [(level.dtype, level.shape) for level in levels] == [(np.uint32, (1, 2)), (np.uint32, (2, 2))]
    assert native.kernels.widths(start, weights, [2, 2], True, 0, 1, Watch(2)) == [1, 2]
    finite = np.ones(4, np.uint8)
    assert native.kernels.margins(levels, weights, finite, False) == (1, -1)
    assert native.kernels.margins(levels, weights, finite, True) == (1, -1)
    assert native.kernels.all_margins(levels, weights, finite)[0].tolist() == [[1, -1]]
    labels = native.kernels.walk(np.array([[0, 1], [1, 0]]), [0, 1], levels)
    assert (labels.dtype, labels.tolist()) == (np.uint8, [0, 1])


def test_whole_numbers_travel_as_halves():
    assert native.halves([0, -1, 1 << 64]).tolist() == [[0, 0], [2**64 - 1, 2**64 - 1], [0, 1]]


def test_too_few_numbers_are_refused():
    with pytest.raises(ValueError, match="fewer numbers"):
        native.kernels.build(native.halves([0]), native.halves([1]), [2, 2], False, Watch(2))


def test_arguments_of_the_wrong_type_are_refused():
    with pytest.raises(TypeError):
        native.kernels.walk(np.zeros((1, 2)), [0, 1], [])
