"""Losses and gradients of the networks against one module a client and torch's own autograd."""

import numpy as np
import pytest
import torch

from theorylab.problems import _network_passes

pytestmark = pytest.mark.usefixtures("one_thread")
each = pytest.mark.parametrize("name", ["mlp", "cnn", "resnet18", "lstm"])
EPS = 2.0**-52
RUNS = np.array([4, 0])
# A number here is a chain of at most 20 layers, each a sum of at most 144 products (ResNet's last
# 3x3 convolutions), summed over 70 samples: rounding adds up to (20 * 144 + 70) eps at most, with
# a factor 4 for what GroupNorm divides and for terms of the chain that cancel.
ROUNDING = 4 * (20 * 144 + 70) * EPS


def close(made, want):
    return made.shape == want.shape and bool(
        ((made - want).abs() <= ROUNDING * (1 + want.abs().max())).all()
    )


def drawn(p, seed=5):
    """Models (2, 3, d) near the first ones, every client at its own, and a minibatch."""
    x = p.points(p.initial(seed, RUNS))
    rng = np.random.default_rng(seed)
    return x + 0.1 * p.points(rng.standard_normal(tuple(x.shape))), p.sample(seed, RUNS, 2, 1)


@pytest.fixture
def loop(plain, own_data, client_loss):
    """(name, x, rows or None) to losses (R, n), gradients (R, n, d), accuracies, one by one."""

    def evaluate(name, x, sample=None):
        parts, scale = own_data(name)
        module = plain(name)
        made = []
        for r in range(x.shape[0]):
            for i, (a, y, a_test, y_test) in enumerate(parts):
                rows = slice(None) if sample is None else sample[r, i]
                loss, gradient, _ = client_loss(module, x[r, i], a[rows], y[rows], scale)
                right = client_loss(module, x[r, i], a_test, y_test, scale)[2]
                made.append((loss, gradient, right))
        shape = x.shape[:2]
        losses, gradients, rights = (torch.stack(list(part)) for part in zip(*made, strict=True))
        return losses.reshape(shape), gradients.reshape(x.shape), rights.reshape(shape)

    return evaluate


@each
def test_a_minibatch_gradient_is_that_of_one_module_a_client(name, tiny, loop):
    p = tiny(name)
    x, sample = drawn(p)
    before, rows = x.clone(), sample.copy()
    made = p.stochastic_gradient(x, sample)
    assert made.dtype == torch.float64
    assert not made.requires_grad
    assert close(made, loop(name, x, sample)[1])
    assert torch.equal(x, before)
    assert np.array_equal(sample, rows)


@each
def test_full_data_losses_gradients_and_accuracies_are_those_of_a_loop(name, tiny, loop):
    p = tiny(name, batch=None)
    x, _ = drawn(p)
    loss, gradient, right = loop(name, x)
    assert close(p.loss(x), loss)
    assert close(p.gradient(x), gradient)
    assert close(p.stochastic_gradient(x, None), gradient)
    assert close(p.accuracy(x), right)
    assert close(p.partial_gradient(x, None, "v"), gradient[..., p.shared :])


@pytest.mark.parametrize(
    ("name", "alone"),
    [("mlp", False), *((name, True) for name in ("mlp", "cnn", "resnet18", "lstm"))],
)
def test_a_copy_that_goes_alone_and_mapped_copies_are_a_loop_too(
    name, alone, tiny, loop, monkeypatch
):
    monkeypatch.setattr(_network_passes, "_ALONE", 1 if alone else 2**62)
    p = tiny(name)
    p._copies._passes._stack = None
    assert len(list(p._copies._pieces(6, 4))) == (6 if alone else 1)
    x, sample = drawn(p)
    loss, gradient, right = loop(name, x)
    assert close(p.loss(x), loss)
    assert close(p.accuracy(x), right)
    assert close(p.gradient(x), gradient)
    batch = loop(name, x, sample)[1]
    assert close(p.stochastic_gradient(x, sample), batch)
    assert close(p.partial_gradient(x, sample, "u"), batch[..., : p.shared])
    assert close(p.partial_gradient(x, sample, "v"), batch[..., p.shared :])


@each
def test_f_is_the_average_of_the_clients_at_a_common_point(name, tiny, loop):
    p = tiny(name)
    x = drawn(p)[0][:, :1].expand(2, 3, p.dim)
    xbar = x[:, 0].contiguous()
    loss, gradient, _ = loop(name, x)
    assert close(p.mean_loss(xbar), loss.mean(1))
    assert close(p.mean_gradient(xbar), gradient.mean(1))
    gap = (gradient - gradient.mean(1, keepdim=True)).norm(dim=-1)
    assert close(p.measured_heterogeneity(xbar), gap)


