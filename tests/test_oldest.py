# SPDX-License-Identifier: Apache-2.0
"""Every package that pyproject.toml asks for has a lower bound, and `tools/oldest.py` makes a constraint of each."""

import importlib.util
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TOOL = ROOT / "tools" / "oldest.py"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
EXTRAS = PROJECT["project"]["optional-dependencies"]
ASKED = {
    "the build": PROJECT["build-system"]["requires"],
    "the package": PROJECT["project"]["dependencies"],
    **EXTRAS,
}


@pytest.fixture(scope="module")
def oldest():
    spec = importlib.util.spec_from_file_location("oldest", TOOL)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.oldest


@pytest.mark.parametrize("part", ASKED)
def test_every_dependency_has_a_lower_bound_and_a_constraint(part):
    printed = subprocess.run([sys.executable, TOOL], capture_output=True, text=True, check=True).stdout
    constraints = set(printed.splitlines())
    for requirement in ASKED[part]:
        name, bound = re.sub(r"\[.*?\]", "", requirement).split(">=")  # a constraint names no extras
        assert f"{name.replace('_', '-').lower()}=={bound}" in constraints


def test_the_tests_use_what_the_extras_of_the_package_ask_for():
    """So that the core of the suite, which installs the tests' packages only, tries every extra's oldest version."""
    for extra in ("sklearn", "plots", "scorecard", "tables", "large", "sql"):
        assert set(EXTRAS[extra]) <= set(EXTRAS["test"])


def test_names_are_written_in_one_way_and_what_follows_the_bound_is_left_out(oldest):
    asked = ["Opt_Einsum>=3.4", "a.b[c,d] >= 1.0rc1, <3", "e>=2024.8.6; python_version < '3.13'"]
    assert oldest(asked) == {"opt-einsum": "3.4", "a-b": "1.0rc1", "e": "2024.8.6"}


@pytest.mark.parametrize("requirement", ["numpy", "numpy<3", "numpy==2.0", "numpy>2.0", "numpy~=2.0"])
def test_no_lower_bound_is_a_clear_error(oldest, requirement):
    with pytest.raises(ValueError, match="no lower bound"):
        oldest([requirement])


def test_two_bounds_of_one_package_are_a_clear_error(oldest):
    with pytest.raises(ValueError, match="numpy has two lower bounds, 2.0 and 2.1"):
        oldest(["numpy>=2.0", "NumPy>=2.1"])
