"""The curved valley against fractions."""

from fractions import Fraction

import numpy as np
import pytest

from theorylab.problems import problem

P = problem("rosenbrock", 2, targets=[1.0, 3.0], steepness=2.0)


def test_losses_and_gradients_are_the_fractions_that_they_are():
    for a, b in ((0, 0), (1, 1), (Fraction(-3, 2), 2), (2, Fraction(1, 4))):
        x = np.tile([float(a), float(b)], (1, 2, 1))
        for i, target in enumerate((1, 3)):
            off, pull = b - Fraction(a) ** 2, a - target
            assert Fraction(P.loss(x)[0, i]) == off**2 + Fraction(pull) ** 2 / 2
            slope = [Fraction(v) for v in P.gradient(x)[0, i]]
            assert slope == [pull - 4 * off * a, 2 * off]


def test_what_is_known_on_the_whole_plane():
    known = P.constants()
    assert known["L"].value == np.inf
    assert known["L"].source == "unbounded: on the ray x = t e_1 it grows as t^2"
    assert 1 <= known["sigma_g"].value <= 1 + 1e-14  # |a_i - mean a|
    assert 0 <= 0.5 - known["f_star"].value <= 1e-14  # mean (a_i - mean a)^2 / 2
    assert "mu" not in known


def test_a_box_bounds_the_curvature_and_names_itself():
    known = P.curvature([-1.0, 0.0], [1.0, 1.0])
    # H = [[1 - 4 (y - x^2) + 8 x^2, -4 x], [-4 x, 2]]: at (1, 0) 13, -4, -4, 2
    attained = np.linalg.eigvalsh(np.array([[13.0, -4.0], [-4.0, 2.0]]))[-1]
    assert attained <= known["L"].value <= attained * 1.2
    assert known["L"].source == "interval arithmetic over x in [[-1.0, 0.0], [1.0, 1.0]]"
    assert known["mu"].value < 0
    with pytest.raises(ValueError, match="shape"):
        P.curvature([0.0, 0.0, 0.0], 1.0)
