# SPDX-License-Identifier: Apache-2.0
"""scikit-learn classifiers as models: the same decision as the estimator's own `predict`, on every instance."""

from fractions import Fraction
from functools import cache
from itertools import product
from math import lcm

import numpy as np
import pytest

import oddly
from oddly.adapters import from_estimator
from oddly.errors import ModelError, UnknownName, Unsupported
from oddly.model import Scoreboard, Scorecard

pd = pytest.importorskip("pandas")
pytest.importorskip("sklearn")

from sklearn.base import clone  # noqa: E402
from sklearn.compose import ColumnTransformer, make_column_selector, make_column_transformer  # noqa: E402
from sklearn.decomposition import PCA  # noqa: E402
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis  # noqa: E402
from sklearn.ensemble import RandomForestClassifier  # noqa: E402
from sklearn.feature_selection import SelectKBest  # noqa: E402
from sklearn.impute import SimpleImputer  # noqa: E402
from sklearn.linear_model import (  # noqa: E402
    LogisticRegression,
    Perceptron,
    RidgeClassifier,
    SGDClassifier,
)
from sklearn.metrics import fbeta_score, make_scorer  # noqa: E402
from sklearn.model_selection import (  # noqa: E402
    FixedThresholdClassifier,
    GridSearchCV,
    TunedThresholdClassifierCV,
)
from sklearn.naive_bayes import (  # noqa: E402
    BernoulliNB,
    CategoricalNB,
    ComplementNB,
    GaussianNB,
    MultinomialNB,
)
from sklearn.pipeline import FeatureUnion, make_pipeline, make_union  # noqa: E402
from sklearn.preprocessing import (  # noqa: E402
    Binarizer,
    FunctionTransformer,
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    PowerTransformer,
    RobustScaler,
    StandardScaler,
    TargetEncoder,
)
from sklearn.svm import LinearSVC  # noqa: E402

COLOURS = ["blue", "green", "red"]
SIZES = [1, 2, 3, 10]


def table(rows=240, seed=3):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "colour": rng.choice(COLOURS, rows),
            "size": rng.choice(SIZES, rows),
            "age": rng.normal(40, 12, rows).round(1),
            "income": rng.lognormal(3, 1, rows),
        }
    )


def classes(frame, many):
    """Two or three classes that depend on everything, not quite surely."""
    score = (frame["colour"] == "red") * 1.5 + np.log(frame["size"]) + frame["age"] / 30 - np.log(frame["income"]) / 4
    score = score + np.random.default_rng(5).normal(0, 0.4, len(frame))
    return np.digitize(score, np.quantile(score, [0.3, 0.6] if many else [0.45])).astype("U1")


def bins(n=3, encode="onehot"):
    found = KBinsDiscretizer(n, encode=encode)
    if "quantile_method" in found.get_params():  # newer versions ask for it
        found.set_params(quantile_method="averaged_inverted_cdf")
    return found


def one_hot():
    return make_column_transformer((OneHotEncoder(), ["colour", "size"]), (bins(), ["age", "income"]))


def first_dropped():
    return make_pipeline(
        make_column_transformer(
            (OneHotEncoder(drop="first"), ["colour", "size"]),
            (make_pipeline(StandardScaler(), bins(4, "onehot-dense")), ["income", "age"]),
            sparse_threshold=0,
        ),
        MaxAbsScaler(),
    )


def ordinal():
    return make_column_transformer(
        (OrdinalEncoder(), ["size", "colour"]),
        (make_pipeline(RobustScaler(), MinMaxScaler(), bins(5, "ordinal")), [2, 3]),
    )


def nested():
    numbers = make_pipeline(SimpleImputer(), MinMaxScaler((-1, 3)), Binarizer(threshold=0.3))
    texts = make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore"))
    inner = ColumnTransformer([("n", numbers, ["age"]), ("t", texts, make_column_selector(pattern="colour"))])
    return ColumnTransformer(
        [("inner", inner, ["colour", "age"]), ("size", OneHotEncoder(min_frequency=70), ["size"])], remainder="drop"
    )


