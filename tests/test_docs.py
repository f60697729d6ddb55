# SPDX-License-Identifier: Apache-2.0
"""What the documents show is what happens."""

import doctest
import json
import re
from pathlib import Path

import pytest

from oddly import native
from oddly.cli import COMMANDS
from oddly.formats import model_from_json

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def test_the_python_session_of_the_readme_runs_as_shown():
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=OPTIONS)
    for i, text in enumerate(blocks("python")):
        runner.run(parser.get_doctest(text, {}, f"README {i}", "README.md", 0))
    assert runner.summarize(verbose=False).failed == 0
    assert runner.tries > 4


def test_the_models_of_the_readme_read():
    for text in blocks("json"):
        assert model_from_json(text).attributes
        json.loads(text)


def test_every_command_of_the_readme_exists_and_every_command_is_there():
    assert set(re.findall(r"oddly (\w+) ", README)) - {"adds"} >= set(COMMANDS) - {"demo"}
    assert set(re.findall(r"`oddly (\w+)", README)) <= set(COMMANDS)


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "docs/paper.md", "docs/benchmarks.md"])
def test_links_lead_somewhere(page):
    path = ROOT / page
    for target in re.findall(r'\]\(([^)#:]+)\)|src="([^":]+)"', path.read_text()):
        assert (path.parent / (target[0] or target[1])).exists(), target


def test_the_sentence_about_a_missing_compiler_says_what_to_do():
    assert "install a C++20 compiler" in native.WHY_NOT
