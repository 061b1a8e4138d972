"""What a problem of one's own needs: loss and gradient, and no more where nothing is random."""

import numpy as np
import pytest
import torch

from theorylab.algorithms import SGP
from theorylab.problems import Problem, problem, with_noise
from theorylab.registry import restored
from theorylab.runs import simulate
from theorylab.topologies import topology


def bowl():
    class Bowl(Problem, name="bowl"):
        def __init__(self, clients, *, centers, scale=1.0):
            self.c = np.asarray(centers, float)
            self.scale = scale
            super().__init__(clients, self.c.shape[1])

        def loss(self, x):
            return self.scale * ((x - self.c) ** 2).sum(axis=-1) / 2

        def gradient(self, x):
            return self.scale * (x - self.c)

    return Bowl


def test_loss_and_gradient_are_enough():
    with restored():
        bowl()
        made = problem("bowl", 3, centers=np.arange(6.0).reshape(3, 2))
        x = np.ones((2, 3, 2))
        assert not made.stochastic
        assert made.sample(0, np.arange(2), 0, 0) is None
        assert np.array_equal(made.stochastic_gradient(x, None), made.gradient(x))
        assert np.array_equal(made.measured_noise(x[:, 0]), np.zeros((2, 3)))
        assert made.constants() == {}
        with pytest.raises(ValueError, match=r"bowl\.stochastic_gradient: sample is shape"):
            made.stochastic_gradient(x, x)
        trace = simulate(made, topology("complete", 3), SGP(0.5), rounds=60, x0=1.0)
        assert np.abs(trace.final_x - made.c.mean(axis=0)).max() < 1e-12
        noisy = with_noise(made, "coordinate", 0.5)
        assert noisy.stochastic


def test_it_describes_itself_by_what_its_constructor_was_given():
    with restored():
        bowl()
        made = problem("bowl", 2, centers=np.eye(2))
        described = {
            "name": "bowl",
            "clients": 2,
            "centers": [[1.0, 0.0], [0.0, 1.0]],
            "scale": 1.0,
        }
        assert made.describe() == described
        assert problem(**described).describe() == described


def test_a_stochastic_problem_needs_its_gradients_and_its_noise():
    class Half(Problem):
        def __init__(self, clients):
            super().__init__(clients, 1, True)

        def loss(self, x):
            return x[..., 0]

        def gradient(self, x):
            return np.ones_like(x)

    with pytest.raises(TypeError, match="stochastic is True, but the class has no stochastic_grad"):
        Half(2)

    class Whole(Half):
        def stochastic_gradient(self, x, sample):
            return np.ones_like(x)

    with pytest.raises(ValueError, match="its noise is not known; need measured_noise"):
        Whole(2).measured_noise(np.ones((1, 1)))


def test_means_over_clients_are_taken_of_tensors_too():
    class Tensors(Problem):
        def __init__(self, clients):
            super().__init__(clients, 2)

        def loss(self, x):
            return (x**2).sum(-1)

        def gradient(self, x):
            return 2 * x * torch.arange(1.0, self.clients + 1)[None, :, None].to(x.dtype)

    made, xbar = Tensors(3), torch.ones(2, 2, dtype=torch.float64)
    assert made.mean_loss(xbar).tolist() == [2.0, 2.0]
    assert made.mean_gradient(xbar).tolist() == [[4.0, 4.0], [4.0, 4.0]]
    heterogeneity = made.measured_heterogeneity(xbar)
    assert np.allclose(heterogeneity.numpy(), [[8**0.5, 0, 8**0.5]] * 2, atol=1e-15)
    assert made.measured_noise(xbar).tolist() == [[0.0] * 3] * 2