PIPELINES = [one_hot, first_dropped, ordinal, nested]
ESTIMATORS = [
    LogisticRegression(),
    LinearSVC(),
    RidgeClassifier(),
    SGDClassifier(random_state=0),
    Perceptron(random_state=0),
    LinearDiscriminantAnalysis(),
    BernoulliNB(),
    BernoulliNB(binarize=0.5),
    MultinomialNB(),
    ComplementNB(),
    ComplementNB(norm=True),
    GaussianNB(),
]


def code(variable, raw):
    """The value that a raw cell has, by the model's own description."""
    if variable.bins is not None:
        return len(variable.bins.cuts) + 1 if raw is None or raw != raw else variable.bins.place(float(raw))
    return variable.values.index("?" if raw is None or raw != raw else str(raw))


class Exact:
    """The decisions of a model in whole numbers: its points over their common denominator."""

    def __init__(self, model):
        self.model, self.card = model, isinstance(model, Scorecard)
        base = (model.cutoff, model.intercept) if self.card else model.intercept
        rows = [(0, p) if self.card else p for a in model.attributes for p in a.points]
        scale = lcm(*(Fraction(p).denominator for row in [base, *rows] for p in row))
        self.base = [int(p * scale) for p in base]
        self.tables = [
            [[int(q * scale) for q in ((0, p) if self.card else p)] for p in a.points] for a in model.attributes
        ]

    def decision(self, row):
        """The decision on a row of raw cells, and how near it is, as a part of all the points."""
        codes = [code(v, row[v.name]) for v in self.model.variables]
        points = list(zip(self.base, *(table[c] for table, c in zip(self.tables, codes, strict=True)), strict=True))
        totals = [sum(column) for column in points]
        best = sorted(totals)[-2:]
        near = Fraction(best[1] - best[0], max(sum(map(abs, column)) for column in points) or 1)
        if not self.card:
            return self.model.class_values[totals.index(best[1])], near
        ahead = totals[1] > totals[0] or (totals[1] == totals[0] and self.model.ties == "positive")
        return self.model.labels[ahead], near


def exact_decision(model, row):
    return Exact(model).decision(row)


def assert_agrees(estimator, model, rows):
    """Every row is decided as `predict` decides it; only rows at a tie may differ, by the estimator's rounding."""
    exact = Exact(model)
    for given, row in zip(estimator.predict(rows), rows.to_dict("records"), strict=True):
        decided, distance = exact.decision(row)
        if decided != str(given):
            assert distance < Fraction(1, 10**9), (row, decided, given, float(distance))


def all_rows(numbers=(-1e9, 20, 30, 33.3, 35, 40, 45.5, 50, 60, 1e9)):
    """Every category with numbers on all sides."""
    incomes = [-5.0, 0.0, 5, 12, 20, 31, 55, 400]
    rows = list(product(COLOURS, SIZES, numbers, incomes))
    return pd.DataFrame(rows, columns=["colour", "size", "age", "income"])


@cache
def transformed(pipeline):
    """A pipeline's transformers, fitted once, and what they make of the table."""
    before = pipeline().fit(table())
    return before, before.transform(table())


@pytest.mark.parametrize("many", [False, True], ids=["two", "three"])
@pytest.mark.parametrize("pipeline", PIPELINES, ids=lambda p: p.__name__)
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_every_estimator_behind_every_pipeline_is_its_model(estimator, pipeline, many):
    before, features = transformed(pipeline)
    fitted = make_pipeline(before, clone(estimator).fit(features, classes(table(), many)))
    model = from_estimator(fitted)
    assert isinstance(model, Scoreboard if many else Scorecard)
    assert_agrees(fitted, model, pd.concat([all_rows().sample(90, random_state=0), table()[:30]]))


