"""Both readings of AsyNG against plain loops written from lines 107 to 110 of dfedsgpsm."""

import numpy as np
import pytest

from theorylab.algorithms import algorithm
from theorylab.problems import problem
from theorylab.runs import simulate
from theorylab.topologies import topology

X0 = np.array([[1.0, 0.0], [0.0, -2.0], [0.5, 0.5]])
POINTS = ("recomputed", "one-point")


def by_hand(point, sigma, run, seed):
    """x^4 of one run."""
    p = problem("log-cosh", 3, dim=2, spread=1.0, seed=4, sigma=sigma)
    net = topology("random-out", 3, degree=1, seed=2)
    x, w = X0, np.ones(3)
    for t in range(4):
        half = x.copy()
        for k in range(3):
            xi = p.sample(seed, np.array([run]), t, k)
            for i in range(3):
                z = (x if point == "one-point" else half)[i] / w[i]
                g = p.stochastic_gradient(np.tile(z, (1, 3, 1)), xi)[0, i]
                half[i] = half[i] - 0.3 * g
        P = net.matrix(t, 0).toarray()
        x, w = P @ half, P @ w
    return x


def models(point, sigma=0.0, runs=1, seed=0, steps=3):
    return simulate(
        problem("log-cosh", 3, dim=2, spread=1.0, seed=4, sigma=sigma),
        topology("random-out", 3, degree=1, seed=2),
        algorithm("asyng", eta=0.3, local_steps=steps, point=point),
        rounds=4,
        runs=runs,
        seed=seed,
        x0=X0,
    ).final_x


@pytest.mark.parametrize("sigma", [0.0, 0.5])
@pytest.mark.parametrize("point", POINTS)
def test_a_run_is_the_papers_loops(point, sigma):
    found = models(point, sigma, runs=[1, 2], seed=5)
    for x, run in zip(found, (1, 2), strict=True):
        np.testing.assert_allclose(x, by_hand(point, sigma, run, 5), rtol=1e-12)


def test_with_one_local_step_they_are_one_algorithm():
    first, second = (models(point, steps=1) for point in POINTS)
    assert np.array_equal(first, second)
    first, second = (models(point) for point in POINTS)
    assert not np.array_equal(first, second)


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"alpha": 0.5}, "alpha is 0.5; need 0"),
        ({"rho": 0.5}, "rho is 0.5; need 0"),
        ({"point": "all"}, "point is 'all'; need one of recomputed, one-point"),
    ],
)
def test_what_is_not_asyng_is_one_line(options, line):
    with pytest.raises(ValueError, match=f"^asyng: [^\n]*{line}"):
        algorithm("asyng", eta=0.1, **options)
