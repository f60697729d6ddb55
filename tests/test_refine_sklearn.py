# SPDX-License-Identifier: Apache-2.0
"""Two scikit-learn classifiers fitted on two halves of a table: against what both predict of raw numbers and labels."""

import itertools

import numpy as np
import pytest

import oddly

pd = pytest.importorskip("pandas")
pytest.importorskip("sklearn", minversion="1.6")

from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.naive_bayes import BernoulliNB, CategoricalNB  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import KBinsDiscretizer  # noqa: E402

from oddly.sklearn import OddlyClassifier  # noqa: E402

LABELS = ["gold", "red", "blue", "green"]


@pytest.fixture(params=range(3))
def table(request):
    """Three columns of numbers, one of them of whole ones with many ties, and who is said yes to."""
    random = np.random.default_rng(request.param)
    age, sum_, many = random.integers(20, 70, 240), random.lognormal(7, 1, 240).round(2), random.poisson(2, 240)
    y = np.where(age / 20 - np.log(sum_) / 2 + many / 2 + random.normal(0, 1, 240) > 0.2, "yes", "no")
    return pd.DataFrame({"age": age.astype(float), "sum": sum_, "many": many.astype(float)}), y


def halves(table, make):
    rows, y = table
    return [make().fit(rows.iloc[i::2], y[i::2]) for i in (0, 1)]


def at_and_between(cuts):
    """Numbers at all cuts, between them, and beyond."""
    marks = sorted(set(map(float, cuts))) or [0.0]
    between = [(a + b) / 2 for a, b in itertools.pairwise(marks)]
    return sorted([*marks, *between, marks[0] - 1, marks[-1] + 1])


def apart(inputs, told):
    """The first of each run of inputs that nobody tells apart."""
    return [next(run)[1] for _, run in itertools.groupby(zip(told, inputs, strict=True), key=lambda pair: pair[0])]


def grid(columns):
    return pd.DataFrame(list(itertools.product(*columns.values())), columns=list(columns))


def counted(pair, inputs):
    one, two = (classifier.predict(inputs).tolist() for classifier in pair)
    return one, two, sum(x != y for x, y in zip(one, two, strict=True))


def agree(difference, pair, inputs, rows):
    """The counts over cells, the decisions of raw inputs and the share of rows are those of the two predictions."""
    raw, cells = inputs
    one, two, count = counted(pair, cells)
    assert (difference.unit, difference.instances, difference.count) == ("cell", len(cells), count)
    assert difference.directions["no → yes"] == list(zip(one, two, strict=True)).count(("no", "yes"))
    for met in (raw, rows):
        one, two, differing = counted(pair, met)
        assert difference.decisions(met) == list(zip(one, two, strict=True))
        assert difference.probability(met) == pytest.approx(differing / len(met))


@pytest.mark.parametrize("strategy", ["quantile", "uniform", "kmeans"])
@pytest.mark.parametrize(
    ("encode", "last"), [("onehot-dense", LogisticRegression), ("onehot", BernoulliNB), ("ordinal", CategoricalNB)]
)
@pytest.mark.filterwarnings("ignore:Bins whose width", "ignore:The current default behavior, quantile_method")
def test_pipelines_that_bin_differently_differ_where_their_predictions_do(table, encode, last, strategy):
    def make():
        more = {"min_categories": 4} if last is CategoricalNB else {}
        return make_pipeline(KBinsDiscretizer(4, encode=encode, strategy=strategy), last(**more))

    pair = halves(table, make)
    edges = [classifier[0].bin_edges_ for classifier in pair]
    raw, cells = {}, {}
    for i, name in enumerate(table[0]):
        inner = [side[i][1:-1] for side in edges]
        raw[name] = at_and_between(np.concatenate(inner))
        told = [tuple(int(np.searchsorted(cuts, x, side="right")) for cuts in inner) for x in raw[name]]
        cells[name] = apart(raw[name], told)
    agree(oddly.compare(*pair), pair, (grid(raw), grid(cells)), table[0])


@pytest.mark.parametrize("structure", ["naive", "tan"])
def test_classifiers_that_cut_differently_differ_where_their_predictions_do(table, structure):
    pair = halves(table, lambda: OddlyClassifier(structure=structure, bins="frequency:3"))
    raw, cells = {}, {}
    for name in table[0]:
        own = [{v.name: v for v in classifier.model_.variables}[name] for classifier in pair]
        raw[name] = at_and_between([c for v in own for c in v.bins.cuts])
        told = [
            tuple(int(np.searchsorted([float(c) for c in v.bins.cuts], x, side="right")) for v in own)
            for x in raw[name]
        ]
        cells[name] = apart(raw[name], told)
    agree(oddly.compare(*pair), pair, (grid(raw), grid(cells)), table[0])


def test_a_label_that_one_half_has_not_seen_is_skipped_as_its_prediction_skips_it(table):
    rows, y = table
    colour = np.array(LABELS)[np.arange(len(y)) // 2 % 3]
    colour[::40] = "green"  # in the first half only
    rows = rows.assign(colour=colour)
    pair = halves((rows, y), OddlyClassifier)
    assert [sum("green" in v.values for v in classifier.model_.variables) for classifier in pair] == [1, 0]
    skipped, common = oddly.compare(*pair, values="skip"), oddly.compare(*pair)
    one, two, differing = counted(pair, rows)
    assert skipped.decisions(rows) == list(zip(one, two, strict=True))
    assert skipped.probability(rows) == pytest.approx(differing / len(rows))
    met = [None if c == "green" else ends for c, *ends in zip(colour, one, two, strict=True)]
    assert [ends and list(ends) for ends in common.decisions(rows)] == met
    assert common.left_out_share(rows).low == pytest.approx(np.mean(colour == "green"))
