"""On a GPU no number of a round crosses to the host: every built-in problem, many methods."""

import contextlib
from operator import methodcaller

import numpy as np
import pytest
import torch

from theorylab.algorithms import Audits, algorithm
from theorylab.kernels import _device_libraries
from theorylab.kernels._paths import emulated
from theorylab.problems import PROBLEMS, problem
from theorylab.problems._placed import Placed
from theorylab.runs._fused import fused
from theorylab.runs.rounds import Rounds
from theorylab.topologies import topology

BUILT_IN = {name for name in PROBLEMS if PROBLEMS.entry(name).built_in}  # other tests have theirs
NETWORKS = {"cnn", "lstm", "mlp", "resnet18"}  # torch's own
OPTIONS = {
    "rippled": {"a": [[0.0, 1.0]] * 5, "b": [[0.5]] * 5},
    "noisy": {"base": {"name": "sin-sin"}, "field": "coordinate"},
    "coupled-quadratic": {"noise": "aligned", "sigma_u": 0.1, "sigma_v": 0.1},
    "sin-sin": {"noise": "two-point", "sigma_u": 0.1},
    "quadratic": {"sigma": 0.1, "dim": 3},
    "log-cosh": {"sigma": 0.1, "dim": 3},
    "softmax": {"batch": 4},
    "logistic": {"batch": 4},
    "mixture": {"batch": 4},
}
METHODS = {
    "sgp": {"eta": 0.05},
    "dfedsgpsm": {"eta": 0.05, "local_steps": 2, "alpha": 0.5, "rho": 0.1},
    "dfedavg": {"eta": 0.05, "local_steps": 2},
    "osgp": {"eta": 0.05},
    "dfedpgp": {"eta_u": 0.05, "eta_v": 0.05, "steps_u": 2},
    "dfedalt": {"eta_u": 0.05, "eta_v": 0.05, "steps_u": 2},
    "dfedem": {"eta": 0.05, "local_steps": 2},
}
PERSONAL = {"coupled-quadratic", "sin-sin", "rippled", "mixture", "noisy"}
PAIRS = [
    (losses, method)
    for losses in sorted(BUILT_IN - NETWORKS - {"composite"})  # that has no form on a device
    for method in METHODS
    if not (method in ("dfedpgp", "dfedalt") and losses not in PERSONAL)
    and not (method == "dfedem" and losses != "mixture")
]
CROSSINGS = ("cpu", "numpy", "item", "tolist", "__array__", "__bool__", "__float__", "__int__",
             "__index__")  # fmt: skip


@contextlib.contextmanager
def guarded(monkeypatch):
    """Tensors play a GPU's, and whoever asks one for its numbers is refused."""

    def refused(name):
        def crossing(self, *_, **__):
            raise AssertionError(f"a tensor crossed to the host: {name}")

        return crossing

    with monkeypatch.context() as patch:
        for name in CROSSINGS:
            patch.setattr(torch.Tensor, name, refused(name))
        yield


@pytest.mark.parametrize("graph", ["random-out", "directed-exponential"])
@pytest.mark.parametrize(("losses", "method"), PAIRS)
def test_no_number_of_a_round_crosses_to_the_host(losses, method, graph, monkeypatch):
    base = problem(losses, 5, **OPTIONS.get(losses, {}))
    run, network = algorithm(method, **METHODS[method]), topology(graph, 5)
    ids = np.array([3, 5])
    start = base.initial(0, ids)
    host = Rounds(base, network, run, ids, 0)
    want = run.init(start, base)
    with emulated() as path:
        there = Placed(base, "cpu")
        rounds = Rounds(there, network, run, ids, 0)
        state = run.init(there.points(start), there)
        with guarded(monkeypatch):
            for _ in range(2):
                state = rounds.play(state)
        rounds.audits.settle()
    for _ in range(2):
        want = host.play(want)
    # Gradients of order 1 in sums of at most 1e4 terms, twice.
    near = 1e5 * np.finfo(float).eps * max(1.0, np.abs(want.x).max())
    assert np.abs(state.x.numpy() - want.x).max() <= near
    drawn = [schedule.name for schedule, _ in path.launched].count("push_mix_drawn")
    assert (drawn > 0) == (graph == "random-out")


@pytest.mark.parametrize("steps", [2, (1, 2, 3, 1, 2)])
@pytest.mark.parametrize("method", ["sgp", "dfedsgpsm", "dfedpgp"])
def test_the_minibatches_of_a_network_are_drawn_there(method, steps, monkeypatch):
    options = METHODS[method] | ({} if method != "dfedsgpsm" else {"local_steps": steps})
    model = problem("mlp", 5, hidden=[3], batch=4, dtype="float64")
    run, ids = algorithm(method, **options), np.arange(2)
    rounds = Rounds(model, topology("random-out", 5), run, ids, 0)
    start = run.init(model.points(model.initial(0, ids)), model)
    want = start
    for _ in range(3):
        want = rounds.play(want)
    with emulated() as path:
        state = rounds.play(start)
        with guarded(monkeypatch), monkeypatch.context() as patch:
            for name in ("from_numpy", "as_tensor", "tensor"):
                patch.setattr(torch, name, None)  # nothing goes up
            for _ in range(2):
                state = rounds.play(state)
        rounds.audits.settle()
    assert torch.equal(state.x, want.x)
    assert "draws_words" in [schedule.name for schedule, _ in path.launched]


def test_the_guard_refuses_what_a_look_at_a_number_is(monkeypatch):
    numbers = torch.ones(2)
    called = [methodcaller(name) for name in ("cpu", "numpy", "item", "tolist")]
    for look in (float, bool, int, np.asarray, *called):
        with guarded(monkeypatch), pytest.raises(AssertionError, match="crossed to the host"):
            look(numbers[0])
    assert float(numbers[0]) == 1.0


@pytest.mark.parametrize("graph", ["random-out", "directed-exponential"])
def test_between_two_records_nothing_crosses_and_nothing_goes_up(graph, monkeypatch):
    base, ids = problem("quadratic", 5, dim=3, sigma=0.1), np.array([3, 5])
    method, audits = algorithm("dfedsgpsm", **METHODS["dfedsgpsm"]), Audits()
    with emulated() as path:
        there = Placed(base, "cpu")
        state = method.init(there.points(base.initial(0, ids)), there)
        play = fused(
            there, topology(graph, 5), method, state,
            seed=0, runs=ids, graph_run=None, audits=audits, every=10,
        )  # fmt: skip
        settle, audits.settle = audits.settle, lambda: None
        with guarded(monkeypatch), monkeypatch.context() as patch:
            patch.setattr(_device_libraries.Torch, "upload", None)
            _, state = play(state, np.array([10]))
        settle()
    assert (state.t, len(path.launched)) == (10, 20)
