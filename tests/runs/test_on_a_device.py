"""Runs whose points live on a device, played by the GPU's schedules as loops on the host."""

import numpy as np
import pytest

from theorylab.algorithms import algorithm
from theorylab.kernels import _device_libraries
from theorylab.kernels._paths import emulated
from theorylab.problems import problem
from theorylab.problems._placed import Placed
from theorylab.runs import simulate
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


def test_a_static_network_and_the_losses_go_up_once(monkeypatch):
    sent = []
    upload = _device_libraries.Torch.upload
    monkeypatch.setattr(
        _device_libraries.Torch,
        "upload",
        lambda self, array, device: sent.append(array.nbytes) or upload(self, array, device),
    )
    network, run = topology("directed-ring", 4), algorithm("sgp", eta=0.1)
    counts = []
    for rounds in (2, 7):
        with emulated():
            here = Placed(problem("quadratic", 4, dim=2), "cpu")
            simulate(here, network, run, rounds=rounds, every=rounds)
        counts.append(len(sent))
        sent.clear()
    assert counts[0] == counts[1] > 0
