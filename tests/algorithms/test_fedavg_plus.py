"""FedAvg+ against plain loops; its global model is FedAvg's, and tuning is each client's own."""

import numpy as np
import pytest

from theorylab.algorithms import FedAvg, FedAvgPlus, algorithm
from theorylab.algorithms._draw import participants
from theorylab.problems import problem
from theorylab.runs import simulate
from theorylab.topologies import topology

GRAPH = topology("ring", 5)


@pytest.mark.parametrize("tuning", [{}, {"tune_steps": 4, "tune_eta": 0.1}], ids=str)
def test_it_follows_the_plain_loops(bench, tuning):
    x0 = bench.models(2)
    method = FedAvgPlus(0.05, 0.5, 3, fraction=0.6, server_eta=0.7, decay=0.9, **tuning)
    state = bench.follow(method, GRAPH, x0, 4)
    steps = tuning.get("tune_steps", 3)
    for r in range(2):
        server = sum(x0[r]) / 5
        for t in range(4):
            eta = 0.05 * 0.9**t
            here = np.flatnonzero(participants(5, np.array([r]), 5, t, 3)[0])
            ends = [bench.steps(i, server, r, t, eta=eta, K=3, alpha=0.5) for i in here]
            server = server + 0.7 * (sum(ends) / 3 - server)
            own = [server.copy() for _ in range(5)]
            for i in range(5):
                m = 0.0
                for k in range(steps):
                    m = 0.5 * m + bench.gradient(i, own[i], r, t, 3 + k)
                    own[i] = own[i] - tuning.get("tune_eta", eta) * m
        # 4 rounds of about 100 operations on numbers of size <= 5
        assert np.allclose(state.x[r], server, rtol=0, atol=1e-12)
        assert np.allclose(state.memory["own"][r], own, rtol=0, atol=1e-12)


def test_the_global_model_is_fedavgs_bit_for_bit(bench):
    x0, options = bench.models(), {"eta": 0.05, "alpha": 0.5, "rho": 0.1, "fraction": 0.6}
    mine = bench.follow(FedAvgPlus(**options, tune_eta=0.3), GRAPH, x0, 4)
    assert np.array_equal(mine.x, bench.follow(FedAvg(**options), GRAPH, x0, 4).x)


def test_who_is_down_keeps_what_it_tuned_and_all_others_tune(bench):
    x0 = bench.models(1)
    method = FedAvgPlus(0.05, fraction=0.4)
    first = method.init(x0, bench.losses).memory["own"]
    effort = np.array([[1.0, 0, 1, 0, 1]])
    state = bench.follow(method, GRAPH, x0, 1, effort=effort)
    changed = (state.memory["own"][0] != first[0]).any(axis=1)
    assert changed.tolist() == [True, False, True, False, True]
    assert not np.array_equal(state.memory["own"][0, 0], state.memory["own"][0, 2])


def test_the_tuned_models_are_what_is_deployed():
    # centers far apart: the common model fits nobody, and one exact step leads to one's own center
    c = [[4.0, 0.0], [-4.0, 0.0], [0.0, 4.0], [0.0, -4.0], [0.0, 0.0]]
    losses = problem("quadratic", 5, H=[np.eye(2).tolist()] * 5, c=c)
    method = FedAvgPlus(0.5, fraction=1.0, tune_steps=1, tune_eta=1.0)
    trace = simulate(losses, GRAPH, method, rounds=3, columns=["loss", "own_loss"])
    assert trace.columns["own_loss"][0, 1] == 0.0
    # f_i = |x - c_i|^2 / 2, and the mean of the centers is 0: 4 of 5 losses are 16/2
    assert trace.columns["loss"][0, 1] == pytest.approx(4 * 8 / 5, rel=1e-15)


@pytest.mark.parametrize(
    "options", [{"tune_eta": 0.0}, {"tune_steps": 0}, {"tune_steps": 1.5}, {"eta": -1.0}], ids=str
)
def test_a_bad_option_is_one_line(options):
    with pytest.raises(ValueError, match=f"fedavg-plus: {next(iter(options))}.*need") as caught:
        algorithm("fedavg-plus", **{"eta": 0.1, **options})
    assert "\n" not in str(caught.value)
