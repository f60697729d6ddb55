#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pictures of docs/gallery.md: `python tools/gallery.py` draws them anew into docs/gallery. Needs matplotlib."""

import random
from fractions import Fraction
from pathlib import Path

import oddly
from oddly import plots
from oddly.draw import svg
from oddly.draw.curves import Line, curves

FOLDER = Path(__file__).parents[1] / "docs" / "gallery"


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, picture in pictures().items():
        (FOLDER / f"{name}.svg").write_text(picture)
    answers()


def pictures() -> dict[str, str]:
    """The drawings, by name."""
    model = oddly.examples.pregnancy()
    small = oddly.compile(model, order=["U", "B", "S"])
    return {
        "path": svg(small, instance={"U": "+ve", "B": "-ve", "S": "+ve"}),
        "against": svg(small, against=model.replace(prior=["0.6", "0.4"])),
        "labels": svg(oddly.compile(weather())),
        "bands": svg(oddly.compile(tests(13))),
        "drift": drift(),
    }


def drift() -> str:
    """What share of the games changes as numbers move."""
    found = oddly.allowed(oddly.examples.tic_tac_toe(), flips="0.01")
    lines = [Line(d.name, d.by.tolist(), d.most.tolist()) for d in found.steepest()]
    title = "What share of cases changes, at most, if a number moves"
    return curves(lines, title, "move, in log-odds", 0.01, 1e-4)


def weather() -> oddly.Scoreboard:
    """Four decisions."""
    return oddly.Scoreboard(
        [
            oddly.Tally("sky", ["clear", "grey"], [[2, 0, 0, 0], [0, 2, 1, 1]]),
            oddly.Tally("cold", ["yes", "no"], [[0, 0, 3, 0], [1, 0, -3, 0]]),
            oddly.Tally("wind", ["calm", "storm"], [[1, 1, 0, 0], [0, 0, 0, 3]]),
        ],
        ["sun", "rain", "snow", "gale"],
        class_name="day",
    )


def tests(many: int) -> oddly.NaiveBayes:
    """A naive Bayes of three-valued tests, with probabilities drawn at random."""
    chance = random.Random(4)

    def row() -> list[Fraction]:
        counts = [chance.randint(1, 999) for _ in range(3)]
        return [Fraction(n, sum(counts)) for n in counts]

    attributes = [
        oddly.CPT(f"test {i + 1}", ["low", "mid", "high"], {"sick": row(), "well": row()}) for i in range(many)
    ]
    return oddly.NaiveBayes("state", ["sick", "well"], ["0.3", "0.7"], attributes)


def answers() -> None:
    """All plots, on one sheet."""
    import matplotlib
    from matplotlib.figure import Figure

    matplotlib.rcParams["svg.fonttype"] = "none"
    matplotlib.rcParams["svg.hashsalt"] = "oddly"
    sheet = Figure(figsize=(11, 13), layout="constrained")
    axes = sheet.subplots(4, 2).ravel()
    small, boards, some = oddly.examples.pregnancy(), oddly.examples.tic_tac_toe(), tests(6)
    plots.sweep(small, ax=axes[0])
    plots.sweep(small, "threshold", ax=axes[1])
    plots.ranges(small, ax=axes[2])
    plots.widths(boards, ax=axes[3])
    plots.orders(boards, ax=axes[4])
    plots.rounding(some, ax=axes[5])
    plots.robustness(boards, ax=axes[6])
    plots.scorecard(tests(3), ax=axes[7])
    sheet.savefig(FOLDER / "plots.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
