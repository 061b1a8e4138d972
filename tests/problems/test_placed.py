"""A problem on a device: the host's numbers up to rounding, torch tensors in and out."""

import numpy as np
import pytest
import torch

from theorylab.kernels._paths import emulated
from theorylab.own import is_own
from theorylab.problems import names, problem
from theorylab.problems._base import PROBLEMS
from theorylab.problems._noise import FIELDS, RARE
from theorylab.problems._placed import Placed, placed

CASES = [
    ("logistic", {"batch": 8}),
    ("logistic", {"reg": 0.3}),
    ("softmax", {"batch": 4, "reg": 0.01}),
    ("quadratic", {"dim": 6, "sigma": 0.5}),
    ("log-cosh", {"dim": 3, "spread": 1.0, "sigma": 0.1, "scale": 2.0}),
    ("clipped-linear", {"dim": 3, "spread": 2.0, "clip": 0.4}),
    ("coupled-quadratic", {"dim_u": 3, "sigma_u": 0.3, "sigma_v": 0.1}),
    ("sin-sin", {"dim_u": 3, "dim_v": 2, "sigma_v": 0.1}),
    ("mixture", {"batch": 8, "reg": 0.1}),
    ("mixture", {"batch": None, "weights": "uniform"}),
    ("pinwheel", {"dim": 3, "bump": 0.5, "ascent": 9.0}),
    ("ridge", {"scale": 2.0, "radius": 0.7}),
    ("rippled", {"a": [[1.0, -2.0]] * 5, "b": [[0.5]] * 5, "r": 0.3}),
]
for field in FIELDS:
    CASES.append(("coupled-quadratic", {"noise": field, "sigma_u": 0.3, "sigma_v": 0.1}))
    base_of_noise = {"name": "log-cosh", "dim": 3, "spread": 1.0}
    rare = {"chance": 0.3} if field in RARE else {}  # a root that float32 would round
    CASES.append(("noisy", {"base": base_of_noise, "field": field, "sigma": 0.7, **rare}))
SMALL = {
    "rippled": {"a": [[0.0]] * 4, "b": [[0.0]] * 4},  # options without a default
    "noisy": {"base": {"name": "quadratic"}},
}
NETWORKS, SET = {"cnn", "lstm", "mlp", "resnet18"}, "composite"


def pair(name, options):
    base = problem(name, 5, **options)
    return base, Placed(base, "cpu")


def near(made, want, terms):
    """Both are sums of at most ``terms`` products, with a few functions of relative error eps."""
    want = np.asarray(want)
    eps = np.finfo(want.dtype).eps
    assert isinstance(made, torch.Tensor)
    assert made.numpy().dtype == want.dtype
    np.testing.assert_allclose(made.numpy(), want, rtol=0, atol=4 * (terms + 16) * eps *
                               max(1.0, float(np.abs(want).max())))  # fmt: skip


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("name", "options"), CASES)
def test_every_function_of_a_point_is_the_hosts(name, options, dtype):
    base, there = pair(name, options)
    x = (3 * np.random.default_rng(1).normal(size=(2, 5, base.dim))).astype(dtype)
    point, mean = torch.from_numpy(x), torch.from_numpy(x[:, 0].copy())
    terms = base.dim + max(getattr(base, "sizes", [1]))
    near(there.loss(point), base.loss(x), terms)
    near(there.gradient(point), base.gradient(x), terms)
    near(there.mean_loss(mean), base.mean_loss(x[:, 0].copy()), 5 * terms)
    near(there.mean_gradient(mean), base.mean_gradient(x[:, 0].copy()), 5 * terms)
    near(there.measured_noise(mean), base.measured_noise(x[:, 0].copy()), terms)
    gap = base.measured_heterogeneity(x[:, 0].copy())
    near(there.measured_heterogeneity(mean), gap, 50 * terms)
    sample = base.sample(4, np.array([7, 2]), 3, 1)
    assert np.array_equal(sample, there.sample(4, np.array([7, 2]), 3, 1))
    own = base.stochastic_gradient(x, sample)
    near(there.stochastic_gradient(point, sample), own, terms)


@pytest.mark.parametrize(("name", "options"), CASES)
def test_what_is_no_function_of_a_point_is_the_bases(name, options):
    base, there = pair(name, options)
    assert there.constants() == base.constants()
    assert there.describe() == {**base.describe(), "device": "cpu"}
    assert (there.name, there.clients, there.dim) == (base.name, base.clients, base.dim)
    assert np.array_equal(there.initial(1, np.arange(2)), base.initial(1, np.arange(2)))