@each
def test_the_noise_is_the_variance_over_a_clients_samples(name, tiny, plain, own_data, client_loss):
    p = tiny(name, batch=4)
    xbar = drawn(p)[0][:, 0].contiguous()
    parts, scale = own_data(name)
    want = torch.zeros(2, 3, dtype=torch.float64)
    for r in range(2):
        for i, (a, y, *_) in enumerate(parts):
            g = torch.stack(
                [
                    client_loss(plain(name), xbar[r], a[j : j + 1], y[j : j + 1], scale)[1]
                    for j in range(len(y))
                ]
            )
            want[r, i] = ((g - g.mean(0)).square().sum() / len(y) / 4).sqrt()
    made = p.measured_noise(xbar)
    assert close(made, want)
    assert made[0, 2] <= ROUNDING * p.gradient(drawn(p)[0]).norm()  # one sample: no noise
    assert not tiny(name, batch=None).measured_noise(xbar).any()


@each
def test_partial_gradients_are_the_slices_of_the_whole(name, tiny):
    p = tiny(name)
    x, sample = drawn(p)
    whole = p.stochastic_gradient(x, sample)
    assert 0 < p.shared < p.dim
    assert close(p.partial_gradient(x, sample, "u"), whole[..., : p.shared])
    assert close(p.partial_gradient(x, sample, "v"), whole[..., p.shared :])


@each
def test_the_gradient_is_the_slope_of_the_loss(name, tiny):
    p = tiny(name, reg=0.3)
    x, _ = drawn(p)
    direction = p.points(np.random.default_rng(0).standard_normal(tuple(x.shape)))
    direction /= direction.norm(dim=-1, keepdim=True)

    def slope(h):
        return (p.loss(x + h * direction) - p.loss(x - h * direction)) / (2 * h)

    # slope(h) = g.v + c h^2 + O(h^4), so slope(h/2) is off by a third of their difference; twice
    # that for the next order. Cancellation: two losses with their rounding, over h. So small an h
    # leaves no kink of a ReLU within reach for this seed.
    h = 2.0**-20
    wide, narrow = slope(h), slope(h / 2)
    allowed = 2 / 3 * (wide - narrow).abs() + ROUNDING * p.loss(x) / (h / 2)
    assert ((p.gradient(x) * direction).sum(-1) - narrow).abs().le(allowed).all()


@each
def test_the_regulariser_adds_its_share(name, tiny):
    p, plain = tiny(name, reg=0.25), tiny(name)
    x, sample = drawn(p)
    xbar = x[:, 0].contiguous()
    for method in ("loss", "mean_loss"):
        at = x if method == "loss" else xbar
        assert close(getattr(p, method)(at), getattr(plain, method)(at) + 0.125 * (at**2).sum(-1))
    assert close(p.gradient(x), plain.gradient(x) + 0.25 * x)
    assert close(p.mean_gradient(xbar), plain.mean_gradient(xbar) + 0.25 * xbar)
    want = plain.stochastic_gradient(x, sample) + 0.25 * x
    assert close(p.stochastic_gradient(x, sample), want)
    assert close(p.partial_gradient(x, sample, "u"), want[..., : p.shared])
    assert close(p.partial_gradient(x, sample, "v"), want[..., p.shared :])
    assert close(p.measured_heterogeneity(xbar), plain.measured_heterogeneity(xbar))
    assert close(p.measured_noise(xbar), plain.measured_noise(xbar))


@each
def test_pieces_of_another_size_agree_up_to_rounding(name, tiny):
    p = tiny(name)
    each = p._copies._per_model + 4 * p._copies._per_sample
    # One model and one sample at a time, or pieces of 2 models that end unevenly.
    small = tiny(name, memory=1 if name == "mlp" else 2 * each)
    x, sample = drawn(p)
    xbar = x[:, 0].contiguous()
    assert close(small.stochastic_gradient(x, sample), p.stochastic_gradient(x, sample))
    for method in ("loss", "gradient", "accuracy"):
        assert close(getattr(small, method)(x), getattr(p, method)(x))
    for method in ("mean_loss", "mean_gradient", "measured_noise"):
        assert close(getattr(small, method)(xbar), getattr(p, method)(xbar))


@each
def test_a_batch_is_its_runs_up_to_rounding_and_the_same_call_bit_for_bit(name, tiny):
    p = tiny(name)
    x, sample = drawn(p)
    whole = p.stochastic_gradient(x, sample)
    assert torch.equal(whole, p.stochastic_gradient(x, sample))
    assert torch.equal(p.loss(x), p.loss(x))
    for r in range(2):
        alone = p.sample(5, RUNS[r : r + 1], 2, 1)
        assert np.array_equal(alone[0], sample[r])
        assert close(p.stochastic_gradient(x[r : r + 1], alone)[0], whole[r])
        assert close(p.loss(x[r : r + 1])[0], p.loss(x)[r])
