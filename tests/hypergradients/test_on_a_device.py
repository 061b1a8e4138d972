"""Hypergradients at torch points: the host's numbers, and on a GPU nothing read on the way.

torch's device "meta" plays the GPU: its tensors hold no numbers, so whoever looks at one fails.
"""

import numpy as np
import pytest
import torch

from theorylab.hypergradients import SGP, Linear, SoftmaxWeights, bilevel, edge_law, hgp
from theorylab.hypergradients import softmax_weights as curved
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


def test_a_device_that_is_not_there_or_cannot_hold_the_problem_is_refused():
    with pytest.raises(ValueError, match="softmax-weights: device is 'cuda:9', but torch sees"):
        SoftmaxWeights(4, device="cuda:9")
    with pytest.raises(ValueError, match="pdbo-mtl: device is 'cuda', but ensembles of softmax"):
        bilevel("pdbo-mtl", 4, device="cuda")
