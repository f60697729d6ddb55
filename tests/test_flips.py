# SPDX-License-Identifier: Apache-2.0
"""How far may a number move, if a few decisions may change?  Against plain enumeration of moved models, and real ones compared."""

import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import oddly
import oracle
from oddly.cli import main
from oddly.distribution.measure import measure_of
from oddly.questions.allowed.flips import by_grid, prepare
from oddly.questions.allowed.flips.answer import AllowedFlips, AllowedZoneFlips, share_of
from oddly.questions.allowed.flips.by_grid import MovesOnGrid
from oddly.questions.allowed.flips.by_instances import MovesByInstance
from strategies import classifiers, naive_bayes

FIGURE_1 = oddly.examples.pregnancy()
DATA = Path(__file__).parents[2] / "shared" / "data" / "uci"
A_LITTLE = Fraction(1, 10**9)
BUDGETS = st.sampled_from(["0", "0.001", "1/20", "1/5", "1/2", "1"]).map(Fraction)


@pytest.fixture(autouse=True)
def _coarse(monkeypatch, request):
    """A grid of few cells: bounds must hold on any."""
    if "learned_models" not in request.node.name:
        monkeypatch.setattr(by_grid, "CELLS", 1 << 9)
        monkeypatch.setattr(by_grid, "LEAST_CELLS", 1 << 9)
        monkeypatch.setattr(by_grid, "KNOTS", 1 << 8)


def weighed(model, under):
    """Every instance with its share of all, by the definition of the distribution."""
    found = oracle.instances(model)
    if under == "uniform":
        return found, [Fraction(1, len(found))] * len(found)
    masses = [sum(model.masses(np.array([model.codes(i)], np.intp))[0]) for i in found]
    return found, [Fraction(int(m), int(sum(masses))) for m in masses]


class Enumerated:
    """What moving a number changes, by deciding every instance again."""

    def __init__(self, model, under, impossible="negative"):
        self.model, self.impossible = model, impossible
        self.instances, self.masses = weighed(model, under)
        self.now = [oracle.decides(model, i, impossible) for i in self.instances]
        self.numbers = {number.path: number for number in model.numbers()}

    def share(self, path, to):
        if path[0] == "weight":
            then = [self._weighed_anew(i, path, to, now) for i, now in zip(self.instances, self.now, strict=True)]
        else:
            moved = self.numbers[path].becomes(to)
            then = [oracle.decides(moved, i, self.impossible) for i in self.instances]
        return sum((m for m, a, b in zip(self.masses, self.now, then, strict=True) if a != b), Fraction(0))

    def _weighed_anew(self, instance, path, factor, now):
        """The decision once the odds of a value are multiplied by a factor."""
        posterior = self.model.posterior(instance)
        if instance[path[1]] != path[2] or posterior is None or 0 in posterior or self.model.certain:
            return now
        yes, no = self.model.sides(posterior)
        margin = yes * factor * (1 - self.model.threshold) - no * self.model.threshold
        return margin > 0 or (margin == 0 and self.model.ties == "positive")


@st.composite
def asked(draw, engine=MovesByInstance):
    """A model, a way to move its numbers, one of them, and the oracle."""
    model = draw(classifiers())
    assume(math.prod(len(v.values) for v in model.variables) <= 150)
    assume(engine is MovesByInstance or model.variables)
    impossible = draw(st.sampled_from(["negative", "positive"]))
    under = draw(st.sampled_from(["model", "uniform"])) if model.probabilistic else "uniform"
    odd = oddly.compile(model, impossible=impossible)
    measure = measure_of(odd, under)
    assume(measure.mass)
    moves = engine(odd, odd.source, measure)
    assume(moves.paths)
    path = draw(st.sampled_from(moves.paths))
    return moves, path, Enumerated(model, under, impossible)


@st.composite
def targets(draw, moves, path):
    """Where a number may go: anywhere, to its ends, and to where something changes."""
    lever = moves.lever(path)
    if lever.unit == "probability":
        parts = draw(st.sampled_from(["0", "1", "1/1000", "1/7", "1/3", "1/2", "2/3", "0.9", "0.9999"]))
        return Fraction(parts) * lever.high
    if lever.unit == "log-odds":
        return Fraction(draw(st.sampled_from(["1/1000", "1/9", "1/2", "2/3", "1", "3/2", "2", "9", "1000"])))
    scale = max([abs(n.now) for n in moves.score.model.numbers()] or [Fraction(1)]) or Fraction(1)
    return lever.now + scale * Fraction(draw(st.sampled_from(["-3", "-1", "-1/3", "0", "1/2", "1", "2", "7"])))