@pytest.mark.parametrize("pipeline", PIPELINES, ids=lambda p: p.__name__)
def test_the_diagram_of_a_pipeline_decides_as_the_pipeline(pipeline):
    frame = table()
    fitted = make_pipeline(pipeline(), LogisticRegression()).fit(frame, classes(frame, False))
    odd, model = oddly.compile(fitted), from_estimator(fitted)
    assert odd.certificate.proven
    rows = all_rows()
    codes = np.array([[code(v, row[v.name]) for v in model.variables] for _, row in rows.iterrows()])
    assert (odd.classify(codes) == fitted.predict(rows)).all()


@pytest.mark.parametrize("many", [False, True], ids=["two", "three"])
def test_categorical_naive_bayes_on_encoded_columns(many):
    frame = table()
    columns = make_column_transformer((OrdinalEncoder(), ["colour", "size"]), (bins(4, "ordinal"), ["age", "income"]))
    fitted = make_pipeline(columns, CategoricalNB()).fit(frame, classes(frame, many))
    assert_agrees(fitted, from_estimator(fitted), all_rows())


@pytest.mark.parametrize("many", [False, True], ids=["two", "three"])
def test_categorical_naive_bayes_on_whole_numbers(many):
    rng = np.random.default_rng(1)
    data = rng.integers(0, [2, 3, 4], (60, 3))
    fitted = CategoricalNB(min_categories=[2, 3, 5]).fit(data, rng.integers(0, 3 if many else 2, 60))
    model = from_estimator(fitted)
    assert [v.values for v in model.variables] == [("0", "1"), ("0", "1", "2"), ("0", "1", "2", "3", "4")]
    rows = pd.DataFrame(list(product(range(2), range(3), range(5))), columns=["x0", "x1", "x2"])
    for given, (_, row) in zip(fitted.predict(rows.to_numpy()), rows.iterrows(), strict=True):
        assert exact_decision(model, row)[0] == str(given)


@pytest.mark.parametrize("many", [False, True], ids=["two", "three"])
@pytest.mark.parametrize(
    "options", [{}, {"alpha": 0, "force_alpha": True}, {"fit_prior": False, "alpha": 0.5}], ids=str
)
def test_counts_give_the_naive_bayes_that_learning_gives(options, many):
    frame = table()[["colour", "size"]].astype(str)
    labels = classes(table(), many)
    fitted = make_pipeline(OrdinalEncoder(), CategoricalNB(**options)).fit(frame, labels)
    model = from_estimator(fitted, counts=True)
    learned = oddly.learn(frame.assign(kind=labels), target="kind", alpha=Fraction(options.get("alpha", 1)))
    if options.get("fit_prior", True):
        assert model.prior == learned.prior
    else:
        assert set(model.prior) == {Fraction(1, 3 if many else 2)}
    for a in model.attributes:
        same = next(b for b in learned.attributes if b.name == a.name)
        for c, row in same.given.items():
            assert dict(zip(same.values, row, strict=True)) == dict(zip(a.values, a.given[c], strict=True))
    assert model.ties == ("positive" if many else "negative")


def test_zeros_are_probabilities_but_no_points():
    data, y = np.array([[0, 0], [1, 0], [1, 1]]), ["a", "b", "b"]
    fitted = CategoricalNB(alpha=0, force_alpha=True).fit(data, y)
    with pytest.raises(Unsupported, match="probability of zero.*counts=True"):
        from_estimator(fitted)
    odd = oddly.compile(from_estimator(fitted, counts=True))
    every = np.array(list(product(range(2), repeat=2)))
    assert odd.classify(every).tolist() == fitted.predict(every).tolist() == ["a", "a", "b", "b"]


def test_counts_of_truth_values():
    rng = np.random.default_rng(6)
    data = pd.DataFrame(rng.integers(0, 2, (40, 3)), columns=["a", "b", "c"])
    y = rng.integers(0, 2, 40)
    model = from_estimator(BernoulliNB().fit(data, y), counts=True, values=None)
    learned = oddly.learn(data.assign(y=y), target="y", alpha=1)
    for a, b in zip(model.attributes, learned.attributes, strict=True):
        assert a.given == b.given
    assert a.values == ("<=0", ">0")


