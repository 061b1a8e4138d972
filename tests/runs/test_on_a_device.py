"""Runs whose points live on a device, played by the GPU's schedules as loops on the host."""

import numpy as np
import pytest
import torch
from scipy.sparse import csr_array

from theorylab.algorithms import SGP, algorithm
from theorylab.kernels import _device_libraries
from theorylab.kernels._paths import emulated
from theorylab.problems import problem
from theorylab.problems._placed import Placed
from theorylab.runs import simulate
from theorylab.runs._columns import mean_model
from theorylab.topologies import topology

LOSSES = {
    "quadratic": {"dim": 3, "sigma": 0.2},
    "log-cosh": {"dim": 2, "spread": 1.0, "sigma": 0.1},
    "logistic": {"batch": 4},
}
METHODS = {
    "sgp": {"eta": 0.05},
    "dfedsgpsm": {"eta": 0.05, "local_steps": 2, "alpha": 0.5, "rho": 0.1},
    "dfedavg": {"eta": 0.05, "local_steps": 2},
}


@pytest.mark.parametrize("graph", ["directed-exponential", "random-out"])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("losses", LOSSES)
def test_a_run_has_the_hosts_bits_and_its_columns_up_to_rounding(losses, method, graph):
    base, network = problem(losses, 5, **LOSSES[losses]), topology(graph, 5)
    run, asked = algorithm(method, **METHODS[method]), {"rounds": 6, "runs": 2, "every": 3}
    host = simulate(base, network, run, **asked)
    with emulated() as path:
        there = simulate(Placed(base, "cpu"), network, run, **asked)
    names = [schedule.name for schedule, _ in path.launched]
    assert sum(name.startswith("push_mix") for name in names) == 6
    assert any(name.startswith("local_steps") for name in names)
    assert np.array_equal(np.asarray(there.final_x), host.final_x)
    assert np.array_equal(np.asarray(there.final_w), host.final_w)
    for name, column in host.columns.items():
        np.testing.assert_allclose(there.columns[name], column, rtol=1e-12, atol=1e-14)


@pytest.fixture
def sent(monkeypatch):
    """The bytes of every upload."""
    sizes, upload = [], _device_libraries.Torch.upload

    def counted(self, array, device):
        sizes.append(array.nbytes)
        return upload(self, array, device)

    monkeypatch.setattr(_device_libraries.Torch, "upload", counted)
    return sizes


def test_a_static_network_and_the_losses_go_up_once(sent):
    network, run = topology("directed-ring", 4), algorithm("sgp", eta=0.1)
    counts = []
    for rounds in (2, 7):
        with emulated():
            here = Placed(problem("quadratic", 4, dim=2), "cpu")
            simulate(here, network, run, rounds=rounds, every=rounds)
        counts.append(len(sent))
        sent.clear()
    assert counts[0] == counts[1] > 0


@pytest.mark.parametrize("graph_run", [0, 3, None])
@pytest.mark.parametrize("loops", [True, False])
def test_a_drawn_network_is_drawn_there_and_never_goes_up(graph_run, loops, sent):
    base = problem("quadratic", 6, dim=3, sigma=0.1)
    network = topology("random-out", 6, degree=4, seed=5, self_loops=loops)
    asked = {"rounds": 5, "runs": [2, 4], "graph_run": graph_run, "every": 5}
    for method in ({"name": "sgp"}, {"name": "dfedsgpsm", "local_steps": 2}):
        run = algorithm(**method, eta=0.05)
        host = simulate(base, network, run, **asked)
        with emulated() as path:
            there = simulate(Placed(base, "cpu"), network, run, **asked)
        names = [schedule.name for schedule, _ in path.launched]
        assert names.count("push_mix_drawn") == 5
        assert not any(name in ("push_mix_tiles", "push_mix_gather") for name in names)
        assert np.array_equal(np.asarray(there.final_x), host.final_x)
        assert np.array_equal(np.asarray(there.final_w), host.final_w)
        assert len(sent) < 8  # the losses and the ids, and nothing a round
        sent.clear()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("d", [1, 2, 7])
@pytest.mark.parametrize("n", [1, 2, 9, 130, 300])
def test_the_mean_over_the_clients_has_the_hosts_bits(n, d, dtype):
    x = np.random.default_rng(n).normal(size=(2, n, d)).astype(dtype)
    x[0] *= 1e4
    made = mean_model(torch.from_numpy(x))
    assert np.array_equal(made.numpy(), x.mean(axis=1))
    assert made.numpy().dtype == dtype


@pytest.mark.parametrize("method", ["dfedsgpsm-s", "dis-pfl"])
def test_a_method_that_reads_the_matrix_gets_it(method):
    options = {"dis-pfl": {"rounds": 3}}.get(method, {})
    base, run = problem("quadratic", 5, dim=4), algorithm(method, eta=0.05, **options)
    network, asked = topology("random-out", 5, degree=2), {"rounds": 3, "every": 3}
    host = simulate(base, network, run, **asked)
    with emulated() as path:
        there = simulate(Placed(base, "cpu"), network, run, **asked)
    assert "push_mix_drawn" not in [schedule.name for schedule, _ in path.launched]
    np.testing.assert_allclose(np.asarray(there.final_x), host.final_x, rtol=1e-12, atol=1e-14)


def test_a_step_of_ones_own_still_gets_a_matrix():
    seen = []

    class Mine(SGP):
        name = "mine"

        def step(self, state, net):
            seen.append(type(net.mixing))
            return super().step(state, net)

    Mine.__module__ = "mine"
    with emulated():
        here = Placed(problem("quadratic", 5, dim=2), "cpu")
        simulate(here, topology("random-out", 5, degree=2), Mine(eta=0.1), rounds=2)
    assert seen == [csr_array, csr_array]
