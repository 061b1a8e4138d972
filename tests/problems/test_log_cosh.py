"""Fifty-digit arithmetic, and the points where the constants are attained."""

import mpmath
import numpy as np
import pytest

from theorylab.known import How
from theorylab.problems import problem

EPS = np.finfo(np.float64).eps
mpmath.mp.dps = 50


def exact_loss(y):
    y = abs(mpmath.mpf(y))
    return y + mpmath.log1p(mpmath.exp(-2 * y)) - mpmath.log(2)


@pytest.mark.parametrize(
    "y", [0.0, 1e-150, 1e-8, 0.1, 0.999999, 1.0, 1.000001, 5.0, 19.0, 400.0, 800.0, 1e300]
)
def test_loss_and_gradient_to_full_relative_precision_without_overflow(y):
    mpmath.mp.dps = 340  # log cosh(1e-150) is 5e-301, next to a log 2 of size 1
    p = problem("log-cosh", 2, scale=3.0)
    x = np.array([[[y], [-y]]])
    loss, slope = float(3 * exact_loss(y)), float(3 * mpmath.tanh(mpmath.mpf(y)))
    mpmath.mp.dps = 50
    assert p.loss(x)[0] == pytest.approx(
        [loss] * 2, rel=9 * EPS, abs=0
    )  # the 8 eps promised, and 3 *
    assert p.gradient(x)[0, :, 0] == pytest.approx([slope, -slope], rel=5 * EPS, abs=0)


def test_the_constants_of_the_published_counterexample():
    known = problem("log-cosh", 8, center=8.0).constants()
    assert {name: constant.value for name, constant in known.items()} == {
        "L": 1, "L_sample": 1, "mu": 0, "B": 1, "sigma_l": 0, "sigma_g": 0, "f_star": 0,
    }  # fmt: skip
    assert all(constant.how is How.EXACT for constant in known.values())


def test_smoothness_and_gradient_bound_are_suprema():
    p = problem("log-cosh", 3, dim=4, scale=2.5, spread=1.0)
    known, c = p.constants(), p.centers[None]
    h = 2.0**-20
    slope = np.linalg.norm(p.gradient(c + h) - p.gradient(c - h), axis=-1) / (2 * h * 2)
    # tanh h / h = 1 - h^2/3; the centers' rounding moves c +- h by eps |c|
    assert slope == pytest.approx(known["L"].value, rel=h * h + 8 * EPS / h, abs=0)
    far = np.linalg.norm(p.gradient(c + 40.0), axis=-1)
    assert far == pytest.approx(known["B"].value, rel=4 * EPS, abs=0)  # tanh 40 rounds to 1


def test_two_clients_attain_the_heterogeneity_bound_between_them():
    centers = np.array([[0.0, 3.0, -1.0], [1.0, -2.0, -1.0]])
    p = problem("log-cosh", 2, scale=2.0, centers=centers)
    sup = p.constants()["sigma_g"]
    exact = mpmath.sqrt(mpmath.tanh(0.5) ** 2 + mpmath.tanh(2.5) ** 2) * 2
    assert sup.how is How.UPPER
    assert float(exact) <= sup.value <= float(exact) * (1 + 64 * EPS)
    middle = p.measured_heterogeneity(centers.mean(axis=0)[None])
    assert middle == pytest.approx(float(exact), rel=8 * EPS, abs=0)


def test_f_star_is_below_the_true_minimum_and_close():
    centers = np.array([[0.0, 7.0], [1.0, -1.0], [5.0, 2.5]])
    star = problem("log-cosh", 3, scale=2.0, centers=centers).constants()["f_star"]
    exact = mpmath.mpf(0)
    for column in centers.T:
        slope = lambda u, c=column: sum(mpmath.tanh(u - mpmath.mpf(a)) for a in c)  # noqa: E731
        best = mpmath.findroot(slope, (min(column), max(column)), solver="anderson")
        exact += 2 * sum(exact_loss(best - mpmath.mpf(a)) for a in column) / 3
    assert star.how is How.CERTIFIED
    assert star.upper >= exact
    assert exact * (1 - 2000 * EPS) <= star.value <= exact  # slack: 20 eps (range + value) each


def test_f_star_stays_below_the_minimum_even_at_a_poor_minimiser(monkeypatch):
    monkeypatch.setattr("theorylab.problems._separable.BISECTIONS", 3)
    star = problem("log-cosh", 3, centers=[[0.0], [0.25], [7.0]]).constants()["f_star"]
    good = problem("log-cosh", 3, centers=[[0.0], [0.25], [7.0]]).mean_loss(
        np.linspace(0, 1, 1001)[:, None]
    )
    assert star.value < good.min()


def test_equal_centers_are_exact_and_unequal_ones_are_not():
    assert problem("log-cosh", 2, centers=[[1.5], [1.5]]).constants()["sigma_g"].how is How.EXACT
    known = problem("log-cosh", 2, centers=[[1.5], [1.5 + 1e-9]]).constants()
    assert known["sigma_g"].how is How.UPPER
    assert 0 < known["sigma_g"].value < 1e-9
    assert known["f_star"].how is How.CERTIFIED


def test_the_spread_is_around_the_center():
    p = problem("log-cosh", 2000, dim=2, center=5.0, spread=0.5, seed=4)
    # 4000 normals: the mean has error .5/sqrt(4000), the standard deviation .5/sqrt(8000)
    assert p.centers.mean() == pytest.approx(5.0, abs=5 * 0.5 / 4000**0.5)
    assert p.centers.std() == pytest.approx(0.5, abs=5 * 0.5 / 8000**0.5)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"scale": 0.0}, ValueError, "scale is 0.0; need a finite number > 0"),
        ({"spread": -1.0}, ValueError, "spread is -1.0; need a finite number >= 0"),
        ({"center": np.inf}, ValueError, "center is inf; need a finite number"),
        ({"sigma": True}, TypeError, "sigma is bool; need a number"),
        ({"centers": [[0.0]]}, ValueError, r"centers has shape \(1, 1\); need \(2,d\)"),
        ({"centers": [[0.0], [1.0]], "center": 1.0}, ValueError, "centers came along with center"),
        ({"centers": [[0.0], [1.0]], "dim": 2}, ValueError, r"need \(2,2\)"),
    ],
)
def test_bad_options_are_named_in_one_line(options, error, message):
    with pytest.raises(error, match=f"log-cosh: .*{message}"):
        problem("log-cosh", 2, **options)
