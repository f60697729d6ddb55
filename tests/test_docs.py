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


PAGES = sorted(p.relative_to(ROOT).as_posix() for p in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])


def blocks(language, text=README):
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


@pytest.mark.parametrize("page", PAGES)
def test_the_python_sessions_of_a_page_run_as_shown(page):
    """One session a page: what a block defines, the next one may use."""
    session = "\n".join(blocks("python", (ROOT / page).read_text()))
    runner = doctest.DocTestRunner(optionflags=OPTIONS)
    runner.run(doctest.DocTestParser().get_doctest(session, {}, page, page, 0))
    assert runner.summarize(verbose=False).failed == 0
    assert runner.tries > 4 or page not in ("README.md", "docs/allowed.md", "docs/compare.md")


def test_the_models_of_the_readme_read():
    for text in blocks("json"):
        assert model_from_json(text).attributes
        json.loads(text)


def test_every_command_of_the_readme_exists_and_every_command_is_there():
    assert set(re.findall(r"oddly (\w+) ", README)) >= set(COMMANDS) - {"demo"}
    assert set(re.findall(r"`oddly (\w+)", README)) <= set(COMMANDS)


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    path = ROOT / page
    for target in re.findall(r'\]\(([^)#:]+)\)|src="([^":]+)"', path.read_text()):
        assert (path.parent / (target[0] or target[1])).exists(), target


def test_the_sentence_about_a_missing_compiler_says_what_to_do():
    assert "install a C++20 compiler" in native.WHY_NOT
