# SPDX-License-Identifier: Apache-2.0
"""What a release is made of: every place says the same version and the same dependencies."""

import re
import tomllib
from pathlib import Path

import pytest

import oddly

yaml = pytest.importorskip("yaml", reason="workflows and recipe are read with PyYAML")
ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_every_place_says_the_same_version():
    assert PROJECT["version"] == oddly.__version__
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"] == PROJECT["version"]
    assert yaml.safe_load((ROOT / "conda" / "recipe.yaml").read_text())["package"]["version"] == PROJECT["version"]
    assert f"## {PROJECT['version']}" in (ROOT / "CHANGELOG.md").read_text()


def test_the_recipe_needs_what_the_project_needs():
    run = yaml.safe_load((ROOT / "conda" / "recipe.yaml").read_text())["requirements"]["run"]
    wanted = [re.sub(r"^([\w-]+)(?=[<>=])", r"\1 ", need) for need in PROJECT["dependencies"]]
    assert run == ["python", *wanted]


@pytest.mark.parametrize("file", sorted(p.name for p in (ROOT / ".github" / "workflows").iterdir()))
def test_a_workflow_can_be_read_and_has_steps(file):
    found = yaml.safe_load((ROOT / ".github" / "workflows" / file).read_text())
    assert all(job["steps"] for job in found["jobs"].values())
    for job in found["jobs"].values():
        for step in job["steps"]:
            if "run" in step and step["run"].startswith(("make ", ".ci/")):
                target = step["run"].split()[-1]
                assert (ROOT / target).exists() or f"\n{target}:" in (ROOT / "Makefile").read_text()


def test_an_archive_holds_what_it_takes_to_build():
    left_out = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["scikit-build"]["sdist"]["exclude"]
    assert not {"src", "CMakeLists.txt", "LICENSE", "README.md"} & set(left_out)
