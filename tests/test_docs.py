# SPDX-License-Identifier: Apache-2.0
"""What the documents show is what happens."""

import doctest
import importlib
import inspect
import json
import re
from pathlib import Path

import pytest

import oddly
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


def test_the_api_page_has_every_public_name_and_no_other():
    shown = re.findall(r"auto\w+:: oddly\.([\w.]+)", (ROOT / "docs" / "api.md").read_text())
    shown = ["rules" if name == "questions.check.rules" else name for name in shown]
    assert sorted(shown) == sorted([*oddly.__all__, "sklearn.OddlyClassifier"])


@pytest.mark.parametrize("name", oddly.__all__)
def test_a_public_name_says_in_a_line_what_it_is_or_asks(name):
    told = inspect.getdoc(getattr(oddly, name))
    assert re.match(r"[A-Z].*?[.?:](\s|$)", told), told


def test_every_page_of_the_site_is_in_its_contents_once():
    listed = re.findall(r"^```{toctree}\n(.*?)```", (ROOT / "docs" / "index.md").read_text(), re.DOTALL | re.MULTILINE)
    names = [
        line.rpartition("<")[2].rstrip(">") for text in listed for line in text.splitlines() if line and line[0] != ":"
    ]
    assert sorted(names) == sorted(p.stem for p in (ROOT / "docs").glob("*.md") if p.stem != "index")


@pytest.mark.parametrize("page", PAGES)
def test_a_page_has_one_title(page):
    """A second one would be a second entry in the contents of the site."""
    text = re.sub(r"^```.*?^```", "", (ROOT / page).read_text(), flags=re.DOTALL | re.MULTILINE)
    assert len(re.findall(r"^# ", text, re.MULTILINE)) == 1


def test_the_schema_of_answers_and_its_page_are_what_the_types_say(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "tools")
    schema, tool = importlib.import_module("answers_schema"), importlib.import_module("json_page")
    assert schema.text() == schema.FILE.read_text(), "run: python tools/json_page.py"
    page = (ROOT / "docs" / "json.md").read_text()
    assert tool.page() == page, "run: python tools/json_page.py"
    for text in blocks("json", page):
        json.loads(text)


def test_the_sentence_about_a_missing_compiler_says_what_to_do():
    assert "install a C++20 compiler" in native.WHY_NOT
