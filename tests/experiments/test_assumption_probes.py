"""Left sides of the assumptions against closed forms."""

import math

import numpy as np
import pytest

from theorylab.experiments import experiment
from theorylab.problems.pinwheel import Pinwheel

COSH = {"name": "log-cosh", "dim": 2, "scale": 3.0, "centers": [[1.0, 0.0], [-1.0, 0.0]]}
RING = {"name": "directed-ring"}


def probes(column, **options):
    made = {"problem": COSH, "topology": RING, "clients": 2, **options}
    found = experiment("assumption-probes", **made)
    assert experiment("assumption-probes", **found.describe()).describe() == found.describe()
    return [float(row.values[0]) for row in found.observe(column, range(1), 0).rows]


def test_values_come_from_the_drawn_points():
    made = experiment("assumption-probes", problem=COSH, topology=RING, clients=2, probes=9)
    x, y = made.points(0)
    assert x.shape == (9, 2)
    g = [3 * np.tanh(x - np.array([c, 0.0])) for c in (1.0, -1.0)]
    h = [3 * np.tanh(y - np.array([c, 0.0])) for c in (1.0, -1.0)]
    size = [np.linalg.norm(v, axis=1).max() for v in g]
    np.testing.assert_allclose(probes("gradient", probes=9), size, rtol=1e-12)
    apart = np.linalg.norm(x - y, axis=1)
    slope = [(np.linalg.norm(a - b, axis=1) / apart).max() for a, b in zip(g, h, strict=True)]
    np.testing.assert_allclose(probes("slope", probes=9), slope, rtol=1e-9)
    half = (np.linalg.norm(g[0] - g[1], axis=1) / 2).max() ** 2
    np.testing.assert_allclose(probes("heterogeneity", probes=9), [half, half], rtol=1e-12)
    np.testing.assert_allclose(probes("mean_heterogeneity", probes=9), [half], rtol=1e-12)


def test_windows_count_components_of_their_unions():
    peer = {"name": "one-peer-exponential"}
    cosh = {"name": "log-cosh"}
    for width, most in ((1, 8), (2, 4), (3, 1)):
        found = probes("components", topology=peer, clients=8, problem=cosh, width=width, rounds=3)
        assert len(found) == 3
        assert max(found) <= most
        assert (max(found) == 1) == (width == 3)


def test_the_bias_of_sam_is_that_of_the_listed_signs():
    base = {"name": "log-cosh", "dim": 1}
    noise = {"name": "noisy", "base": base, "field": "state", "sigma": 2.0, "length": 0.5}
    options = {"problem": noise, "clients": 1, "topology": {"name": "complete"}}
    made = experiment("assumption-probes", **options, rho=0.1)
    worst = 0.0
    for (x,) in made.points(0)[0][:8]:
        gaps = []
        for s in (1, -1):
            g = math.tanh(x) + 2 * s * math.cos(x / 0.5)
            up = x + 0.1 * math.copysign(1, g)
            gaps.append(2 * s * math.cos(up / 0.5))
        worst = max(worst, abs(sum(gaps) / 2))
    assert probes("bias", **options, rho=0.1) == [pytest.approx(worst, rel=1e-12)]
    assert probes("bias", **options) == [pytest.approx(0, abs=1e-15)]


def test_pinwheels_constants_bound_what_is_attained():
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


def test_pinwheels_noise_is_the_gradient_of_its_bump():
    wheel = Pinwheel(1, dim=2, ascent=0.5, eps=0.1, bump=1.5)
    x, m, step = np.array([0.35, 0.12]), 1, 1e-6  # direction e_1, minus

    def potential(p):
        y = p - np.array([0.5, 0.0])
        rest = max(0.0, 1 - (y @ y) / 0.35**2)
        return 0.1 * p[0] - 1.5 * y[1] * rest**2

    slopes = [(potential(x + step * e) - potential(x - step * e)) / (2 * step) for e in np.eye(2)]
    found = wheel.noise(x[None, None], np.array([[m]]))[0, 0]
    np.testing.assert_allclose(found, slopes, atol=1e-8)  # step^2 and eps / step


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"probes": 0}, "probes is 0; need an integer >= 1"),
        ({"width": 0}, "width is 0"),
        ({"reach": 0.0}, "reach is 0.0"),
        ({"rho": -1.0}, "rho -1.0"),
    ],
)
def test_a_wrong_option_is_one_line(options, line):
    with pytest.raises(ValueError, match=f"^assumption-probes: [^\n]*{line}"):
        probes("slope", **options)


@pytest.mark.parametrize("column", ["heterogeneity", "mean_heterogeneity"])
def test_like_clients_differ_by_rounding_alone_and_the_room_covers_it(column):
    # three equal gradients: their computed mean is off by a unit in the last place
    made = experiment(
        "assumption-probes",
        problem={"name": "log-cosh", "dim": 1, "center": 4.0},
        topology={"name": "directed-ring"},
        clients=3,
        probes=205,
    )
    row = max(made.observe(column, range(1), 0).rows, key=lambda r: r.values[0])
    largest = 4 * (3 + 1 + 4) * 2.0**-53 * (1 + 5 * 3.0)  # no normal of 205 draws beyond 5
    assert 0 < row.values[0] <= row.rounding <= largest**2  # exactly, the clients are alike
