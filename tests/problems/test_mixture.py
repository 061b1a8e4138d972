"""The mixture against sums written out sample by sample, and what FedEM asks of it."""

import numpy as np
import pytest

from theorylab.problems import problem

RNG = np.random.default_rng(6)
FEATURES, LABELS = RNG.normal(size=(11, 3)), np.array([0, 1, 2, 1, 0, 2, 2, 1, 0, 0, 1])
OWNERS = np.array([0, 1, 1, 0, 2, 2, 1, 0, 1, 1, 2])
DATA = {"features": FEATURES, "labels": LABELS, "owners": OWNERS}
K, P, C = 2, 3, 3
BODY = K * P * C


def softmax(z):
    return np.exp(z) / np.exp(z).sum()


def plain(i, point, reg=0.0, uniform=False, rows=None):
    """(f_i, its gradient, r a sample) at one point, over client i's rows."""
    W = point[:BODY].reshape(K, P, C)
    own = np.zeros(K) if uniform else point[BODY:]
    mine = [j for j in range(11) if OWNERS[j] == i]
    mine = mine if rows is None else [mine[row] for row in rows]
    loss, slope, bend, held = 0.0, np.zeros((K, P, C)), np.zeros(K), []
    for j in mine:
        p = [softmax(FEATURES[j] @ W[k]) for k in range(K)]
        joint = softmax(own) * [p[k][LABELS[j]] for k in range(K)]
        r = joint / joint.sum()
        loss -= np.log(joint.sum()) / len(mine)
        for k in range(K):
            slope[k] += r[k] * np.outer(FEATURES[j], p[k] - np.eye(C)[LABELS[j]]) / len(mine)
        bend += (softmax(own) - r) / len(mine)
        held.append(r)
    gradient = (slope + reg * W).ravel()
    whole = gradient if uniform else np.concatenate([gradient, bend])
    return loss + reg / 2 * (W * W).sum(), whole, np.array(held)


@pytest.mark.parametrize("uniform", [False, True])
def test_it_is_the_sum_over_its_samples(uniform):
    weights = "uniform" if uniform else "personal"
    losses = problem("mixture", 3, components=K, weights=weights, reg=0.3, batch=4, **DATA)
    assert losses.dim == (BODY if uniform else BODY + K)
    assert losses.shared == BODY
    x = RNG.normal(size=(2, 3, losses.dim))
    sample = losses.sample(3, np.arange(2), 1, 0)
    noisy, whole = losses.stochastic_gradient(x, sample), losses.gradient(x)
    for r in range(2):
        for i in range(3):
            loss, gradient, held = plain(i, x[r, i], 0.3, uniform)
            # sums of at most 5 samples of numbers of size <= 10
            assert losses.loss(x)[r, i] == pytest.approx(loss, abs=1e-14)
            assert np.allclose(whole[r, i], gradient, rtol=0, atol=1e-14)
            _, batch, _ = plain(i, x[r, i], 0.3, uniform, sample[r, i])
            assert np.allclose(noisy[r, i], batch, rtol=0, atol=1e-14)
            told = losses.posteriors(x)[r, i]
            assert np.allclose(told[: len(held)], held, rtol=0, atol=1e-15)
            assert not told[len(held) :].any()


def test_at_the_posteriors_of_its_own_point_the_weighted_gradient_is_the_gradient():
    losses = problem("mixture", 3, components=K, reg=0.2, batch=None, **DATA)
    x = RNG.normal(size=(2, 3, losses.dim))
    whole = losses.component_gradient(x, losses.posteriors(x), None)
    assert np.allclose(whole, losses.gradient(x)[..., :BODY], rtol=0, atol=1e-15)
    apart = losses.component_gradient(RNG.normal(size=x.shape), losses.posteriors(x), None)
    assert not np.allclose(apart, whole)


def test_one_model_is_softmax_regression():
    one = problem("mixture", 3, components=1, weights="uniform", reg=0.1, batch=3, **DATA)
    other = problem("softmax", 3, reg=0.1, batch=3, **DATA)
    x, sample = RNG.normal(size=(2, 3, P * C)), one.sample(2, np.arange(2), 4, 1)
    assert np.array_equal(sample, other.sample(2, np.arange(2), 4, 1))
    assert np.allclose(one.loss(x), other.loss(x), rtol=0, atol=1e-14)
    assert np.allclose(
        one.stochastic_gradient(x, sample), other.stochastic_gradient(x, sample), atol=1e-14
    )
    assert np.allclose(one.measured_noise(x[:, 0]), other.measured_noise(x[:, 0]), atol=1e-14)


def test_models_start_apart_and_alike_for_all_clients():
    start = problem("mixture", 3, components=K, **DATA).initial(4, np.arange(2))
    first, second = np.split(start[..., :BODY], 2, axis=-1)
    assert not np.array_equal(first, second)
    assert np.abs(start[..., :BODY]).max() <= 1 / np.sqrt(P)
    assert not start[..., BODY:].any()
    assert np.array_equal(start[:, 0], start[:, 2])
    assert not np.array_equal(start[0], start[1])


def test_nothing_overflows_far_out():
    losses = problem("mixture", 3, components=K, batch=None, **DATA)
    x = 1e4 * RNG.normal(size=(1, 3, losses.dim))
    assert np.isfinite(losses.loss(x)).all()
    assert np.isfinite(losses.gradient(x)).all()


@pytest.mark.parametrize("options", [{"weights": "own"}, {"components": 0}, {"reg": -1.0}], ids=str)
def test_a_bad_option_is_one_line(options):
    with pytest.raises(ValueError, match=f"mixture: {next(iter(options))}.*need") as caught:
        problem("mixture", 3, **DATA, **options)
    assert "\n" not in str(caught.value)
