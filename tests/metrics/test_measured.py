"""What a sample of runs may and may not say of a claim whose right side is random."""

from dataclasses import replace

import numpy as np
import pytest

from theorylab.algorithms import SGP, algorithm
from theorylab.metrics import Metric, measured, metric
from theorylab.problems import problem
from theorylab.runs import Expected, Given, Row, Setting
from theorylab.topologies import topology

RARE = {"base": {"name": "log-cosh"}, "field": "two-point", "sigma": 1.0, "chance": 1e-9}


def setting(rounds=2):
    p = problem("noisy", 1, **RARE)
    run = algorithm("sgp", eta=0.5)
    return Setting(p, topology("complete", 1), run, {}, rounds, np.ones((1, 1)))


def metric_with(symbol):
    class Own(Metric):
        def rows(self, before, after):
            x = before.x[:, 0, 0]
            yield Row(x**2, {"t": before.t, **symbol(x)}, f"t={before.t}")

    return Own


@pytest.mark.parametrize("symbol", [lambda x: {"g": x}, lambda x: {"g": Expected(x)}])
def test_runs_that_happen_to_agree_do_not_make_a_symbol_a_number(symbol):
    with pytest.raises(ValueError, match="every right side is random"):
        measured(metric_with(symbol), setting(), {}, law="sampled", runs=range(16))


def test_what_is_given_at_round_0_is_a_number_there_alone():
    own = metric_with(lambda x: {"g": Given(x)})
    (row,) = measured(own, setting(), {}, law="sampled", runs=range(16)).rows
    assert row.label == "t=0"
    assert row.at == {"t": 0, "g": 1.0}


def test_a_row_without_random_symbols_is_sampled_in_every_round():
    found = measured(metric_with(lambda x: {}), setting(3), {}, law="sampled", runs=range(4))
    assert [row.label for row in found.rows] == ["t=0", "t=1", "t=2"]
    assert not found.exact


def test_an_unknown_metric_is_one_line():
    with pytest.raises(ValueError, match=r"^metric: no 'dfedsgpsm.drif'; did you mean"):
        metric("dfedsgpsm.drif")


def test_a_name_is_taken_once():
    with pytest.raises(ValueError, match=r"is taken: .*/dfedsgpsm\.py, line .*test_measured\.py"):

        class Other(Metric, name="dfedsgpsm.drift"):
            def rows(self, before, after):
                return ()


@pytest.mark.parametrize(
    ("row", "kind", "line"),
    [
        (lambda x: (x, {}, "t=0"), ValueError, "rows gave tuple; need Row"),
        (lambda x: Row(x[:1], {}, "here"), ValueError, r"values of row 'here' has shape \(1,\)"),
        (lambda x: Row(x, {"g": x[:1]}, "here"), ValueError, r"g of row 'here' has shape \(1,\)"),
        (
            lambda x: Row(x, {"g": Expected(x[:2])}, "here"),
            ValueError,
            r"g of row 'here' has shape \(2,\); need one a run, \(4, \.\.\.\)",
        ),
    ],
)
def test_what_is_no_row_of_these_runs_is_one_line(row, kind, line):
    class Wrong(Metric):
        name = ""

        def rows(self, before, after):
            yield row(before.x[:, 0, 0])

    with pytest.raises(kind, match=line) as told:
        measured(Wrong, setting(), {}, law="sampled", runs=range(4))
    assert "\n" not in str(told.value)


class Whole(SGP):
    """It asks for u's minibatch, and reads v's, too."""

    def step(self, state, context):
        grad = context.problem.stochastic_gradient(state.x, context.sample(state.t, 0, "u"))
        x = state.x - self.eta * grad
        return replace(state, t=state.t + 1, x=x, z=x)


def test_a_step_that_reads_more_than_it_asks_for_has_no_listed_law():
    class Size(Metric):
        def rows(self, before, after):
            yield Row((after.x**2).sum(axis=(1, 2)), {"t": before.t}, f"t={before.t}")

    options = {"dim_u": 1, "dim_v": 1, "sigma_u": 1.0, "sigma_v": 1.0, "noise": "rademacher"}
    parts = problem("coupled-quadratic", 1, **options), topology("complete", 1), Whole(0.5)
    with pytest.raises(ValueError, match="hold nan"):
        measured(Size, Setting(*parts, {}, 2, np.ones((1, 2))), {}, law="enumerated")
