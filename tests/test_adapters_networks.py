# SPDX-License-Identifier: Apache-2.0
"""Networks of pgmpy and pyAgrum: the same tables, and the same posteriors as the library's own inference."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import oddly
from oddly.adapters import as_model, from_network
from oddly.adapters.networks import _before_rounding
from oddly.errors import ModelError, Unsupported
from oddly.model import NaiveBayes, Network, NetworkClassifier


def joint(network, instance):
    """The probability of a full instance, by the chain rule, exactly."""
    found = Fraction(1)
    for node in network.nodes:
        row = 0
        for parent in node.parents:
            values = network.node(parent).values
            row = row * len(values) + values.index(instance[parent])
        found *= node.table[row][node.values.index(instance[node.name])]
    return found


def full_instances(network):
    names = [node.name for node in network.nodes]
    for values in product(*(node.values for node in network.nodes)):
        yield dict(zip(names, values, strict=True))


def posterior(network, target, evidence):
    """Pr(target | evidence) by enumeration."""
    totals = dict.fromkeys(network.node(target).values, Fraction(0))
    for instance in full_instances(network):
        if all(instance[name] == value for name, value in evidence.items()):
            totals[instance[target]] += joint(network, instance)
    return [p / sum(totals.values()) for p in totals.values()]


class TestPyAgrum:
    gum = pytest.importorskip("pyagrum")

    def net(self):
        self.gum.initRandom(7)
        return self.gum.fastBN("A{yes|no}->C[2]<-B[3];C->D[0.5,2,7.25,9]<-E{1.5|2|4}", 2)

    def test_tables_keep_names_states_and_numbers(self):
        bn = self.net()
        network = from_network(bn)
        assert [node.name for node in network.nodes] == ["A", "C", "B", "D", "E"]
        assert network.node("A").values == ("yes", "no")
        assert network.node("E").values == ("1.5", "2", "4")
        for instance in full_instances(network):
            i = self.gum.Instantiation()
            for name, value in instance.items():
                i.add(bn.variable(name))
                i.chgVal(name, network.node(name).values.index(value))
            assert float(joint(network, instance)) == pytest.approx(bn.jointProbability(i), abs=1e-15)

    def test_posteriors_are_those_of_its_own_inference(self):
        bn = self.net()
        network = from_network(bn)
        engine = self.gum.LazyPropagation(bn)
        for a, d in product(network.node("A").values, range(3)):
            engine.setEvidence({"A": a, "D": d})
            expected = engine.posterior("C").tolist()
            found = posterior(network, "C", {"A": a, "D": network.node("D").values[d]})
            assert [float(p) for p in found] == pytest.approx(expected)

    def test_a_discretised_variable_brings_its_cuts(self):
        bn = self.net()
        node = from_network(bn).node("D")
        variable = bn.variable("D")
        assert node.bins.cuts == (2, Fraction(29, 4))
        for number in [0.5, 1.99, 2, 7.249999, 7.25, 8, 9]:
            assert node.bins.place(number) == variable.index(str(number))

    def test_a_network_becomes_a_classifier_once_its_class_is_chosen(self):
        bn = self.net()
        with pytest.raises(Unsupported, match="once its class is chosen"):
            oddly.compile(bn)
        assert isinstance(from_network(bn).classifier("C", attributes=["A", "D"]), NetworkClassifier)
        naive = self.gum.fastBN("K->U[3];K->V;K->W[4]", 2)
        assert isinstance(from_network(naive).classifier("K"), NaiveBayes)

    @pytest.mark.parametrize("method", ["NaiveBayes", "TAN"])
    @pytest.mark.parametrize("classes", [["0", "1"], ["no", "yes"], ["a", "b", "c"]], ids="".join)
    def test_a_fitted_classifier_decides_as_its_predict(self, method, classes):
        pd = pytest.importorskip("pandas")
        pytest.importorskip("sklearn")
        from pyagrum.skbn import createBNClassifier

        rng = np.random.default_rng(1)
        frame = pd.DataFrame(
            {
                "colour": rng.choice(["red", "green", "blue"], 150),
                "size": rng.integers(0, 4, 150),
                "age": rng.normal(40, 10, 150).round(3),
            }
        )
        score = frame["age"] / 10 + frame["size"] + (frame["colour"] == "red") * 2 + rng.normal(0, 1, 150)
        y = pd.Series(
            np.array(classes)[np.digitize(score, np.quantile(score, [0.4, 0.7][: len(classes) - 1]))], name="k"
        )
        fitted = createBNClassifier(learningMethod=method, prior="Smoothing", priorWeight=1, discretizationNbBins=4)
        fitted.fit(frame, y)
        model = as_model(fitted)
        assert model.class_values == tuple(classes)
        given = fitted.predict(frame)
        for (_, row), decided in zip(frame.iterrows(), given, strict=True):
            assert self.decision(model, row) == (str(int(decided)) if classes[0] == "0" else str(decided))
        texts = [str(int(d)) if classes[0] == "0" else str(d) for d in given]
        assert oddly.compile(fitted).classify(frame).tolist() == texts

    def decision(self, model, row):
        """By the exact posterior of the network or naive Bayes."""
        variables = {v.name: v for v in model.variables}
        instance = {
            name: v.values[v.bins.place(float(row[name]))] if v.bins else str(row[name])
            for name, v in variables.items()
        }
        if isinstance(model, NaiveBayes):
            chances = model.posterior(instance)
        else:
            chances = posterior(model.network, model.class_name, instance)
        if model.positive is None:
            return model.class_values[chances.index(max(chances))]
        ahead = chances[model.class_values.index(model.positive)] >= model.threshold
        return model.labels[ahead]

    def test_a_classifier_from_a_network_ranks_its_classes(self):
        pytest.importorskip("sklearn")
        from pyagrum.skbn import createBNClassifier

        bn = self.net()
        fitted = createBNClassifier()
        fitted.fromTrainedModel(bn, targetAttribute="B")
        model = as_model(fitted)
        assert model.positive is None
        assert {v.name for v in model.variables} == {"A", "C"}
        fitted.fromTrainedModel(bn, targetAttribute="A", targetModality="yes", threshold=0.3)
        assert as_model(fitted).positive == "yes"

    def test_a_probability_is_rounded_before_it_is_compared(self):
        for threshold, digits in [(0.5, 3), (0.123456789, 10), (0.1234567891234, 10), (1 / 3, 5), (0.0, 4), (1.0, 4)]:
            least = _before_rounding(threshold, digits)
            step = Fraction(1, 10 ** (digits + 3))
            assert round(float(least + step), digits) >= threshold
            assert threshold == 0 or round(float(least - step), digits) < threshold

    def test_what_is_no_network_is_refused(self):
        pytest.importorskip("sklearn")
        from pyagrum.skbn import createBNClassifier

        with pytest.raises(Unsupported, match="InfluenceDiagram"):
            from_network(self.gum.InfluenceDiagram())
        with pytest.raises(ModelError, match="not fitted"):
            as_model(createBNClassifier())
        with pytest.raises(ModelError, match="found int"):
            from_network(3)


class TestPgmpy:
    @pytest.fixture
    def models(self):
        return pytest.importorskip("pgmpy.models")

    def net(self, models, first="yes", second="no"):
        from pgmpy.factors.discrete import TabularCPD

        bn = models.DiscreteBayesianNetwork([("A", "C"), ("B", "C"), ("C", "D")])
        states = {"A": [first, second], "B": [0, 1, 2], "C": ["t", "f"]}
        rows = [[0.1, 0.2, 0.3, 0.4, 0.5, 0.65], [0.9, 0.8, 0.7, 0.6, 0.5, 0.35]]
        bn.add_cpds(
            TabularCPD("A", 2, [[0.2], [0.8]], state_names={"A": ["yes", "no"]}),
            TabularCPD("B", 3, [[0.2], [0.3], [0.5]]),
            TabularCPD("C", 2, rows, ["A", "B"], [2, 3], state_names=states),
            TabularCPD("D", 2, [[0.3, 0.8], [0.7, 0.2]], ["C"], [2], state_names={"C": ["t", "f"], "D": ["x", "y"]}),
        )
        return bn

    def test_tables_keep_names_states_and_numbers(self, models):
        network = from_network(self.net(models))
        assert isinstance(network, Network)
        assert network.node("C").parents == ("A", "B")
        assert network.node("C").table[0] == (Fraction(0.1), Fraction(0.9))  # A=yes, B=0

    def test_a_table_may_list_its_parents_states_in_another_order(self, models):
        network = from_network(self.net(models, "no", "yes"))
        assert network.node("A").values == ("yes", "no")
        assert network.node("C").table[0] == (Fraction(0.4), Fraction(0.6))
        with pytest.raises(ModelError, match="its parent A has the states"):
            from_network(self.net(models, "no", "perhaps"))

    def test_posteriors_are_those_of_its_own_inference(self, models):
        from pgmpy.inference import VariableElimination

        bn = self.net(models)
        network = from_network(bn)
        engine = VariableElimination(bn)
        for b, d in product(range(3), "xy"):
            factor = engine.query(["A"], {"B": b, "D": d}, show_progress=False)
            expected = [factor.get_value(A=state) for state in ("yes", "no")]
            assert [float(p) for p in posterior(network, "A", {"B": str(b), "D": d})] == pytest.approx(expected)

    def test_naive_bayes_decides_as_its_predict(self, models):
        pd = pytest.importorskip("pandas")
        rng = np.random.default_rng(3)
        data = pd.DataFrame({"U": rng.choice(["+", "-"], 120), "S": rng.integers(0, 3, 120)})
        data["P"] = np.where((data["U"] == "+") ^ (rng.random(120) < 0.2) | (data["S"] == 2), "yes", "no")
        fitted = models.NaiveBayes()
        fitted.fit(data, "P")
        fitted.dependent = fitted.dependent or "P"
        model = as_model(fitted)
        assert isinstance(model, NaiveBayes)
        rows = data[["U", "S"]].drop_duplicates()
        plain = models.DiscreteBayesianNetwork(list(fitted.edges()))  # whose inference works in every version
        plain.add_cpds(*fitted.get_cpds())
        decided = plain.predict(rows).loc[rows.index, "P"].tolist()
        odd = oddly.compile(fitted)
        assert odd.classify([{"U": r["U"], "S": str(r["S"])} for r in rows.to_dict("records")]).tolist() == decided

    def test_what_is_no_discrete_network_is_refused(self, models):
        with pytest.raises(Unsupported, match="discrete"):
            from_network(models.DiscreteMarkovNetwork())
        with pytest.raises(Unsupported, match="once its class is chosen"):
            oddly.compile(self.net(models))
        with pytest.raises(ModelError, match="variable A: no table"):
            from_network(models.DiscreteBayesianNetwork([("A", "B")]))