def test_counts_need_a_feature_for_each_column():
    frame = table()
    fitted = make_pipeline(one_hot(), BernoulliNB()).fit(frame, classes(frame, False))
    with pytest.raises(Unsupported, match="column colour becomes 3 features"):
        from_estimator(fitted, counts=True)
    with pytest.raises(Unsupported, match="keep the counts"):
        from_estimator(make_pipeline(one_hot(), ComplementNB()).fit(frame, classes(frame, False)), counts=True)


def test_bernoulli_columns_are_cut_where_the_estimator_cuts():
    rng = np.random.default_rng(2)
    data = rng.normal(size=(50, 3))
    fitted = BernoulliNB(binarize=0.25).fit(data, rng.integers(0, 2, 50))
    model = from_estimator(fitted, columns=["a", "b", "c"])
    assert model.variables[1].values == ("<=0.25", ">0.25")
    edge = [0.25, np.nextafter(0.25, 1), np.nextafter(0.25, 0), -1e300, 1e300]
    rows = pd.DataFrame(list(product(edge, repeat=3)), columns=["a", "b", "c"])
    for given, (_, row) in zip(fitted.predict(rows.to_numpy()), rows.iterrows(), strict=True):
        assert exact_decision(model, row)[0] == str(given)
    plain = from_estimator(BernoulliNB(binarize=None).fit(data > 0, rng.integers(0, 2, 50)))
    assert plain.variables[0].values == ("0", "1")


@pytest.mark.parametrize("estimator", [MultinomialNB(), ComplementNB(), GaussianNB(), LogisticRegression()], ids=str)
@pytest.mark.parametrize("many", [False, True], ids=["two", "three"])
def test_bounded_counts_with_declared_values(estimator, many):
    rng = np.random.default_rng(4)
    words = ["ant", "bee", "cow", "dog"]
    frame = pd.DataFrame(rng.poisson(1, (80, 4)), columns=words)
    fitted = estimator.fit(frame, rng.integers(0, 3 if many else 2, 80))
    model = from_estimator(fitted, values=range(4))
    same = from_estimator(fitted, values={word: range(4) for word in words})
    assert model == same
    assert_agrees(fitted, model, pd.DataFrame(list(product(range(4), repeat=4)), columns=words))


def test_a_number_of_any_size_is_refused_with_what_to_do():
    frame = table()[["age", "income"]]
    fitted = LogisticRegression().fit(frame, frame["age"] > 40)
    with pytest.raises(Unsupported, match="column age: it reaches LogisticRegression as a number of any size.*values="):
        oddly.compile(fitted)


def scaled(name):
    return {
        "standard": StandardScaler(),
        "uncentred": StandardScaler(with_mean=False),
        "minmax": MinMaxScaler((-3, 7)),
        "clipped": MinMaxScaler(clip=True),
        "maxabs": MaxAbsScaler(),
        "robust": RobustScaler(quantile_range=(10, 80)),
        "chain": make_pipeline(StandardScaler(), RobustScaler(), MinMaxScaler()),
    }[name]


@pytest.mark.parametrize("name", ["standard", "uncentred", "minmax", "clipped", "maxabs", "robust", "chain"])
@pytest.mark.parametrize(
    "cutter",
    [bins(6), bins(4).set_params(dtype=np.float32), Binarizer(threshold=0.2)],
    ids=["bins", "bins-32", "binarizer"],
)
def test_cuts_behind_scalers_lie_between_two_neighbouring_floats(name, cutter):
    """The raw float at a cut and the one just below it are treated as the estimator's own transform treats them."""
    frame = table()[["age", "income"]]
    before = make_pipeline(scaled(name), cutter)
    fitted = make_pipeline(before, LogisticRegression(C=100)).fit(frame, frame["age"] + frame["income"] > 60)
    model = from_estimator(fitted)
    for i, variable in enumerate(model.variables):
        seen = []
        for cut in variable.bins.cuts:
            centre = float(cut)
            around = [np.nextafter(centre, -np.inf), centre, np.nextafter(centre, np.inf)]
            rows = pd.DataFrame({"age": [30.0] * 3, "income": [20.0] * 3})
            rows[variable.name] = around
            features = fitted[0].transform(rows)
            features = np.asarray(features.todense() if hasattr(features, "todense") else features)
            placed = [variable.bins.place(x) for x in around]
            alike = [bool((features[k] == features[k + 1]).all()) for k in range(2)]
            assert alike == [placed[k] == placed[k + 1] for k in range(2)]
            assert alike.count(False) == 1
            seen.append(cut)
        assert len(seen) == (1 if isinstance(cutter, Binarizer) else fitted[0][-1].n_bins_[i] - 1)


