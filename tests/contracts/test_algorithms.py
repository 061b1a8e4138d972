"""What every registered algorithm promises: purity, batches that are runs, NumPy or torch."""

import json

import numpy as np
import pytest
import torch

from theorylab.algorithms import ALGORITHMS, Context, algorithm, play
from theorylab.problems import Problem, problem
from theorylab.runs import Faults, Setting, joined, simulate
from theorylab.topologies import topology

GRAPH = topology("random-symmetric", 5, degree=1, seed=3)


MIXED = {"fedem", "dfedem"}  # they need components, which one NumPy problem has
# methods whose step sizes may differ from run to run, and these
STEPS_OF = {
    **dict.fromkeys(("dfedalt", "dfedsalt", "dfedpgp"), ("eta_u", "eta_v")),
    **dict.fromkeys(("dfedsgpsm", "dfedsgpsm-s", "sgp", "osgp", "dpsgd", "dfedavg"), ("eta",)),
    **dict.fromkeys(("dfedsam", "dfedavgm", "dfedem"), ("eta",)),
    "deprl": ("alpha", "beta"),
}
HALVES = {"features": np.random.default_rng(5).normal(size=(15, 2)), "owners": [*range(5)] * 3}


def losses(name=""):
    """Noisy quadratics whose last two coordinates are personal; a mixture for who needs one."""
    if name in MIXED:
        labels = [0, 1, 1, 0, 1] * 3
        return problem("mixture", 5, components=2, batch=2, labels=labels, **HALVES)
    split = problem("quadratic", 5, dim=5, sigma=0.3, seed=2)
    split.shared = 3
    split.blocks = (2, 3, 5)
    return split


def models(runs=3, dtype=float, name=""):
    return np.random.default_rng(1).normal(size=(runs, 5, losses(name).dim)).astype(dtype)


def after(method, x0, ids, rounds=3, seed=4):
    here = losses(method.name)
    state = method.init(x0, here)
    for t in range(rounds):
        state = play(method, state, Context(here, GRAPH.matrix(t), seed, np.asarray(ids)))
    return state


def arrays(state):
    """Every array of a state, by name."""
    found = {"x": state.x, "w": state.w, "z": state.z, **state.memory}
    return found if state.v is None else {**found, "v": state.v}


@pytest.mark.parametrize("name", ALGORITHMS)
def test_a_batch_is_its_runs_bit_for_bit(name, made):
    x0 = models(name=name)
    together = arrays(after(made(name), x0, [4, 0, 7]))
    for row, run in enumerate([4, 0, 7]):
        alone = arrays(after(made(name), x0[row : row + 1], [run]))
        assert together.keys() == alone.keys()
        for key, value in together.items():
            assert np.array_equal(value[row], alone[key][0]), key


@pytest.mark.parametrize("name", ALGORITHMS)
def test_a_step_modifies_nothing_it_was_given(name, made):
    x0, method, here = models(name=name), made(name), losses(name)
    kept = x0.copy()
    state = method.init(x0, here)
    before = {key: np.array(value) for key, value in arrays(state).items()}
    after_one = play(method, state, Context(here, GRAPH.matrix(0), 4, np.arange(3)))
    play(method, after_one, Context(here, GRAPH.matrix(1), 4, np.arange(3)))
    assert np.array_equal(x0, kept)
    for key, value in arrays(state).items():
        assert np.array_equal(value, before[key]), key
    assert (state.t, after_one.t) == (0, 1)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_options_are_json_and_make_the_same_algorithm(name, made):
    method = made(name)
    again = algorithm(name, **json.loads(json.dumps(method.options())))
    assert again.name == method.name == name
    assert json.dumps(again.options()) == json.dumps(method.options())


@pytest.mark.parametrize("name", ALGORITHMS)
def test_float32_stays_float32(name, made):
    x0 = models(dtype=np.float32, name=name)
    for key, value in arrays(after(made(name), x0, np.arange(3))).items():
        assert value.dtype in (np.float32, np.bool_, np.int64), key


