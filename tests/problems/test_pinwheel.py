"""Pinwheel: the samples that SAM sends into large noise."""

import numpy as np

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