def test_a_cut_that_no_number_crosses_is_none():
    frame = table()[["age"]]
    fitted = make_pipeline(MinMaxScaler(clip=True), Binarizer(threshold=2), LogisticRegression())
    model = from_estimator(fitted.fit(frame, frame["age"] > 40))
    assert model.variables[0].values == ("any",)


def test_missing_cells_are_a_value_where_the_pipeline_takes_them():
    frame = table()
    frame.loc[::7, "age"] = np.nan
    frame["colour"] = frame["colour"].astype(object)
    frame.loc[::5, "colour"] = np.nan
    y = classes(table(), False)
    fitted = make_pipeline(
        make_column_transformer(
            (OneHotEncoder(), ["colour"]),
            (make_pipeline(SimpleImputer(add_indicator=True), bins(4)), ["age"]),
            (make_pipeline(SimpleImputer(strategy="constant", fill_value=2), OneHotEncoder()), ["size"]),
        ),
        LogisticRegression(),
    ).fit(frame, y)
    model = from_estimator(fitted)
    assert model.variables[0].values == ("blue", "green", "red", "?")
    assert model.variables[1].values == ("1", "2", "3", "10", "?")
    assert model.variables[2].values[-1] == "?"
    ages = [np.nan, 20.0, 40.0, 60.0]
    rows = pd.DataFrame(list(product([*COLOURS, np.nan], [*SIZES, np.nan], ages, [1.0])), columns=list(frame.columns))
    rows["size"] = rows["size"].astype(float)
    shown = rows.assign(size=[s if s != s else int(s) for s in rows["size"]]).astype(object)
    for given, (_, row) in zip(fitted.predict(rows), shown.iterrows(), strict=True):
        row = dict(row) | {"size": row["size"] if row["size"] != row["size"] else int(row["size"])}
        assert exact_decision(model, row)[0] == str(given)


def test_what_a_column_transformer_drops_is_no_attribute():
    frame = table()
    fitted = make_pipeline(make_column_transformer((OneHotEncoder(), ["size"])), BernoulliNB())
    model = from_estimator(fitted.fit(frame, classes(frame, False)))
    assert [v.name for v in model.variables] == ["size"]


def test_passthrough_needs_values_and_gets_them():
    frame = table().assign(owner=np.arange(240) % 3 == 0)
    fitted = make_pipeline(
        make_column_transformer((one_hot(), ["colour", "size", "age", "income"]), remainder="passthrough"),
        LogisticRegression(),
    ).fit(frame, classes(frame, False))
    with pytest.raises(Unsupported, match="column owner"):
        from_estimator(fitted)
    model = from_estimator(fitted, values={"owner": [False, True]})
    rows = pd.concat([all_rows().sample(100, random_state=1).assign(owner=o) for o in (False, True)])
    assert model.variables[-1].values == ("False", "True")
    assert_agrees(fitted, model, rows)


def test_unions_selections_and_searches_are_walked_through():
    frame = table()[["age", "income"]]
    union = make_union(bins(3), make_pipeline(StandardScaler(), bins(5)), Binarizer(threshold=30))
    pipeline = make_pipeline(union, SelectKBest(k=7), LogisticRegression())
    search = GridSearchCV(pipeline, {"logisticregression__C": [0.1, 10]}, cv=2)
    search.fit(frame, frame["age"] + frame["income"] > 60)
    model = from_estimator(search)
    grid = pd.DataFrame(list(product(np.linspace(0, 90, 20), np.linspace(0, 200, 20))), columns=["age", "income"])
    assert_agrees(search, model, grid)