def test_every_built_in_problem_has_a_form_but_one_with_a_set():
    for name in {name for name in names() if is_own(PROBLEMS.find(name))} - NETWORKS - {SET}:
        assert isinstance(Placed(problem(name, 4, **SMALL.get(name, {})), "cpu"), Placed)
    with pytest.raises(TypeError, match=r"composite: device 'cuda' came, but .* on the host only"):
        placed(problem("huber", 2, set={"kind": "box", "low": 0}), "cuda")


def test_a_problem_of_ones_own_without_a_form_says_so():
    class Plain(type(problem("ridge", 2)).__mro__[1]):
        name = "plain"
        loss = gradient = lambda self, x: x

    with pytest.raises(TypeError, match=r"^plain: device 'cuda' came.*host only; need a built-in"):
        placed(Plain(2, 1), "cuda")


@pytest.mark.parametrize(("name", "options"), CASES)
def test_a_sample_is_drawn_on_the_device_with_the_hosts_bits(name, options):
    base, there = pair(name, options)
    runs, x = np.array([7, 2]), np.random.default_rng(2).normal(size=(2, 5, base.dim))
    want = base.sample(4, runs, 3, 1)
    with emulated() as path:
        made = there.sample(4, runs, 3, 1)
    if want is None:
        assert made is None
        return
    given = there.stochastic_gradient(torch.from_numpy(x), made)
    terms = base.dim + max(getattr(base, "sizes", [1]))
    near(given, base.stochastic_gradient(x, want), terms)
    assert isinstance(made, torch.Tensor)
    assert [schedule.name[:5] for schedule, _ in path.launched] == ["draws"]
    assert np.array_equal(made.numpy(), want)


def test_the_mixtures_own_functions_are_the_hosts():
    base, there = pair("mixture", {"batch": 6, "reg": 0.2})
    x = np.random.default_rng(3).normal(size=(2, 5, base.dim))
    sample, terms = base.sample(1, np.arange(2), 0, 0), base.dim + max(base.sizes)
    held = base.posteriors(x)
    point = torch.from_numpy(x)
    near(there.posteriors(point), held, terms)
    for rows in (None, sample):
        made = there.component_gradient(point, torch.from_numpy(held), rows)
        near(made, base.component_gradient(x, held, rows), terms)
    assert not hasattr(pair("quadratic", {})[1], "posteriors")


def test_a_device_that_is_not_there_is_named():
    with pytest.raises(ValueError, match=r"^logistic: device is 'cuda:9', but torch sees"):
        problem("logistic", 4, device="cuda:9")
    with pytest.raises(ValueError, match=r"^quadratic: device is 'tpu'; need cpu, cuda"):
        problem("quadratic", 4, device="tpu")
    assert not isinstance(problem("quadratic", 4, device="cpu"), Placed)


@pytest.mark.parametrize(
    ("x", "message"),
    [
        (np.zeros((1, 5, 2)), "need a torch tensor"),
        (torch.zeros(1, 5, 2, dtype=torch.int64), "x is torch.int64 on cpu; need a torch tensor"),
        (torch.zeros(1, 5, 2, device="meta"), "x is torch.float32 on meta"),
    ],
)
def test_what_is_no_point_there_is_refused(x, message):
    with pytest.raises(TypeError, match=message):
        pair("quadratic", {"dim": 2})[1].loss(x)


def test_a_wrong_shape_or_sample_is_refused():
    there = pair("quadratic", {"dim": 2, "sigma": 1.0})[1]
    with pytest.raises(
        ValueError, match=r"quadratic.loss: x has shape \(1, 4, 2\); need \(R,5,2\)"
    ):
        there.loss(torch.zeros(1, 4, 2))
    with pytest.raises(ValueError, match=r"sample is shape \(1, 5, 2\); need noise of shape"):
        there.stochastic_gradient(torch.zeros(2, 5, 2), np.zeros((1, 5, 2)))
    still = pair("quadratic", {"dim": 2})[1]
    with pytest.raises(ValueError, match="need None"):
        still.stochastic_gradient(torch.zeros(1, 5, 2), np.zeros((1, 5, 2)))
