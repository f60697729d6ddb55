# SPDX-License-Identifier: Apache-2.0
"""The pages that are measured stay as they are where the data is not."""

import sys

import pytest

data = pytest.importorskip("benchmarks.data", reason="not run from the project's root")
beyond = pytest.importorskip("benchmarks.beyond")
paper = pytest.importorskip("benchmarks.paper")
run = pytest.importorskip("benchmarks.run")


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """No data, and pages of which a word would be noticed."""
    monkeypatch.setattr(data, "DATA", tmp_path / "data")
    monkeypatch.setattr(sys, "argv", ["benchmark"])
    for module in (beyond, paper, run):
        page = tmp_path / f"{module.PAGE.name}"
        page.write_text(f"measured {beyond.START}{beyond.END}")
        monkeypatch.setattr(module, "PAGE", page)
    return tmp_path


@pytest.mark.parametrize(
    "main", [paper.main, run.main, lambda: beyond.measure(write=True)], ids=["paper", "bench", "beyond"]
)
def test_without_the_data_no_page_changes_and_one_line_says_where_it_goes(main, elsewhere, capsys):
    with pytest.raises(SystemExit) as ended:
        main()
    said = ended.value.code  # a text: the exit code is 1
    assert said.startswith("nothing is written: no ")
    assert said.endswith("data/, where the data goes")
    assert "\n" not in said
    assert capsys.readouterr().out == ""  # before any work
    assert all(page.read_text().startswith("measured ") for page in elsewhere.glob("*.md"))


def test_one_missing_file_is_enough_and_is_named(elsewhere):
    for file in beyond.NEEDED[1:]:
        (data.DATA / file).parent.mkdir(parents=True, exist_ok=True)
        (data.DATA / file).touch()
    with pytest.raises(SystemExit, match=f"no {beyond.NEEDED[0]} in "):
        data.stop_without(beyond.NEEDED)
    (data.DATA / beyond.NEEDED[0]).touch()
    data.stop_without(beyond.NEEDED)