def possible(lever, to):
    """Whether a number can be there."""
    low, high = lever.low, lever.high
    if (low is not None and to < low) or (high is not None and to > high):
        return False
    return lever.closed or to not in (low, high)


class TestAgainstEnumeration:
    @settings(max_examples=150, deadline=None)
    @given(asked(), st.data())
    def test_a_share_is_that_of_the_instances_a_moved_model_decides_otherwise(self, found, data):
        moves, path, truth = found
        to = data.draw(targets(moves, path))
        assert moves.share(path, to) == (truth.share(path, to),) * 2

    @settings(max_examples=150, deadline=None)
    @given(asked(MovesOnGrid), st.data())
    def test_bounds_on_a_grid_hold_the_share(self, found, data):
        moves, path, truth = found
        to = data.draw(targets(moves, path))
        least, most = moves.share(path, to)
        assert least <= truth.share(path, to) <= most, (path, to)

    @settings(max_examples=100, deadline=None)
    @given(asked(), BUDGETS)
    def test_an_exact_end_is_the_last_within_the_budget(self, found, budget):
        moves, path, truth = found
        lever = moves.lever(path)
        for reach, outward in zip(moves.reaches(path, budget), (-1, 1), strict=True):
            if reach.at in (math.inf, -math.inf):
                continue
            step = A_LITTLE * (abs(reach.at - lever.now) or 1) * outward
            probes = [(reach.at, reach.included), (reach.at + step, False)]
            if reach.at != lever.now:
                probes.append((reach.at - step, True))
            for to, inside in probes:
                if possible(lever, to):
                    assert (truth.share(path, to) <= budget) == inside, (path, to, reach)

    @settings(max_examples=100, deadline=None)
    @given(asked(MovesOnGrid), BUDGETS)
    def test_what_is_proven_on_a_grid_contains_the_truth(self, found, budget):
        moves, path, truth = found
        lever = moves.lever(path)
        for reach in moves.reaches(path, budget):
            if reach.included and reach.at not in (math.inf, -math.inf):
                assert truth.share(path, reach.at) <= budget, (path, reach)
            beyond = reach.beyond
            if beyond not in (math.inf, -math.inf) and (lever.closed or beyond not in (lever.low, lever.high)):
                assert truth.share(path, beyond) > budget, (path, reach)
            if reach.free and not lever.closed:
                far = Fraction(10**60) * (1 if reach.at == math.inf else -1)
                if lever.unit == "log-odds":
                    far = Fraction(10) ** (60 if reach.at == math.inf else -60)
                assert truth.share(path, lever.now + far if lever.unit == "points" else far) <= budget


def test_a_budget_of_nothing_is_theorem_2_1_where_every_instance_has_mass():
    strict, none = oddly.allowed(FIGURE_1), oddly.allowed(FIGURE_1, flips=0)
    for (path, _, a), (_, _, b) in zip(strict.ranges(), none.ranges(), strict=True):
        if a.below and a.above and path[0] != "log-odds":
            assert (a.exact, a.includes_low, a.includes_high) == (b.exact, b.includes_low, b.includes_high), path


def test_figure_1_for_one_case_in_twenty():
    found = oddly.allowed(FIGURE_1, flips="5%")
    assert isinstance(found, AllowedFlips)
    prior = found.prior.probability
    assert prior.interval() == "[0.451, 0.979)"
    truth = Enumerated(FIGURE_1, "model")
    low, high = prior.exact
    assert truth.share(("prior",), low) <= Fraction(1, 20) < truth.share(("prior",), low - A_LITTLE)
    assert truth.share(("prior",), high - A_LITTLE) <= Fraction(1, 20) < truth.share(("prior",), high)


@given(naive_bayes(), BUDGETS)
@settings(max_examples=50, deadline=None)
def test_a_budget_never_narrows_a_range(model, budget):
    odd = oddly.compile(model)
    assume(measure_of(odd).mass and odd.variables)
    strict = oddly.allowed(odd)
    wide = oddly.allowed(odd, flips=budget)
    known = {path: number for path, _, number in wide.ranges()}
    for path, _, number in strict.ranges():
        if number is not None:
            assert known[path].low <= number.low <= number.now <= number.high <= known[path].high


