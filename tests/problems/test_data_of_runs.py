"""Networks whose data are the runs' own: each row is the network that it would be alone."""

import functools

import numpy as np
import pytest

from theorylab.hypergradients import personal_data
from theorylab.problems import problem

torch = pytest.importorskip("torch")
from theorylab.problems._data_of_runs import DataOfRuns  # noqa: E402
from theorylab.problems._network_data import Local  # noqa: E402

RUNS = np.array([4, 9])
make = functools.partial(problem, "mlp", hidden=[4], batch=3, reg=0.1, dtype="float64")


@pytest.fixture(scope="module")
def split():
    parts = [personal_data("here", 3, fraction=0.1, seed=seed) for seed in (0, 1)]
    return [Local(p.source, p.parts["train"], p.parts["test"], None) for p in parts]


@pytest.fixture(scope="module")
def both(split):
    alone = [make(clients=3, data=each) for each in split]
    return DataOfRuns(make, split), alone


CALLS = {
    "loss": lambda p, x, s, r: p.loss(x),
    "gradient": lambda p, x, s, r: p.gradient(x),
    "accuracy": lambda p, x, s, r: p.accuracy(x),
    "stochastic_gradient": lambda p, x, s, r: p.stochastic_gradient(x, s),
    "head": lambda p, x, s, r: p.partial_gradient(x, s, "v"),
    "mean_loss": lambda p, x, s, r: p.mean_loss(x[:, 0]),
    "mean_gradient": lambda p, x, s, r: p.mean_gradient(x[:, 0]),
    "local_steps": lambda p, x, s, r: p.local_steps(
        x, torch.ones(x.shape[:2], dtype=x.dtype), 7, r, 2,
        steps=3, counts=None, eta=0.1, alpha=0.9, rho=0.05,
    ),
}  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
def test_every_row_is_what_its_network_would_be_alone(both, call):
    together, alone = both
    x = together.points(together.initial(5, RUNS))
    x = x + 0.1 * torch.linspace(-1, 1, x.numel(), dtype=x.dtype).reshape(x.shape)
    sample = together.sample(5, RUNS, 1, 0)
    found = CALLS[call](together, x, sample, RUNS)
    for r, one in enumerate(alone):
        run = RUNS[r : r + 1]
        assert np.array_equal(sample[r : r + 1], one.sample(5, run, 1, 0))
        mine = CALLS[call](one, x[r : r + 1], sample[r : r + 1], run)
        assert found[r : r + 1].numpy() == pytest.approx(mine.numpy(), rel=1e-12, abs=1e-14)


def test_first_models_and_balanced_minibatches_are_those_of_the_run(both):
    together, alone = both
    for r, one in enumerate(alone):
        run = RUNS[r : r + 1]
        assert np.array_equal(together.initial(5, RUNS)[r : r + 1], one.initial(5, run))
        mine = together.balanced_sample(5, RUNS, 1, 0)[r : r + 1]
        assert np.array_equal(mine, one.balanced_sample(5, run, 1, 0))


def test_other_runs_than_the_data_came_for_are_refused(both):
    together, _ = both
    with pytest.raises(ValueError, match="3 runs came for the data of 2"):
        together.sample(5, np.arange(3), 0, 0)
    with pytest.raises(ValueError, match="x has 1 runs; need 2"):
        together.loss(together.points(together.initial(5, RUNS))[:1])
