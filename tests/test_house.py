# SPDX-License-Identifier: Apache-2.0
"""The house: rooms know only the rooms before them, the public names are complete, importing is light."""

import ast
import inspect
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import oddly
from oddly.cli import COMMANDS

SOURCE = Path(oddly.__file__).parent
MAY_KNOW = {
    "errors": "",
    "native": "",
    "runtime": "errors",
    "model": "errors runtime",
    "formats": "errors model",
    "learning": "errors runtime model formats",
    "adapters": "errors model learning",
    "examples": "errors model learning",
    "lowering": "errors runtime model",
    "diagram": "errors native runtime model formats learning lowering",  # rows are coded as in learning; files hold models
    "engine": "errors native runtime model lowering diagram",
    "compiler": "errors native runtime model formats adapters examples lowering diagram engine",
    "sklearn": "errors model learning adapters diagram compiler",
    "answers": "errors model",
    "algebra": "errors runtime model formats lowering diagram engine compiler answers",
    "distribution": "errors runtime model formats learning lowering diagram engine compiler answers algebra",
    "questions": "errors runtime model formats learning lowering diagram engine compiler answers algebra distribution",
    "export": "errors runtime model formats learning lowering diagram compiler",
    "draw": "errors runtime model formats lowering diagram answers distribution",
    "plots": "errors diagram engine compiler answers questions draw",
    "reporting": "errors native runtime model formats diagram compiler answers algebra questions draw",
    "studio": "errors runtime model formats examples lowering diagram compiler answers algebra distribution questions draw "
    "reporting",
    "cli": "errors native runtime model formats learning lowering diagram engine compiler answers algebra distribution "
    "questions export draw reporting studio",
    "__main__": "cli",
}
"""Every room, after those it may import: a pair that is not here is not allowed."""
AGAINST_THE_LINE = {
    ("compiler.py", "distribution"),
    ("diagram/odd.py", "draw"),
    ("diagram/odd.py", "export"),
    ("model/classifier.py", "export"),
}
"""An error is weighed, and a picture and SQL are asked of a diagram or a model, by later rooms: see CONTRIBUTING.md."""
QUESTIONS_MAY_KNOW = {
    "added_rows": "compare",  # what rows change is the difference of two models
    "batch": "explain change",  # asks them of many cases
    "change": "explain",  # the diagram of an instance's own decision
    "check": "compare",  # `agrees with` is a comparison
    "gate": "allowed check compare",  # its terms are theirs
    "regimes": "allowed sums",  # a regime is a range of the same units; where sums lie
    "rounding": "compare",  # what rounding changes is the difference of two models
    "scorecard": "compare",  # a card is held against its model
}