class Twin(Problem):
    """The same losses at torch points."""

    def __init__(self, inner):
        super().__init__(inner.clients, inner.dim, inner.stochastic)
        self.inner, self.shared, self.blocks = inner, inner.shared, inner.blocks

    def points(self, x):
        return torch.from_numpy(x)

    def loss(self, x):
        return torch.from_numpy(self.inner.loss(x.numpy()))

    def gradient(self, x):
        return torch.from_numpy(self.inner.gradient(x.numpy()))

    def mean_loss(self, xbar):
        return torch.from_numpy(self.inner.mean_loss(xbar.numpy()))

    def mean_gradient(self, xbar):
        return torch.from_numpy(self.inner.mean_gradient(xbar.numpy()))

    def sample(self, seed, runs, round, step):
        return self.inner.sample(seed, runs, round, step)

    def stochastic_gradient(self, x, sample):
        return torch.from_numpy(self.inner.stochastic_gradient(x.numpy(), sample))

    def constants(self):
        return self.inner.constants()

    def describe(self):
        return self.inner.describe()

    def measured_noise(self, xbar):
        return self.inner.measured_noise(xbar)


@pytest.mark.parametrize("name", [name for name in ALGORITHMS if name not in MIXED])
def test_torch_points_give_what_numpy_points_give(name, made):
    x0 = models(1)[0]
    options = {"rounds": 4, "runs": 2, "x0": x0, "seed": 3}
    numbers = simulate(losses(), GRAPH, made(name), **options)
    tensors = simulate(Twin(losses()), GRAPH, made(name), **options)
    assert isinstance(tensors.final_x, torch.Tensor)
    # the same operations; sums over few numbers in another order, 4 rounds
    assert np.allclose(numbers.final_x, tensors.final_x.numpy(), rtol=0, atol=1e-13)
    for column, values in numbers.columns.items():
        assert np.allclose(values, tensors.columns[column], rtol=1e-12, atol=1e-13), column


@pytest.mark.parametrize("name", ALGORITHMS)
def test_clients_that_are_down_keep_their_own_parts_and_runs_go_on(name, made):
    faults = Faults(loss=0.2, failing=0.3, stragglers=0.3)
    here = losses(name)
    trace = simulate(here, GRAPH, made(name), rounds=6, runs=2, faults=faults)
    assert np.isfinite(trace.final_x).all()
    again = simulate(here, GRAPH, made(name), rounds=6, runs=2, faults=faults)
    assert np.array_equal(trace.final_x, again.final_x)
    plain = simulate(here, GRAPH, made(name), rounds=6, runs=2)
    assert not np.array_equal(trace.final_x, plain.final_x)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_a_missing_step_size_is_named(name):
    with pytest.raises((ValueError, TypeError), match=f"{name}: .*need") as caught:
        algorithm(name)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_runs_with_other_step_sizes_have_their_bits_in_one_batch(name, made):
    method, x0 = made(name), models(2, name=name)
    sizes = STEPS_OF.get(name, ("eta", "eta_u"))
    steps = {k: 1.25 * v for k, v in method.options().items() if k in sizes}
    each = [method, algorithm(name, **{**method.options(), **steps})]
    settings = [Setting(losses(name), GRAPH, m, {}, 3, x) for m, x in zip(each, x0, strict=True)]
    batch = joined(settings)
    assert (batch is None) == (name not in STEPS_OF)
    if batch is None:
        return
    together = arrays(after(batch.algorithm, batch.starts, [7, 7]))
    for run, one in enumerate(each):
        for key, value in arrays(after(one, x0[run : run + 1], [7])).items():
            assert np.array_equal(together[key][run], value[0]), key
    assert not np.array_equal(*arrays(after(batch.algorithm, x0[[0, 0]], [7, 7]))["x"])
