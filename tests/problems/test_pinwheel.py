"""Pinwheel: the samples that SAM sends into large noise."""

import numpy as np
import pytest

from theorylab.problems import Pinwheel


def test_sam_from_the_center_meets_each_sample_in_the_middle_of_its_own_bump():
    rho, eps, bump, d = 0.1, 1e-3, 2.0, 3
    p = Pinwheel(1, dim=d, ascent=rho, eps=eps, bump=bump, center=0.5)
    x, samples = np.full((4 * d, 1, d), 0.5), np.arange(4 * d)[:, None]
    g = p.stochastic_gradient(x, samples)
    assert np.allclose(np.linalg.norm(g, axis=-1), eps, rtol=0, atol=1e-15)
    lifted = x + rho * g / np.linalg.norm(g, axis=-1, keepdims=True)
    second = p.noise(lifted, samples)
    # e = eps u + A v at the middle of a bump, u and v orthogonal unit vectors.
    assert np.allclose((second**2).sum(-1), eps**2 + bump**2, rtol=1e-12)
    assert np.allclose(second.mean(axis=0), 0, atol=1e-15 * bump)


def test_every_listed_outcome_is_a_sample_and_all_are_equally_likely():
    p = Pinwheel(2, dim=2)
    (draw,) = p.finite_noise()
    assert draw.place is None
    assert sorted(draw.values) == list(range(p.cases))
    assert np.array_equal(draw.chances, np.full(8, 0.125))
    drawn = p.sample(3, np.arange(4000), 0, 0)
    assert set(np.unique(drawn)) == set(draw.values)


def test_constants_bound_what_is_attained():
    wheel = Pinwheel(1, dim=3, scale=0.01, ascent=0.2, eps=0.05, bump=2.0)
    rng = np.random.default_rng(3)
    x = wheel.middle[rng.integers(6, size=4000)] + 0.15 * rng.normal(size=(4000, 3))
    sigma = wheel.constants()["sigma_l"].value
    assert wheel.measured_noise(x).max() <= sigma
    assert wheel.measured_noise(wheel.middle).max() == pytest.approx(sigma, rel=1e-12)
    points = np.repeat(x[:, None], 1, axis=1)
    mean = sum(wheel.noise(points, np.full((4000, 1), m)) for m in range(wheel.cases))
    assert np.abs(mean).max() < 1e-13  # unbiased at every point
    near = points + 1e-6 * rng.normal(size=points.shape)
    for m in range(wheel.cases):
        sample = np.full((4000, 1), m)
        gap = wheel.stochastic_gradient(near, sample) - wheel.stochastic_gradient(points, sample)
        slope = np.linalg.norm(gap, axis=-1) / np.linalg.norm(near - points, axis=-1)
        assert slope.max() <= wheel.constants()["L_sample"].value


def test_noise_is_the_gradient_of_its_bump():
    wheel = Pinwheel(1, dim=2, ascent=0.5, eps=0.1, bump=1.5)
    x, m, step = np.array([0.35, 0.12]), 1, 1e-6  # direction e_1, minus

    def potential(p):
        y = p - np.array([0.5, 0.0])
        rest = max(0.0, 1 - (y @ y) / 0.35**2)
        return 0.1 * p[0] - 1.5 * y[1] * rest**2

    slopes = [(potential(x + step * e) - potential(x - step * e)) / (2 * step) for e in np.eye(2)]
    found = wheel.noise(x[None, None], np.array([[m]]))[0, 0]
    np.testing.assert_allclose(found, slopes, atol=1e-8)  # step^2 and eps / step