def test_weights_of_a_union_are_the_transformers_own():
    frame = table()[["age", "income"]]
    union = FeatureUnion([("a", bins(3)), ("b", bins(4))], transformer_weights={"a": 10, "b": -0.5})
    fitted = make_pipeline(union, RidgeClassifier()).fit(frame, frame["age"] + frame["income"] > 60)
    grid = pd.DataFrame(list(product(np.linspace(0, 90, 20), np.linspace(0, 200, 20))), columns=["age", "income"])
    assert_agrees(fitted, from_estimator(fitted), grid)


def test_target_encoding_and_power_transforms_of_declared_values():
    frame = table()
    for many in (False, True):
        columns = make_column_transformer((TargetEncoder(), ["colour"]), (PowerTransformer(), ["size"]))
        fitted = make_pipeline(columns, LogisticRegression()).fit(frame, classes(frame, many))
        model = from_estimator(fitted, values={"size": SIZES})
        assert_agrees(fitted, model, all_rows(numbers=[40.0]))


@pytest.mark.parametrize("watched", ["0", "1", None])
@pytest.mark.parametrize("estimator", [LogisticRegression(), GaussianNB(), SGDClassifier("modified_huber")], ids=str)
def test_a_fixed_threshold_on_a_probability(estimator, watched):
    before, features = transformed(ordinal)
    inner = make_pipeline(before, clone(estimator).fit(features, classes(table(), False)))
    rows = all_rows().sample(60, random_state=2)
    for threshold in [0.5, 0.2, 0.93, -1, 1.5, "auto"]:
        fitted = FixedThresholdClassifier(inner, threshold=threshold, pos_label=watched)
        model = from_estimator(fitted)
        assert model.positive == (watched or "1")
        assert model.ties == "positive"
        assert_agrees(fitted, model, rows)


@pytest.mark.parametrize("estimator", [LinearSVC(), RidgeClassifier(), LogisticRegression()], ids=str)
@pytest.mark.parametrize("watched", ["0", "1"])
def test_a_fixed_threshold_on_a_score(estimator, watched):
    frame = table()
    fitted = make_pipeline(
        one_hot(),
        FixedThresholdClassifier(estimator, threshold=0.3, response_method="decision_function", pos_label=watched),
    ).fit(frame, classes(frame, False))
    model = from_estimator(fitted)
    assert model.cutoff == Fraction(0.3)
    assert_agrees(fitted, model, all_rows().sample(150, random_state=2))


def test_a_tuned_threshold():
    frame = table()
    fitted = TunedThresholdClassifierCV(make_pipeline(one_hot(), LogisticRegression()), cv=2, thresholds=10)
    fitted.fit(frame, classes(frame, False) == "1")
    assert_agrees(fitted, from_estimator(fitted), all_rows().sample(200, random_state=2))


@pytest.mark.parametrize("watched", ["0", "1"])
def test_a_tuned_threshold_watches_for_the_class_that_its_score_is_about(watched):
    frame = table()
    scoring = make_scorer(fbeta_score, beta=4, pos_label=watched)
    inner = make_pipeline(one_hot(), LogisticRegression())
    fitted = TunedThresholdClassifierCV(inner, scoring=scoring, cv=2, thresholds=10)
    fitted.fit(frame, classes(frame, False))
    model = from_estimator(fitted)
    assert model.positive == watched
    assert_agrees(fitted, model, all_rows().sample(200, random_state=2))


def test_a_threshold_of_one_is_reached_by_rounding_only():
    frame = table()
    fitted = FixedThresholdClassifier(make_pipeline(one_hot(), LogisticRegression()), threshold=1.0)
    with pytest.raises(Unsupported, match="rounding"):
        from_estimator(fitted.fit(frame, classes(frame, False)))


