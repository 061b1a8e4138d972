"""Adam against torch's, and against the first steps by hand."""

from fractions import Fraction

import numpy as np
import pytest

from theorylab.hypergradients import Adam

EPS = np.finfo(float).eps


def walked(adam, x, gradients):
    kept = adam.init(x)
    for t, gradient in enumerate(gradients, 1):
        x, kept = adam.step(x, gradient, t, kept)
    return x


@pytest.mark.parametrize("betas", [(0.9, 0.999), (0.0, 0.5)])
def test_it_walks_as_torch_does(betas):
    import torch

    draw = np.random.default_rng(3)
    steps, shape = 50, (2, 3, 4)
    x = draw.normal(size=shape)
    gradients = draw.normal(size=(steps, *shape)) * 10.0 ** draw.integers(-6, 3, size=shape)
    rates = np.array([0.1, 1.0, 0.01, 0.5])
    made = walked(Adam(rates.tolist(), *betas), x, gradients)
    for k, rate in enumerate(rates):
        theirs = torch.tensor(x[..., k], requires_grad=True)
        optimizer = torch.optim.Adam([theirs], lr=rate, betas=betas, eps=1e-8)
        for gradient in gradients:
            theirs.grad = torch.tensor(gradient[..., k])
            optimizer.step()
        # m and v are sums of up to `steps` terms, each of a step's few operations rounds once: m
        # may cancel, so its error counts against sum |g| <= steps max|g|, that is against rate
        # times steps over sqrt(1 - beta2) at most, in each of the steps
        size = np.abs(x[..., k]).max() + steps * rate * steps / np.sqrt(1 - betas[1])
        assert np.abs(made[..., k] - theirs.detach().numpy()).max() <= 20 * EPS * size


def test_two_steps_are_those_of_the_paper_by_hand():
    rate, b1, b2 = Fraction(1, 10), Fraction(9, 10), Fraction(999, 1000)
    g = [Fraction(3), Fraction(-4)]
    m = b1 * (1 - b1) * g[0] + (1 - b1) * g[1]
    v = b2 * (1 - b2) * g[0] ** 2 + (1 - b2) * g[1] ** 2
    root = float(v / (1 - b2**2)) ** 0.5
    first = 2.0 - 0.1 * 3 / (3 + 1e-8)
    second = first - float(rate * m / (1 - b1**2)) / (root + 1e-8)
    x = np.array([2.0])
    assert walked(Adam(0.1), x, [np.array([3.0])])[0] == pytest.approx(first, rel=8 * EPS)
    made = walked(Adam(0.1), x, [np.array([3.0]), np.array([-4.0])])[0]
    assert made == pytest.approx(second, rel=1e3 * 8 * EPS)  # 1 - beta2^t loses three digits
    assert x[0] == 2.0  # inputs are not changed


def test_a_batch_is_its_runs_bit_for_bit():
    draw = np.random.default_rng(1)
    x, gradients = draw.normal(size=(3, 2, 4)), draw.normal(size=(5, 3, 2, 4))
    both = walked(Adam(0.3), x, gradients)
    assert np.array_equal(both[1:2], walked(Adam(0.3), x[1:2], gradients[:, 1:2]))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"beta1": 1.0}, "adam: beta1 is 1.0; need 0 <= beta1 < 1"),
        ({"beta2": -0.1}, "adam: beta2 is -0.1; need"),
        ({"eps": 0}, "adam: eps is 0.0; need a finite number > 0"),
    ],
)
def test_bad_options_are_one_line(options, message):
    with pytest.raises(ValueError, match=message):
        Adam(0.1, **options)
