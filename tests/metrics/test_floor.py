"""A metric that says nothing of rounding refutes nothing once a run has reached its last digits."""

import pytest

from theorylab.metrics import Metric
from theorylab.runs import Row
from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.symbols import L, T, eta, f0, f_star, mu
from theorylab.verdicts import judge_check

RUN = {
    "problem": {"name": "quadratic", "mu": 1.0, "L": 1.0, "dim": 2, "seed": 3},
    "topology": {"name": "complete"},
    "clients": 1,
    "algorithm": {"eta": 0.5},
    "x0": 1.0,
}


def judged(rounds, factor, **told):
    class Away(Metric, name="test.floor-away"):
        def rows(self, before, after):
            return ()

        def last(self, state):
            goal = self.setting.problem.optimum
            yield Row(((state.z - goal) ** 2).sum(axis=(1, 2)), {}, **told)

    bound = factor * (1 - eta * mu) ** (2 * T) * (f0 - f_star) / L
    statement = Statement(
        "mine.lem1",
        Source("mine", "Lemma 1", "gradient descent contracts"),
        Quantity("test.floor-away", "rows", (0, 2), "||x - x*||^2"),
        {"claim": Version({"b": bound}, ())},
        "sgp",
    )
    return judge_check(statement, "claim", Check("one", {**RUN, "rounds": rounds}))


@pytest.mark.usefixtures("registries")
def test_a_true_rate_is_undecided_where_the_run_is_at_its_last_digits():
    assert judged(10, 10).verdict == "HOLDS"
    late = judged(200, 10)
    assert late.verdict == "INCONCLUSIVE"
    assert "rounding" in late.reason


@pytest.mark.usefixtures("registries")
def test_a_false_rate_is_refuted_above_them():
    assert judged(10, 1).verdict == "VIOLATED"


@pytest.mark.usefixtures("registries")
def test_a_row_that_tells_its_rounding_keeps_it():
    assert judged(200, 10, rounding=0.0).verdict == "VIOLATED"
