"""The function through given data is smooth, no lower than it says, and passes through them."""

import numpy as np
import pytest

from theorylab.known import How
from theorylab.worst import Interpolant, Interpolated

L = 2.0


def wave(x):
    """f and grad f, f = sum_j sin(2 x_j)/4 + cos(x_j): |f''| <= 1 + 1 = L, not convex."""
    return float((np.sin(2 * x) / 4 + np.cos(x)).sum()), np.cos(2 * x) / 2 - np.sin(x)


def bowl(x):
    """f and grad f, f = sum_j 2 log cosh(x_j): convex, f'' <= 2 = L."""
    return float((2 * np.log(np.cosh(x))).sum()), 2 * np.tanh(x)


def through(function, convex, m=7, d=3, seed=5):
    points = np.random.default_rng(seed).normal(size=(m, d))
    met = [function(x) for x in points]
    values, slopes = np.array([v for v, _ in met]), np.array([g for _, g in met])
    return Interpolant(points, slopes, values, L, mu=-L * (not convex)), points, slopes, values


CASES = pytest.mark.parametrize(("function", "convex"), [(wave, False), (bowl, True)])


@CASES
def test_it_passes_through_the_data_of_a_function_of_the_class(function, convex):
    made, points, slopes, values = through(function, convex)
    for x, g, v in zip(points, slopes, values, strict=True):
        value, slope = made.at(x)
        # h lies between the exact interpolant and it + eps; |grad error|^2 <= 2 (2L) eps by
        # smoothness; 1e-12 is the rounding of sums of numbers below 100
        assert abs(value - v) <= made.eps + 1e-12
        assert np.linalg.norm(slope - g) <= np.sqrt(4 * L * made.eps) + 1e-12


def noise(m, d, seed):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(m, d)), rng.normal(size=(m, d)), rng.normal(size=m)


@pytest.mark.parametrize("convex", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_whatever_the_data_it_is_smooth_and_no_lower_than_it_says(convex, seed):
    points, slopes, values = noise(6, 2, seed)
    made = Interpolant(points, slopes, values, L, mu=-L * (not convex))
    rng = np.random.default_rng(100 + seed)
    for _ in range(60):
        x, y = rng.normal(scale=2, size=(2, 2))
        (fx, gx), (fy, gy) = made.at(x), made.at(y)
        room = 1e-9 * (1 + abs(fx) + abs(fy))
        # the interpolation inequality of the class, which holds for the points of every member
        mu = 0.0 if convex else -L
        gap = fy + gy @ (x - y) + ((gx - gy) @ (gx - gy)) / (2 * L)
        if not convex:
            away = x - y - (gx - gy) / L
            gap += mu / (2 * (1 - mu / L)) * (away @ away)
        assert fx >= gap - room
        assert min(fx, fy) >= made.least - room


def test_its_gradient_is_the_slope_of_its_values():
    points, slopes, values = noise(6, 3, 1)
    made = Interpolant(points, slopes, values, L, mu=-L)
    x, step = np.array([0.3, -0.4, 0.1]), 1e-5
    for j, e in enumerate(np.eye(3)):
        secant = (made.at(x + step * e)[0] - made.at(x - step * e)[0]) / (2 * step)
        # a gradient that is L-Lipschitz: a central difference is off by at most L step
        assert abs(secant - made.at(x)[1][j]) <= L * step + 1e-9


@pytest.mark.parametrize("convex", [False, True])
def test_its_infimum_is_where_it_says(convex):
    made = Interpolant(*noise(6, 2, 3), L, mu=-L * (not convex))
    assert made.least <= made.at(made.lowest_point)[0] + 1e-12
    assert made.at(made.lowest_point)[0] <= made.least + made.eps + 1e-12


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ((np.zeros((2, 1)), np.zeros((3, 1)), np.zeros(2)), r"need \(m,d\), \(m,d\), \(m,\)"),
        ((np.zeros((0, 1)), np.zeros((0, 1)), np.zeros(0)), r"need \(m,d\)"),
        ((np.zeros((1, 1)), np.full((1, 1), np.inf), np.zeros(1)), "not finite; need finite"),
    ],
)
def test_data_that_are_no_data_are_refused_in_one_line(data, message):
    with pytest.raises(ValueError, match=message) as caught:
        Interpolant(*data, L, mu=0.0)
    assert "\n" not in str(caught.value)


def test_the_problem_asks_every_client_its_own_function_and_remembers_the_largest_gradient():
    one, points, _, _ = through(wave, False)
    two, _, _, _ = through(wave, False, seed=6)
    problem = Interpolated([one, two], 3)
    x = points[:2][None]
    met = problem.gradient(x)
    assert np.array_equal(met[0, 0], one.at(x[0, 0])[1])
    assert np.array_equal(met[0, 1], two.at(x[0, 1])[1])
    assert problem.largest_gradient == np.linalg.norm(met, axis=-1).max()
    assert problem.loss(x)[0, 1] == two.at(x[0, 1])[0]
    known = problem.constants()
    assert (known["L"].value, known["L"].how) == (L, How.UPPER)
    assert known["f_star"].value == (one.least + two.least) / 2
    with pytest.raises(ValueError, match="sample"):
        problem.stochastic_gradient(x, np.zeros(1))