def test_mass_that_sits_exactly_on_the_threshold_is_told_apart():
    """Weights of a third and minus a third: no grid has them, and half of all cases are ties."""
    third = [oddly.Points(f"a{i}", ["-", "+"], ["-1/3", "1/3"]) for i in range(14)]
    odd = oddly.compile(oddly.Scorecard(third, cutoff=0))
    moves = MovesOnGrid(odd, odd.source, measure_of(odd))
    ties = Fraction(math.comb(14, 7), 1 << 14)
    least, most = moves.share(("cutoff",), Fraction("0.1"))
    assert least <= ties <= most < ties + Fraction(1, 10**6)
    least, most = moves.share(("cutoff",), Fraction("-0.1"))
    assert most < Fraction(1, 10**6)


class TestOtherModels:
    @pytest.mark.parametrize("ties", ["positive", "negative"])
    def test_rows_of_data_are_cases_as_they_are(self, ties):
        model = FIGURE_1.replace(ties=ties)
        rows = [{"U": "+ve", "B": "+ve", "S": "-ve"}] * 3 + [{"U": "-ve", "B": "+ve", "S": "-ve"}]
        found = oddly.allowed(model, flips="0.5", under=rows)
        assert found.under == "the rows"
        assert found.share(("prior",), "0.5") == (Fraction(3, 4),) * 2
        low = found.prior.probability.exact[0]
        assert oddly.allowed(model).prior.probability.exact[0] == low  # the case that blocks it is three of four rows

    def test_many_classes_are_compared_at_the_ends(self):
        points = [
            oddly.Tally("sky", ["clear", "grey"], [[2, 0, 0], [0, 1, 1]]),
            oddly.Tally("wind", ["no", "yes"], [[1, 1, 0], [0, 0, 2]]),
        ]
        board = oddly.Scoreboard(points, ["sun", "rain", "snow"])
        found = oddly.allowed(board, flips="1/4", under="uniform")
        assert isinstance(found, AllowedZoneFlips)
        numbers = {number.path: number for number in board.numbers()}
        now = oddly.compile(board)
        for path, _, number in found.ranges():
            for to, inside in (
                (number.exact[0], True),
                (number.exact[1], True),
                (number.outer_low, False),
                (number.outer_high, False),
            ):
                if not math.isinf(to):
                    moved = oddly.compare(now, numbers[path].becomes(to))
                    assert (moved.count <= 1) == inside, (path, to)

    def test_a_network_with_hidden_variables_is_compared_at_the_ends(self):
        model = hidden_power()
        found = oddly.allowed(model, flips="1/50")
        check_by_comparison(model, found, [path for path, *_ in found.ranges()][:8])

    def test_a_population_that_is_a_network(self):
        found = oddly.allowed(FIGURE_1, flips="1/20", under=FIGURE_1.as_network)
        exactly = oddly.allowed(FIGURE_1, flips="1/20")
        assert found.weights == {}
        for path, _, number in found.ranges():
            truth = next(n for p, _, n in exactly.ranges() if p == path)
            assert truth.low <= number.low <= number.high <= truth.high
            assert number.outer_low <= truth.low
            assert truth.high <= number.outer_high

    def test_too_many_entries_are_left_out_and_said_to_be(self, monkeypatch):
        monkeypatch.setattr(prepare, "MOST_COMPARED", 1000)
        found = oddly.allowed(hidden_power(), flips="1%")
        assert "moved models" in found.entries_unknown
        assert found.prior is not None
        assert not any(n for rows in found.entries.values() for row in rows.values() for n in row.values())


def hidden_power():
    network = oddly.Network(
        [
            oddly.Node("fault", ["yes", "no"], [], [["0.1", "0.9"]]),
            oddly.Node("power", ["low", "ok"], ["fault"], [["0.8", "0.2"], ["0.05", "0.95"]]),
            oddly.Node("fan", ["off", "on"], ["power"], [["0.7", "0.3"], ["0.02", "0.98"]]),
            oddly.Node("lamp", ["off", "on"], ["power"], [["0.6", "0.4"], ["0.1", "0.9"]]),
        ]
    )
    return network.classifier("fault", "yes", attributes=["fan", "lamp"])


