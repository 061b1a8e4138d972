"""Rational arithmetic: every value here is a dyadic fraction, so equality is exact."""

from fractions import Fraction

import numpy as np
import pytest

from theorylab.known import How
from theorylab.problems import problem

EPS = np.finfo(np.float64).eps


def huber(y, b):
    y, b = abs(Fraction(y)), Fraction(b)
    return y * y / 2 if y <= b else b * y - b * b / 2


@pytest.mark.parametrize("y", [0.0, 0.25, 0.5, 0.5078125, -3.0, 1024.0])
def test_loss_and_gradient_are_exact_on_dyadic_numbers(y):
    p = problem("clipped-linear", 2, scale=4.0, clip=0.5, centers=[[1.0, 0.0], [1.0, 2.0]])
    x = p.centers[None] + y
    assert np.all(p.loss(x) == float(8 * huber(y, 0.5)))
    assert np.all(p.gradient(x) == 4 * min(max(y, -0.5), 0.5))


def test_smoothness_and_gradient_bound_are_attained():
    p = problem("clipped-linear", 2, dim=4, scale=4.0, clip=0.5, center=1.0)
    known, one = p.constants(), np.ones((1, 2, 4))
    assert known["L"].value == 4
    assert np.all(p.gradient(one * 1.5) - p.gradient(one * 0.5) == 4.0)
    assert np.all(np.linalg.norm(p.gradient(one * 1.5), axis=-1) == known["B"].value)
    assert np.all(np.linalg.norm(p.gradient(one * -9), axis=-1) == known["B"].value)


@pytest.mark.parametrize("distance", [0.5, 1.0, 4.0])
def test_two_clients_attain_the_heterogeneity_and_nearly_f_star(distance):
    p = problem("clipped-linear", 2, scale=4.0, clip=0.5, centers=[[1.0], [1.0 + distance]])
    middle = np.array([[1.0 + distance / 2]])
    sup, star = p.constants()["sigma_g"], p.constants()["f_star"]
    measured = p.measured_heterogeneity(middle).max()
    assert measured == 4 * min(distance / 2, 0.5)
    assert measured <= sup.value <= measured * (1 + 64 * EPS)
    exact = 4 * huber(distance / 2, 0.5)
    assert (sup.how, star.how) == (How.UPPER, How.CERTIFIED)
    assert star.upper >= exact
    # slack of the bound: (n + 16) eps of the slope limit times the range, plus of the value
    assert exact - Fraction(200 * EPS * 4 * (1 + distance)) <= Fraction(star.value) <= exact


def test_a_flat_valley_has_its_exact_bottom_as_bound():
    # centers 0, 0, 4, 4 with b = 1/2: f is constant 7/8 on [1/2, 7/2]
    p = problem("clipped-linear", 4, clip=0.5, centers=[[0.0], [0.0], [4.0], [4.0]])
    assert np.all(p.mean_loss(np.array([[0.5], [2.0], [3.5]])) == 0.875)
    assert 0.875 * (1 - 400 * EPS) <= p.constants()["f_star"].value <= 0.875


@pytest.mark.parametrize("clip", [0.0, -1.0, np.nan, np.inf])
def test_a_bad_clip_is_named(clip):
    with pytest.raises(ValueError, match=r"clipped-linear: clip is .*; need a finite number > 0"):
        problem("clipped-linear", 2, clip=clip)