def test_ties_go_to_the_first_class_as_the_estimator_gives_them():
    """Two features that cancel exactly: the score is zero, in floats too."""
    data = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    fitted = LogisticRegression().fit(data, [0, 1, 0, 1])
    fitted.coef_, fitted.intercept_ = np.array([[-1.0, 1.0]]), np.array([0.0])
    model = from_estimator(fitted, values=[0, 1])
    assert fitted.predict(data).tolist() == [0, 1, 0, 0]
    assert oddly.compile(model).classify(data).tolist() == ["0", "1", "0", "0"]
    assert oddly.compile(model).certificate.ties == 2


@pytest.mark.parametrize("many", [False, True], ids=["two", "three"])
@pytest.mark.parametrize("estimator", [LogisticRegression(), RidgeClassifier(), LinearSVC(), MultinomialNB()], ids=str)
def test_true_ties_are_decided_alike_on_every_instance(estimator, many):
    """With small whole numbers for parameters floats do not round: no instance may differ, and many are ties."""
    rng = np.random.default_rng(8)
    data = pd.DataFrame(list(product("ab", "uvw", "xyz", range(3))), columns=["p", "q", "r", "s"])
    fitted = make_pipeline(OneHotEncoder(), estimator).fit(data, rng.integers(0, 3 if many else 2, len(data)))
    final, tied = fitted[-1], 0
    for _ in range(4):
        for name in ("coef_", "intercept_", "feature_log_prob_", "class_log_prior_"):
            if hasattr(final, name):
                shape = np.shape(getattr(final, name))
                setattr(final, name, rng.integers(-2, 3, shape).astype(float))
        exact = Exact(from_estimator(fitted))
        for given, row in zip(fitted.predict(data), data.to_dict("records"), strict=True):
            decided, distance = exact.decision(row)
            assert decided == str(given)
            tied += distance == 0
    assert tied > 10


def test_sparse_coefficients_are_read():
    frame = table()
    fitted = make_pipeline(one_hot(), LogisticRegression()).fit(frame, classes(frame, False))
    model = from_estimator(fitted)
    fitted[-1].sparsify()
    assert from_estimator(fitted) == model


def test_a_declared_value_may_be_one_the_encoder_ignores():
    """What an unknown category does can be asked by declaring one."""
    frame = table()[["colour", "size"]]
    fitted = make_pipeline(OneHotEncoder(handle_unknown="ignore"), LogisticRegression())
    fitted.fit(frame, classes(table(), False))
    model = from_estimator(fitted, values={"colour": [*COLOURS, "any other"]})
    rows = pd.DataFrame(list(product([*COLOURS, "any other"], SIZES)), columns=["colour", "size"])
    assert_agrees(fitted, model, rows)


def test_a_frame_of_raw_cells_goes_through_the_diagram():
    frame = table()
    fitted = make_pipeline(first_dropped(), LogisticRegression()).fit(frame, classes(frame, False))
    assert (oddly.compile(fitted).classify(frame) == fitted.predict(frame)).all()


def test_labels_are_written_as_rows_are_matched():
    data = np.array([[0.0, 1.5], [1.0, 2.0], [0.0, 2.0], [1.0, 1.5]])
    fitted = make_pipeline(OneHotEncoder(), LogisticRegression()).fit(data, [True, False, True, False])
    model = from_estimator(fitted)
    assert [v.values for v in model.variables] == [("0", "1"), ("1.5", "2")]
    assert model.class_values == ("False", "True")
    assert model.class_name == "class"


def test_values_that_look_alike_as_texts_are_refused():
    data = np.array([["1", "a"], [1, "b"], ["1", "a"], [1, "b"]], dtype=object)
    encoder = OneHotEncoder(categories=[["1", "2"], ["a", "b"]]).fit(data[[0, 2]].astype(str))
    encoder.categories_[0] = np.array(["1", 1], dtype=object)
    fitted = make_pipeline(encoder, BernoulliNB().fit(np.eye(4), [0, 1, 0, 1]))
    with pytest.raises(Unsupported, match="both written '1'"):
        from_estimator(fitted)


