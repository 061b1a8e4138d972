"""How models come to a device: what repeats itself is sent once."""

import numpy as np
import pytest
import torch

from theorylab.algorithms import SGP
from theorylab.problems import Problem, from_loss, problem
from theorylab.problems._device import tensor_of
from theorylab.problems._placed import Placed
from theorylab.runs import simulate
from theorylab.topologies import topology

RUNS, N, D = 3, 4, 5


@pytest.fixture
def sent(monkeypatch):
    """How many numbers each array has that goes up."""
    sizes, real = [], torch.tensor

    def counted(data, **options):
        sizes.append(np.size(data))
        return real(data, **options)

    monkeypatch.setattr(torch, "tensor", counted)
    return sizes


@pytest.mark.parametrize("shape", [(1, 1, 1), (1, 1, D), (1, N, D), (RUNS, 1, D), (RUNS, N, D)])
@pytest.mark.parametrize("dtype", [None, torch.float32])
def test_a_view_comes_there_whole_and_is_sent_without_what_repeats(shape, dtype, sent):
    own = np.random.default_rng(1).normal(size=shape)
    view = np.broadcast_to(own, (RUNS, N, D))
    made = tensor_of(view, "cpu", dtype)
    assert sent == [own.size]
    assert np.array_equal(made.numpy(), view.astype(np.float32) if dtype else view)
    assert made.is_contiguous()
    made += 1  # its own memory
    assert np.array_equal(own, view[: shape[0], : shape[1], : shape[2]])


@pytest.mark.parametrize(
    ("x0", "numbers"), [(None, 1), (0.5, 1), (np.arange(5.0), D), (np.ones((4, 5)), N * D)]
)
@pytest.mark.parametrize("dtype", [None, np.float32])
@pytest.mark.parametrize("kind", ["placed", "own"])
def test_a_run_sends_its_start_once_and_starts_there(kind, x0, numbers, dtype, sent):
    if kind == "placed":
        host = problem("log-cosh", N, dim=D)
        there = Placed(host, "cpu")
    else:
        host = there = from_loss(lambda x, c: ((x - c) ** 2).sum(), dim=D, data=np.ones((N, D)))
        there._device = "cpu:0"  # tensors in the place of arrays
    sent.clear()
    starts = []
    simulate(
        there, topology("directed-ring", N), SGP(eta=0.1), rounds=1, runs=RUNS, x0=x0, dtype=dtype,
        watch=lambda state, count: starts.append(state.x),
    )  # fmt: skip
    assert sent[0] == numbers
    want = np.broadcast_to(0.0 if x0 is None else x0, (RUNS, N, D)).astype(dtype or np.float64)
    assert isinstance(starts[0], torch.Tensor)
    assert starts[0].numpy().dtype == want.dtype
    assert np.array_equal(starts[0].numpy(), want)


def test_a_start_of_ones_own_stays_and_a_strangers_points_may_be_written_into():
    class Mine(Problem):
        name = "mine"

        def initial(self, seed, runs):
            return np.full((len(runs), self.clients, self.dim), 2.0)

        def points(self, x):
            x += 1.0
            return x

        def loss(self, x):
            return (x**2).sum(-1)

        def gradient(self, x):
            return 2 * x

    Mine.__module__ = "mine"
    losses, graph = Mine(N, D), topology("directed-ring", N)
    for x0, first in ((None, 3.0), (0.5, 1.5)):
        trace = simulate(losses, graph, SGP(eta=0.1), rounds=1, x0=x0, columns=("loss",))
        assert trace.columns["loss"][0, 0] == pytest.approx(D * first**2, rel=1e-12)


@pytest.mark.parametrize("place", [lambda host: host, lambda host: Placed(host, "cpu")])
@pytest.mark.parametrize("inside", [True, False])
def test_a_start_that_an_object_was_given_is_the_start(place, inside):
    host = problem("log-cosh", N, dim=D)
    there = place(host)
    (host if inside else there).initial = lambda seed, runs: np.full((len(runs), N, D), 7.0)
    starts = []
    simulate(
        there, topology("directed-ring", N), SGP(eta=0.1), rounds=1,
        watch=lambda state, count: starts.append(state.x),
    )  # fmt: skip
    assert np.array_equal(starts[0], np.full((1, N, D), 7.0))