def room_of(path):
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported(path):
    """The modules of the house that a file imports, as parts of their names after `oddly`."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "oddly":
            parts = node.module.split(".")[1:]
            yield from [[*parts, alias.name] for alias in node.names]
        if isinstance(node, ast.Import):
            yield from (a.name.split(".")[1:] for a in node.names if a.name.startswith("oddly."))


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda p: str(p.relative_to(SOURCE)))
def test_a_room_imports_only_rooms_it_may_know(path):
    here = room_of(path)
    if here == "__init__":
        return
    for room in {parts[0] for parts in imported(path)} - {here}:
        if room == "__version__" and here == "cli":
            continue
        known = room in MAY_KNOW[here].split() or (path.relative_to(SOURCE).as_posix(), room) in AGAINST_THE_LINE
        assert known, f"{here} imports {room}"


def test_rooms_stand_in_a_line_and_none_may_know_what_it_does_not_use():
    rooms = list(MAY_KNOW)
    for here, known in MAY_KNOW.items():
        assert all(rooms.index(room) < rooms.index(here) for room in known.split()), here
        paths = [path for path in SOURCE.rglob("*.py") if room_of(path) == here]
        used = {parts[0] for path in paths for parts in imported(path)}
        assert set(known.split()) <= used, here


def test_a_question_imports_only_questions_it_may_know():
    found = {}
    for path in (SOURCE / "questions").rglob("*.py"):
        here = path.relative_to(SOURCE / "questions").parts[0].removesuffix(".py")
        others = {parts[1] for parts in imported(path) if parts[0] == "questions"} - {here}
        found.setdefault(here, set()).update(others)
    assert {here: others for here, others in found.items() if others} == {
        here: set(others.split()) for here, others in QUESTIONS_MAY_KNOW.items()
    }


SHARED_NAMES = {
    "Limits": "the options of every command, made into the limits of one run",
    "Step": "parts of two answers, each a step there; the published schema has their names",
    "Contribution": "parts of two answers, each a contribution there; the published schema has their names",
}


def test_no_class_name_stands_for_two_things():
    classes = Counter(
        node.name.lstrip("_")
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ClassDef)
    )
    assert {name for name, times in classes.items() if times > 1} == set(SHARED_NAMES)


CONTRIBUTING = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text()


def section(title):
    return CONTRIBUTING.split(f"## {title}\n")[1].split("\n## ")[0]


def test_the_picture_names_every_room():
    named = set(re.findall(r"^\| ((?:`[^`]+`,? ?)+) \|", section("The rooms"), re.MULTILINE))
    rooms = {name.strip("/").removesuffix(".py") for cell in named for name in re.findall(r"`([^`]+)`", cell)}
    assert rooms == set(MAY_KNOW) - {"__main__"}


def test_the_table_of_functions_is_complete_and_true():
    rows = [[cell.strip(" `") for cell in line.split("|")[1:-1]] for line in section("Who answers what").splitlines()]
    rows = [row for row in rows if len(row) == 4][2:]
    functions = {name for name in oddly.__all__ if inspect.isfunction(getattr(oddly, name))}
    assert {row[0] for row in rows} - {""} == functions
    assert {command for row in rows for command in re.findall(r"\w+", row[1])} == set(COMMANDS)
    for function, _, module, page in rows:
        path = SOURCE / module
        assert path.exists(), module
        assert (Path(__file__).parents[1] / "docs" / page).exists(), page
        home = oddly.HOMES[function].split(".")[1:] if function else []
        assert not home or SOURCE.joinpath(*home) in (path.with_suffix(""), *path.parents), function


def test_every_stop_of_the_walk_exists():
    stops = re.findall(r"^\d+\. `([\w./]+)`: `(\w+)`", section("One question, from door to door"), re.MULTILINE)
    assert 5 < len(stops) <= 10
    for path, name in stops:
        tree = ast.parse((SOURCE / path).read_text())
        assert name in {getattr(node, "name", None) for node in ast.walk(tree)}, f"{path} has no {name}"


KINDS = {"NaiveBayes", "Scorecard", "Scoreboard", "NetworkClassifier"}
# Where a kind itself is meant: what a format has a place for, a shortcut that one kind allows, what an estimator's own
# sums are compared with, and what a page offers to choose.
ASKED = {
    "adapters/sklearn_model.py": 3,
    "distribution/measure.py": 1,
    "engine/plan.py": 1,
    "examples.py": 1,
    "formats/files.py": 1,
    "studio/opening.py": 2,
}


def test_a_model_answers_for_itself_instead_of_being_asked_which_kind_it_is():
    found = Counter()
    for path in SOURCE.rglob("*.py"):
        calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
        asked = [call.args[1] for call in calls if getattr(call.func, "id", "") == "isinstance"]
        names = [{name.id for name in ast.walk(kinds) if isinstance(name, ast.Name)} for kinds in asked]
        found[path.relative_to(SOURCE).as_posix()] += sum(bool(KINDS & some) for some in names)
    assert +found == ASKED


def test_every_file_says_what_it_is_for():
    for path in SOURCE.rglob("*.py"):
        text = path.read_text()
        assert text.startswith("# SPDX-License-Identifier: Apache-2.0\n"), path
        assert ast.get_docstring(ast.parse(text)), path


def test_public_names_are_complete_and_documented():
    for name in oddly.__all__:
        assert getattr(oddly, name).__doc__, name
    assert len(oddly.__all__) == len(set(oddly.__all__))
    assert oddly.__version__[0].isdigit()


def test_importing_oddly_imports_numpy_and_nothing_else():
    heavy = [
        "starlette",
        "uvicorn",
        "matplotlib",
        "lark",
        "defusedxml",
        "narwhals",
        "joblib",
        "opt_einsum",
        "rich",
        "cyclopts",
        "pandas",
        "polars",
        "sklearn",
        "scipy",
        "pgmpy",
    ]
    code = f"import oddly, sys; print([m for m in {heavy} if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_everything_works_without_the_kernels():
    """As on a machine without a compiler: one sentence, and the same answers."""
    code = (
        "import sys; sys.modules['oddly.native._kernels'] = None\n"
        "import oddly\n"
        "odd = oddly.compile(oddly.examples.tic_tac_toe())\n"
        "odd = oddly.compile(oddly.examples.tic_tac_toe())\n"
        "print(odd.size, odd.count('positive'), odd.certificate.proven, len(odd.intervals()))\n"
        "print(odd.classify([{name: 'x' for name in odd.order}])[0])\n"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["67", "15591", "True", "9", "positive"]
    assert found.stderr.count("NumPy engine") == 1


def test_no_source_file_is_longer_than_one_reads_in_one_go():
    kinds = {".py", ".pyi", ".hpp", ".cpp", ".css", ".js", ".html", ".lark"}
    files = [path for path in SOURCE.rglob("*") if path.suffix in kinds]
    lengths = {str(path.relative_to(SOURCE)): len(path.read_text(encoding="utf-8").splitlines()) for path in files}
    assert {name: lines for name, lines in lengths.items() if lines > 300} == {}