def check_by_comparison(model, found, paths):
    """Models moved to both ends of ranges, compiled and compared: no more than the budget inside, and more outside."""
    numbers = {number.path: number for number in model.numbers()}
    odd = oddly.compile(model)
    ranges = {path: number for path, _, number in found.ranges()}
    budget = float(found.flips)
    for path in paths:
        number = ranges[path]
        if number is None or path not in numbers:
            continue
        for to, inside in (*((x, True) for x in number.exact), (number.outer_low, False), (number.outer_high, False)):
            if not math.isinf(to) and (not inside or to in number):
                share = oddly.compare(odd, numbers[path].becomes(to)).probability("a")
                assert share <= budget * (1 + 1e-9) if inside else share > budget * (1 - 1e-9), (path, to, share)


@pytest.mark.parametrize(("name", "options"), [("votes", {"missing": "value"}), ("credit-g", {"bins": "mdl"})])
def test_learned_models_moved_to_the_ends_change_what_was_said(name, options):
    file = DATA / f"{name}.csv"
    if not file.exists():
        pytest.skip("no data")
    model = oddly.learn(file, target="class", **options)
    found = oddly.allowed(model, flips="0.1%")
    paths = [
        path for path, _, number in found.ranges() if number is not None and path[0] in ("prior", "threshold", "entry")
    ]
    check_by_comparison(model, found, [*paths[:2], *paths[2::23]])
    assert found.prior.probability.high - found.prior.probability.low > 1e-3
    strict = oddly.allowed(model)
    assert "one case in a thousand" in strict.sentence()
    assert strict.thousandth.probability.interval() == found.prior.probability.interval()


class TestCommandLine:
    def test_the_flips_option_says_what_python_says(self, capsys):
        assert main(["allow", "example:pregnancy", "--flips", "5%", "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
        assert told == json.loads(json.dumps(oddly.allowed(FIGURE_1, flips="0.05").to_json()))
        assert told["flips"] == "0.05"

    def test_it_prints_ranges_and_shares(self, capsys):
        assert main(["allow", "example:pregnancy", "--flips", "1/20", "--under", "uniform"]) == 0
        out = capsys.readouterr().out
        assert "at most 5% of cases under the uniform distribution" in out
        assert "What share of cases changes, at most" in out

    @pytest.mark.parametrize("wrong", ["2", "-1%", "a lot", ""])
    def test_a_share_that_is_none_is_refused(self, wrong, capsys):
        assert main(["allow", "example:pregnancy", f"--flips={wrong}"]) == 2
        assert "flips" in capsys.readouterr().err

    def test_a_distribution_without_a_budget_is_refused(self, capsys):
        assert main(["allow", "example:pregnancy", "--under", "uniform"]) == 2
        assert "--flips" in capsys.readouterr().err
        with pytest.raises(oddly.ModelError, match="without flips"):
            oddly.allowed(FIGURE_1, under="uniform")

    def test_a_limit_stops_it_with_a_word(self):
        with pytest.raises(oddly.TooLarge, match="Try"):
            oddly.allowed(oddly.examples.tic_tac_toe(), flips="0.1%", seconds=1e-9)


def test_shares_are_read_as_people_write_them():
    assert share_of(0.5) == share_of("50%") == share_of(" 50 % ") == Fraction(1, 2)


def test_a_combination_has_no_numbers():
    odd = oddly.compile(FIGURE_1)
    with pytest.raises(oddly.Unsupported, match="no numbers"):
        oddly.allowed(odd & odd, flips="1%")
    with pytest.raises(oddly.Unsupported, match="no numbers"):
        prepare.prepare(odd & odd)


def test_every_curve_goes_up_on_both_sides_and_holds_the_truth():
    found, truth = oddly.allowed(FIGURE_1, flips="1%"), Enumerated(FIGURE_1, "model")
    for drift in found.steepest():
        left, right = drift.most[drift.by <= 0], drift.most[drift.by >= 0]
        assert (np.diff(left) <= 0).all()
        assert (np.diff(right) >= 0).all()
    drift = found.drift(("prior",))
    for to, least, most in zip(drift.to[::10].tolist(), drift.least[::10], drift.most[::10], strict=True):
        share = float(truth.share(("prior",), Fraction(to)))
        assert least - 1e-12 <= share <= most + 1e-12
