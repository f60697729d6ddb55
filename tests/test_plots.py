# SPDX-License-Identifier: Apache-2.0
"""Plots show the numbers of the answers: what is plotted is compared with what was answered, not with pixels."""

import sys

import pytest

import oddly
from oddly.engine.order import BestOf, search

pytest.importorskip("matplotlib")
from matplotlib.figure import Figure

from oddly import plots


@pytest.fixture(scope="module")
def pregnancy():
    return oddly.compile(oddly.examples.pregnancy(), order=["U", "B", "S"])


@pytest.fixture(scope="module")
def tic_tac_toe():
    return oddly.compile(oddly.examples.tic_tac_toe())


@pytest.fixture(scope="module")
def card():
    points = [
        oddly.Points("income", ["low", "mid", "high"], [0, "1.5", 3]),
        oddly.Points("$job$", ["no", "yes"], [0, 2]),
    ]
    return oddly.Scorecard(points, cutoff=3)


def labels(ticks):
    return [tick.get_text() for tick in ticks]


# ---- the sweep ----


def sizes_at(model, priors):
    """How many instances are positive at some priors, each compiled anew."""
    return [oddly.compile(model.replace(prior=[str(p), str(1 - p)])).count("yes") for p in priors]


def stairs(ax):
    """The step function that is plotted, as a function."""
    values, edges, _ = ax.patches[0].get_data()
    assert len(edges) == len(values) + 1
    return lambda x: next(v for v, low, high in zip(values, edges, edges[1:], strict=False) if low <= x < high)


def test_the_sweep_of_the_prior_is_that_of_models_compiled_at_many_priors(pregnancy):
    ax = plots.sweep(pregnancy)
    priors = [1 / 32 + i / 16 for i in range(16)]
    assert [stairs(ax)(p) for p in priors] == sizes_at(pregnancy.source.model, priors)


def test_the_sweep_of_the_threshold_is_that_of_models_compiled_at_many_thresholds(pregnancy):
    ax = plots.sweep(pregnancy, "threshold")
    for threshold in (1 / 32 + i / 16 for i in range(16)):
        model = pregnancy.source.model.replace(threshold=str(threshold))
        assert stairs(ax)(threshold) == oddly.compile(model).count("yes")


@pytest.mark.parametrize("number", ["prior", "threshold"])
def test_the_sweep_shows_where_the_number_is_and_may_be(pregnancy, card, number):
    for thing in (pregnancy, oddly.compile(card)):
        ax = plots.sweep(thing, number)
        answer = oddly.allowed(thing)
        room = getattr(answer, number)
        room = room.probability or room
        span = next(p for p in ax.patches if p.get_label() == "no decision changes")
        left, right = ax.get_xlim()
        assert (span.get_x(), span.get_x() + span.get_width()) == pytest.approx(
            (max(room.low, left), min(room.high, right))
        )
        (point,) = (line for line in ax.lines if line.get_marker() == "o")
        assert (point.get_xdata()[0], point.get_ydata()[0]) == (room.now, thing.count("yes"))


def test_a_sweep_needs_a_sum_of_weights(pregnancy):
    with pytest.raises(oddly.Unsupported):
        plots.sweep(pregnancy ^ pregnancy)
    with pytest.raises(oddly.Unsupported, match="of the prior or the threshold"):
        plots.sweep(pregnancy, "weights")


# ---- ranges ----


def test_every_weight_has_its_range_and_its_place_now(pregnancy, card):
    for thing in (pregnancy, oddly.compile(card)):
        answer = oddly.allowed(thing)
        ax = plots.ranges(answer)
        numbers = [answer.prior, *(r for by_value in answer.weights.values() for r in by_value.values())]
        left, right = ax.get_xlim()
        shown = [(p.get_x(), p.get_x() + p.get_width()) for p in ax.patches]
        assert shown == [pytest.approx((max(r.low, left), min(r.high, right))) for r in numbers]
        (now,) = (line for line in ax.lines if len(line.get_xdata()) == len(numbers))
        assert now.get_xdata().tolist() == [r.now for r in numbers]
        arrows = [line for line in ax.lines if line.get_marker() in "<>"]
        assert len(arrows) == sum((r.low == float("-inf")) + (r.high == float("inf")) for r in numbers)
        assert labels(ax.get_yticklabels())[1] in ("weight of U=+ve", "points of income=low")
        assert ax.get_xlabel() == answer.unit


def test_ranges_of_many_classes_and_of_networks_are_plotted_too():
    board = oddly.Scoreboard([oddly.Tally("sky", ["clear", "grey"], [[2, 0, 1], [0, 2, 1]])], ["sun", "rain", "snow"])
    assert labels(plots.ranges(board).get_yticklabels())[:4] == [
        *(f"intercept of {label}" for label in ("sun", "rain", "snow")),
        "points of sky=clear for sun",
    ]


# ---- sizes ----


def test_widths_stand_below_their_bound(pregnancy, tic_tac_toe):
    for odd in (pregnancy, tic_tac_toe, pregnancy ^ pregnancy):
        ax = plots.widths(odd)
        assert [p.get_height() for p in ax.patches] == odd.widths
        bounds = odd.bounds
        assert ax.lines[0].get_ydata().tolist() == bounds
        assert sum(bounds) == odd.bound
        assert all(w <= b for w, b in zip(odd.widths, bounds, strict=True))
        assert labels(ax.get_xticklabels()) == [*odd.order, "decided"]


