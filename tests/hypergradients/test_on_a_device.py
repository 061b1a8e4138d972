"""Hypergradients at torch points: the host's numbers, and on a GPU nothing read on the way.

torch's device "meta" plays the GPU: its tensors hold no numbers, so whoever looks at one fails.
"""

import numpy as np
import pytest
import torch

from theorylab.hypergradients import (
    SGP,
    Linear,
    SoftmaxWeights,
    algorithm1,
    algorithm2,
    bilevel,
    edge_law,
    hgp,
    hypergradient,
    itd,
)
from theorylab.hypergradients import softmax_weights as curved
from theorylab.kernels._paths import emulated
from theorylab.topologies import topology

OWNERS = np.repeat(np.arange(4), 5)
GRAPH = topology("random-out", 4, degree=2, seed=5)


def problem(place=None, batch=None):
    draw = np.random.default_rng(1)
    features, labels = draw.normal(size=(20, 3)), np.arange(20) % 3
    made = SoftmaxWeights(
        4, reg=0.1, batch=batch, hyper_reg=0.01, features=features, labels=labels, owners=OWNERS
    )
    if place is not None:
        made._move(torch.device(place))
    return made


def point(made, runs=2):
    draw = np.random.default_rng(2)
    x, lam = draw.normal(size=(runs, 4, 9)), draw.normal(size=(runs, 4, 3))
    return Linear(made, SGP(0.1), x, 0.5 + draw.random((runs, 4)), lam)


@pytest.mark.parametrize("batch", [None, 2])
def test_every_product_is_the_hosts(batch):
    host, there = problem(batch=batch), problem("cpu", batch)
    sample = host.sample(3, np.arange(2), 1)
    at, lam = point(host).x, point(host).lam
    u = np.random.default_rng(4).normal(size=(2, 4, 2, 9))
    tensors = [torch.from_numpy(part) for part in (at, lam, u)]
    near = {"rtol": 1e-13, "atol": 1e-14}  # sums of at most 20 products, a few functions each
    for name in ("inner_hvp", "cross"):
        made = getattr(there, name)(*tensors, sample)
        assert isinstance(made, torch.Tensor)
        np.testing.assert_allclose(made, getattr(host, name)(at, lam, u, sample), **near)
    made = there.inner_gradient(*tensors[:2], sample)
    np.testing.assert_allclose(made, host.inner_gradient(at, lam, sample), **near)
    np.testing.assert_allclose(there.outer(*tensors[:2]), host.outer(at, lam), **near)
    for ours, theirs in zip(
        there.outer_gradients(*tensors[:2]), host.outer_gradients(at, lam), strict=True
    ):
        np.testing.assert_allclose(ours, theirs, **near)
    assert np.array_equal(there.accuracy(tensors[0], lam, "train"), host.accuracy(at, lam, "train"))
    assert there.constants(lam) == host.constants(lam)
    assert there.describe() == {**host.describe(), "device": "cpu"}


@pytest.mark.parametrize("reading", ["eq12", "appendix-b", "alg5"])
@pytest.mark.parametrize("batch", [None, 2])
def test_an_estimate_at_torch_points_is_the_hosts(reading, batch):
    asked = {"reading": reading, "seed": 3, "runs": np.arange(2), "check": False}
    host = hgp(point(problem(batch=batch)), GRAPH, edge_law(GRAPH), 6, **asked)
    there = hgp(point(problem("cpu", batch)), GRAPH, edge_law(GRAPH), 6, **asked)
    assert isinstance(there.gradient, torch.Tensor)
    np.testing.assert_allclose(there.gradient, host.gradient, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("batch", [None, 2])
def test_a_step_of_the_recursion_reads_nothing(monkeypatch, batch):
    made = problem("meta", batch)
    monkeypatch.setattr(curved, "mix_jvp", lambda c, u, *rest, **names: torch.empty_like(u))
    monkeypatch.setattr(curved, "softmax_hvp", lambda A, p, w, V, reg: torch.empty_like(V))
    at, sample = point(made), made.sample(3, np.arange(2), 1)
    c = made.points(np.zeros((2, 4, 4)))
    u = torch.empty((2, 4, 1, 9), dtype=torch.float64, device="meta")
    made_of = [*at.seeds(), at.A(c, u, sample), at.B(c, u, sample), at.phi(c, u, sample)]
    assert {part.device.type for part in made_of} == {"meta"}


@pytest.fixture
def apart(monkeypatch):
    """NumPy takes no tensor, as of a GPU's, but one that ``cpu`` has brought to the host."""
    down, numpy = torch.Tensor.cpu, torch.Tensor.numpy

    def refused(*_):
        raise TypeError("can't convert cuda:0 device type tensor to numpy")

    class OnHost(torch.Tensor):
        def numpy(self):
            return numpy(self.as_subclass(torch.Tensor))

        def __array__(self, *asked):
            return self.numpy().__array__(*asked)

    monkeypatch.setattr(torch.Tensor, "__array__", refused)
    monkeypatch.setattr(torch.Tensor, "numpy", refused)
    monkeypatch.setattr(torch.Tensor, "cpu", lambda self: down(self).as_subclass(OnHost))
    with emulated():
        yield


@pytest.mark.filterwarnings("ignore::theorylab.hypergradients.UnreliableEstimateWarning")
@pytest.mark.parametrize("batch", [None, 2])
@pytest.mark.parametrize(
    ("method", "asked"),
    [
        ("exact", {}),
        ("hgp", {"terms": 4, "history": True}),
        ("vr-hgp", {"terms": 4, "train": 20, "runs": 2, "history": True}),
    ],
)
def test_a_hypergradient_is_numpys_and_the_hosts(method, asked, batch, apart):
    made, want = (hypergradient(problem(*at, batch=batch), GRAPH, method, **asked)
                  for at in (("cpu",), ()))  # fmt: skip
    for name in ("gradient", "history"):
        one, other = getattr(made, name), getattr(want, name)
        assert type(one) is type(other)
        if other is not None:
            assert type(one) is np.ndarray
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)  # a solve to 1e-12
    assert made.radius == pytest.approx(want.radius, rel=1e-9)


def test_what_is_built_on_hypergradients_is_numpys_and_the_hosts(apart):
    sgp, lam, found = SGP(0.1), np.full((1, 4, 3), 0.2), []
    for place in ("cpu", None):
        made = problem(place, batch=2)
        path = algorithm2(made, GRAPH, sgp, lam, 4, keep=True).path
        ways = [itd(made, sgp, lam[0], path, mode=mode) for mode in ("forward", "backward")]
        outer = algorithm1(made, GRAPH, sgp, lam, steps=2, rounds=20, terms=2, rate=0.1)
        found.append([*ways, outer.lam])
        assert made.constants(made.points(lam))["mu"].value == 0.1
    for one, other in zip(*found, strict=True):
        assert type(one) is np.ndarray
        np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-13)


def test_a_device_that_is_not_there_or_cannot_hold_the_problem_is_refused():
    with pytest.raises(ValueError, match="softmax-weights: device is 'cuda:9', but torch sees"):
        SoftmaxWeights(4, device="cuda:9")
    with pytest.raises(ValueError, match="pdbo-mtl: device is 'cuda', but ensembles of softmax"):
        bilevel("pdbo-mtl", 4, device="cuda")
