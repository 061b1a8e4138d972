"""Maxima of affine pieces against fractions."""

import itertools
import math
from fractions import Fraction
from types import SimpleNamespace

import numpy as np

from theorylab.known import How
from theorylab.problems import minimiser, problem

PIECES = [[(1, 0), (-3, 1), (1, 0)], [(2, 2), (0, -1), (-1, 3)]]  # (slope, offset) of two clients
POINTS = [Fraction(k, 4) for k in range(-16, 25)]  # the kinks among them


def test_the_first_piece_that_attains_the_maximum_has_the_slope():
    p = problem("max-affine", 2, slopes=[[[float(a)] for a, _ in each] for each in PIECES],
                offsets=[[float(b) for _, b in each] for each in PIECES])  # fmt: skip
    x = np.tile(np.array(POINTS, float)[:, None, None], (1, 2, 1))
    losses, slopes = p.loss(x), p.gradient(x)[..., 0]
    for k, at in enumerate(POINTS):
        for i, pieces in enumerate(PIECES):
            values = [a * at + b for a, b in pieces]
            assert losses[k, i] == max(values)
            assert slopes[k, i] == pieces[values.index(max(values))][0]
    known = p.constants()
    assert (known["L"].value, known["mu"].value, 3 <= known["B"].value < 3.01) == (np.inf, 0, True)
    assert p.subgradient in known["L"].source


def test_f_star_is_the_least_value_at_the_kinks_in_fractions():
    p = problem("max-affine", 2, slopes=[[[float(a)] for a, _ in each] for each in PIECES],
                offsets=[[float(b) for _, b in each] for each in PIECES])  # fmt: skip
    pairs = itertools.product(PIECES[0] + PIECES[1], repeat=2)
    kinks = [Fraction(b - d, c - a) for (a, b), (c, d) in pairs if a != c]
    least = min(sum(max(a * x + b for a, b in each) for each in PIECES) for x in kinks) / 2
    known = p.constants()["f_star"]
    assert (known.value, known.how) == (least, How.EXACT)


def test_f_star_of_fractions_of_three_is_between_neighbouring_floats():
    cone = problem("max-affine", 1, slopes=[[[3.0, 0.0], [-3.0, 1.0], [0.0, -1.0]]],
                   offsets=[[1.0, 0.0, 0.0]])  # fmt: skip
    # multipliers 1/3, 1/3, 1/3, and f = 1/3 where 3x + 1 = y - 3x = -y
    low, high = cone.constants()["f_star"].enclosure
    assert Fraction(low) < Fraction(1, 3) < Fraction(high)
    assert math.nextafter(low, 1) == high
    assert minimiser(cone) is None


def test_one_piece_is_affine_and_no_minimum_is_told_of_what_has_none():
    line = problem("max-affine", 1, slopes=[[[2.0], [2.0]]], offsets=[[0.0, 1.0]])
    assert line.constants()["L"].value == 0
    assert ("f_star" in line.constants(), minimiser(line)) == (False, None)


def test_multipliers_below_zero_bound_nothing_whatever_a_solver_says(monkeypatch):
    # max(x, 2x, -x) is 0 at least. The multipliers 2, -1 of x and 2x cancel, too, and are none.
    p = problem("max-affine", 1, slopes=[[[1.0], [2.0], [-1.0]]], offsets=[[0.0, 0.0, 0.0]])
    wrong = SimpleNamespace(
        status=0, x=np.array([0.5, 0.5, 0.0]), eqlin=SimpleNamespace(marginals=np.zeros(2))
    )
    monkeypatch.setattr("scipy.optimize.linprog", lambda *_, **__: wrong)
    assert p.bottom == (None, None)
