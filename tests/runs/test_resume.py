"""Recording fewer rounds, and going on from a snapshot: the digits stay the same."""

import sys

import numpy as np
import pytest

from theorylab.algorithms import Context, DFedSGPSM, FedAvg
from theorylab.problems import problem
from theorylab.runs import Faults, simulate
from theorylab.topologies import topology

ENGINE = sys.modules["theorylab.runs.simulate"]  # the package has a function of that name


def setting():
    losses = problem("log-cosh", 4, dim=2, spread=1.0, sigma=0.3, seed=1)
    return losses, topology("random-out", 4, degree=2, seed=6), DFedSGPSM(0.1, 0.5, 0.1, 3)


def test_recording_every_third_round_picks_rows_of_the_full_trace():
    full = simulate(*setting(), rounds=8, runs=2)
    some = simulate(*setting(), rounds=8, runs=2, every=3)
    assert some.at.tolist() == [0, 3, 6]
    for name, values in some.columns.items():
        assert np.array_equal(values, full.columns[name][:, [0, 3, 6]])
    assert np.array_equal(some.final_x, full.final_x)
    with pytest.raises(ValueError, match="3 rounds up to 6 were recorded; a reduction needs every"):
        some.reduced("loss", "average")


@pytest.mark.parametrize("every", [1, 3])
@pytest.mark.parametrize("faults", [None, Faults(loss=0.2, delay=2, stragglers=0.3)])
def test_a_run_resumed_from_any_round_ends_with_the_same_digits(every, faults, monkeypatch):
    options = {"rounds": 8, "runs": 2, "every": every, "faults": faults, "graph_run": None}
    kept = []
    with monkeypatch.context() as patch:
        patch.setattr(ENGINE, "fused", lambda *a, **k: None)  # a snapshot of every round
        whole = simulate(*setting(), **options, checkpoint=kept.append)
    assert len(kept) == 8
    for snapshot in kept[:-1]:
        again = simulate(*setting(), **options, resume=snapshot)
        assert np.array_equal(again.final_x, whole.final_x)
        assert np.array_equal(again.final_w, whole.final_w)
        for name, values in whole.columns.items():
            assert np.array_equal(again.columns[name], values), name


def test_own_loss_is_of_each_clients_own_debiased_model():
    losses, graph, method = setting()
    trace = simulate(losses, graph, method, rounds=6, runs=2, columns=["own_loss"], x0=1.0)
    state = method.init(np.full((2, 4, 2), 1.0))
    for t in range(6):
        expected = losses.loss(state.x / state.w[:, :, None]).mean(axis=1)
        assert np.allclose(trace.columns["own_loss"][:, t], expected, rtol=1e-14, atol=0)
        state = method.step(state, Context(losses, graph.matrix(t, 0), 0, np.arange(2)))
    assert (state.w != 1).any()


def test_a_run_with_faults_or_an_algorithm_that_draws_is_not_exact():
    losses = problem("log-cosh", 4, dim=2, spread=1.0)
    _, graph, method = setting()
    assert simulate(losses, graph, method, rounds=2).exact
    assert not simulate(losses, graph, method, rounds=2, faults=Faults(loss=0.1)).exact
    assert not simulate(losses, graph, FedAvg(0.1), rounds=2).exact


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (["gradient_v"], "column gradient_v needs personal parameters"),
        (["accuracy"], "column accuracy needs test labels, and log-cosh has none"),
    ],
)
def test_columns_that_this_run_cannot_give_are_named(columns, message):
    with pytest.raises(ValueError, match=message):
        simulate(*setting(), rounds=2, columns=columns)


def test_every_must_be_positive():
    with pytest.raises(ValueError, match="every is 0; need at least 1"):
        simulate(*setting(), rounds=2, every=0)
