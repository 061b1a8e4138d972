"""A torch problem at its first point: which lambda is tried, and a network that is periodic."""

import numpy as np
import pytest

from tests.hypergradients.test_torch_model import C, N, P, X, Y, inner, network, outer
from theorylab.hypergradients import TorchBilevel, hypergradient
from theorylab.topologies import topology

torch = pytest.importorskip("torch")


def test_no_lambda_is_tried_that_nobody_gave():
    seen = []

    def inner_at(x, lam, features, labels):
        if not torch._C._functorch.is_functorch_wrapped_tensor(lam):
            seen.append(lam.tolist())
        return inner(x, lam, features, labels) + (x * x).sum() / lam[1]

    def outer_at(x, lam, features, labels):
        return outer(x, lam, features, labels) + torch.log(lam[0]) ** 2

    lam = np.array([[2.0, 3.0, 4.0], [3.0, 4.0, 5.0], [4.0, 5.0, 6.0]])
    made = TorchBilevel(inner_at, outer_at, (X, Y), P * C, C)
    assert seen == []
    found = hypergradient(made, topology("complete", N), lam=lam, step=0.1)
    assert np.isfinite(found.gradient).all()
    assert seen == [lam[0].tolist()]  # once
    broken = TorchBilevel(inner_at, outer_at, (X, Y), P * C, C)
    for _ in range(2):  # a loss that does not fit is refused as often as it is called
        with pytest.raises(ValueError, match="torch: inner gives nan"):
            hypergradient(broken, topology("complete", N), lam=0 * lam, step=0.1)


def test_on_a_periodic_network_no_smaller_step_is_advised_and_the_advice_helps():
    ring = topology("directed-ring", N, self_loops=False)
    lam = np.full((N, 1), -1.0)
    for step in (0.05, 0.5):
        with pytest.raises(ValueError, match=r"the network is periodic .* no step helps") as caught:
            hypergradient(network(), ring, lam=lam, step=step)
        assert "smaller" not in str(caught.value)
        assert "need variant 4a, self-loops, or lazy weights" in str(caught.value)
    assert hypergradient(network(), ring, lam=lam, step=0.5, variant="4a").radius < 1
    own = topology("directed-ring", N)
    assert hypergradient(network(), own, lam=lam, step=0.5).radius < 1