def test_the_bound_of_other_classifiers_adds_up_too():
    board = oddly.Scoreboard(
        [oddly.Tally(f"a{i}", ["x", "y"], [[2, 0, i], [0, 2, 1]]) for i in range(6)], ["r", "g", "b"]
    )
    odd = oddly.compile(board)
    assert sum(odd.bounds) == odd.bound


def test_sizes_over_orders_are_those_of_the_search(tic_tac_toe):
    ax = plots.orders(tic_tac_toe, 20, seed=3)
    tried = search(tic_tac_toe.source, BestOf(20, 3))
    assert sum(p.get_height() for p in ax.patches) == 20
    named = {t.name: t.size for t in tried if not t.name.startswith("random:")}
    shown = dict(line.get_label().split(": ") for line in ax.lines)
    assert shown == {**{name: str(size) for name, size in named.items()}, "this one": str(tic_tac_toe.size)}
    for bar in ax.patches:
        inside = [
            t.size
            for t in tried
            if t.name not in named and bar.get_x() <= t.size < bar.get_x() + bar.get_width() + 1e-9
        ]
        assert len(inside) >= bar.get_height()
    with pytest.raises(oddly.Unsupported):
        plots.orders(tic_tac_toe ^ tic_tac_toe)


# ---- changes ----


def test_rounding_is_plotted_digit_by_digit(tic_tac_toe):
    answer = oddly.rounding(tic_tac_toe.source.model)
    ax = plots.rounding(answer)
    for line, steps in zip(ax.lines, (answer.probabilities, answer.weights), strict=True):
        assert line.get_xdata().tolist() == [s.digits for s in steps]
        assert line.get_ydata().tolist() == [s.count / s.instances for s in steps]
    assert [line.get_label() for line in ax.lines] == ["probabilities", "weights"]


def test_a_scorecard_rounds_its_points(card):
    (line,) = plots.rounding(card).lines
    assert line.get_label() == "points"


def test_robustness_is_plotted_for_all_instances_and_for_the_population(tic_tac_toe):
    from oddly.questions.robustness import robustness

    answer = robustness(tic_tac_toe)
    ax = plots.robustness(answer)
    many = len(answer.histogram)
    heights = [p.get_height() for p in ax.patches]
    assert heights[:many] == [s.count / answer.instances for s in answer.histogram]
    assert heights[many:] == pytest.approx([float(s.probability) for s in answer.histogram])
    assert labels(ax.get_xticklabels()) == [str(s.changes) for s in answer.histogram]
    assert labels(plots.robustness(oddly.Scorecard([], cutoff=1)).get_xticklabels()) == ["never"]


def test_the_curve_of_small_points_is_that_of_the_answer(pregnancy):
    pytest.importorskip("scipy")
    curve = oddly.scorecard(pregnancy).curve()
    for ax in (plots.scorecard(curve), plots.scorecard(pregnancy)):
        counts, chances = ax.lines
        assert counts.get_xdata().tolist() == [b.largest for b in curve]
        assert counts.get_ydata().tolist() == [b.count / b.instances for b in curve]
        assert chances.get_ydata().tolist() == [b.probability for b in curve]


# ---- axes ----


def test_plots_go_into_the_axes_given_and_leave_pyplot_alone(pregnancy):
    ax = Figure().subplots()
    assert plots.widths(pregnancy, ax=ax) is ax
    assert plots.sweep(pregnancy).figure is not ax.figure
    pyplot = sys.modules.get("matplotlib.pyplot")
    assert pyplot is None or not pyplot.get_fignums()


def test_names_are_only_names(card, tmp_path):
    ax = plots.ranges(card)
    assert labels(ax.get_yticklabels())[-1] == r"points of \$job\$=yes"
    ax.figure.savefig(tmp_path / "a.png")


def test_without_matplotlib_a_plot_says_what_to_install(pregnancy, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(oddly.Unsupported, match=r"pip install 'oddly\[plots\]'"):
        plots.widths(pregnancy)


# ---- what moving a number changes ----


def test_the_drift_is_the_share_that_models_with_a_moved_prior_decide_otherwise(pregnancy):
    ax = plots.drift(pregnancy, "5%")
    (line,) = [line for line in ax.lines if line.get_label() == "Pr(P=yes)"]
    for by, share in list(zip(line.get_xdata(), line.get_ydata(), strict=True))[::20]:
        odds = 87 / 13 * 2.718281828459045**by
        moved = pregnancy.source.model.replace(prior=[odds / (1 + odds), 1 - odds / (1 + odds)])
        assert share == pytest.approx(oddly.compare(pregnancy, moved).probability("a"), abs=1e-9)
    assert ax.get_yscale() == "log"
    assert "5% of cases" in labels(ax.get_legend().get_texts())


def test_the_drift_of_points_and_of_an_answer_that_is_there(card):
    found = oddly.allowed(card, flips="1/4", under="uniform")
    ax = plots.drift(found)
    assert ax.get_xlabel() == "move of the number, in points"
    assert r"points of \$job\$=yes" in [line.get_label() for line in ax.lines]