def test_a_column_named_class_does_not_clash_with_the_class():
    frame = pd.DataFrame({"class": ["a", "b", "a", "b"]})
    fitted = make_pipeline(OneHotEncoder(), BernoulliNB()).fit(frame, [0, 1, 0, 1])
    assert from_estimator(fitted).class_name == "decision"
    assert from_estimator(fitted, target="y").class_name == "y"


class Contrary(LogisticRegression):
    def predict(self, X):
        return 1 - super().predict(X)


class Shuffled(StandardScaler):
    def transform(self, X, copy=None):
        return super().transform(X)[:, ::-1]


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (RandomForestClassifier(3), "RandomForestClassifier: not a classifier that adds up"),
        (make_pipeline(PCA(), LogisticRegression()), "PCA: not a transformer that works on columns one by one"),
        (make_pipeline(PolynomialFeatures(), LogisticRegression()), "PolynomialFeatures"),
        (make_pipeline(FunctionTransformer(np.log1p), LogisticRegression()), "only func=None"),
        (make_pipeline(Shuffled(), bins(), LogisticRegression()), "Shuffled"),
        (Contrary(), "Contrary"),
        (CategoricalNB(alpha=0, force_alpha=True), "probability of zero"),
    ],
    ids=lambda x: type(x).__name__ if not isinstance(x, str) else "",
)
def test_what_cannot_be_exact_is_refused_with_the_reason(estimator, message):
    data = np.array([[0, 1, 2], [1, 0, 0], [1, 1, 2], [0, 0, 1]] * 5)
    fitted = estimator.fit(data, [0, 1, 1, 0] * 5)
    with pytest.raises(Unsupported, match=message):
        from_estimator(fitted, values=range(3))


def test_mistakes_are_named():
    data = np.array([[0, 1], [1, 0], [1, 1]])
    fitted = LogisticRegression().fit(data, [0, 1, 1])
    with pytest.raises(ModelError, match="not fitted"):
        from_estimator(LogisticRegression())
    with pytest.raises(UnknownName, match="x7"):
        from_estimator(fitted, values={"x7": [1]})
    with pytest.raises(ModelError, match="2, found"):
        from_estimator(fitted, columns=["a"])
    with pytest.raises(ModelError, match="expected a list of values"):
        from_estimator(fitted, values={"x0": 3})
    with pytest.raises(ModelError, match="found int"):
        oddly.compile(3)
    for wrong in (-1, 2):
        with pytest.raises(Unsupported, match=f"feature 1 has values 0 to 1, not {wrong}"):
            from_estimator(CategoricalNB().fit(data, [0, 1, 1]), values={"x1": [0, wrong]})
    with pytest.raises(Unsupported, match="a count is not negative"):
        from_estimator(MultinomialNB().fit(data, [0, 1, 1]), values=[-1, 0])
    with pytest.raises(Unsupported, match="StandardScaler: not a classifier"):
        oddly.compile(StandardScaler().fit(data))
    with pytest.raises(ModelError, match="not fitted"):
        oddly.compile(make_pipeline(OneHotEncoder(), LogisticRegression()))
    with pytest.raises(ModelError, match="expected a scikit-learn classifier"):
        from_estimator("model.json")
    with pytest.raises(Unsupported, match="do not take these values"):
        from_estimator(make_pipeline(StandardScaler(), LogisticRegression()).fit(data, [0, 1, 1]), values=["a", "b"])


def test_a_wide_model_is_read_column_by_column():
    rng = np.random.default_rng(0)
    data = rng.integers(0, 3, (50, 150))
    fitted = make_pipeline(OneHotEncoder(categories=[range(3)] * 150), LogisticRegression())
    model = from_estimator(fitted.fit(data, rng.integers(0, 2, 50)))
    assert len(model.attributes) == 150
