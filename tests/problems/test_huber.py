"""Huber's losses against fractions."""

from fractions import Fraction

import numpy as np

from theorylab.constants import loss_constants
from theorylab.problems import problem

CENTERS, WIDTH, WEIGHT = [0, 2, 9], [1, Fraction(1, 2), 2], [3, 1, 4]
P = problem(
    "huber",
    3,
    centers=[[float(c)] for c in CENTERS],
    width=list(map(float, WIDTH)),
    weight=list(map(float, WEIGHT)),
)


def by_hand(x, i):
    y, b = x - CENTERS[i], WIDTH[i]
    inside = abs(y) <= b
    loss = y * y / 2 if inside else b * abs(y) - Fraction(b) ** 2 / 2
    return WEIGHT[i] * loss, WEIGHT[i] * (y if inside else (b if y > 0 else -b))


def test_losses_and_gradients_are_the_fractions_that_they_are():
    for at in (
        Fraction(-3),
        Fraction(1, 4),
        Fraction(5, 2),
        Fraction(7),
        Fraction(11),
        Fraction(1),
    ):
        x = np.full((1, 3, 1), float(at))
        loss, slope = P.loss(x)[0], P.gradient(x)[0, :, 0]
        for i in range(3):
            assert (Fraction(loss[i]), Fraction(slope[i])) == by_hand(at, i)


def test_the_constants_are_the_greatest_weight_and_the_greatest_slope():
    known = P.constants()
    assert (known["L"].value, known["mu"].value) == (4.0, 0.0)
    assert 8 <= known["B"].value <= 8 * (1 + 1e-15 * 5)  # weight 4, width 2
    # between neighbours of the grid f changes by at most 8 / 64 times the way to the least point
    grid = [Fraction(k, 64) for k in range(0, 64 * 9)]
    least = min(sum(by_hand(x, i)[0] for i in range(3)) / 3 for x in grid)
    assert least - Fraction(1, 256) <= Fraction(known["f_star"].value) <= least


def test_the_gradient_does_not_jump_where_the_curvature_does():
    x = np.array([[[1.0], [2.5], [7.0]]])
    assert P.gradient(x)[0, :, 0].tolist() == [3.0, 0.5, -8.0]


def test_the_constants_of_its_parts_are_those_of_a_sum_over_coordinates():
    p = problem("huber", 2, dim=3, shared=1, weight=[3.0, 5.0])
    known = loss_constants(p, shared=p.shared)
    assert (known["L_u"].value, known["L_v"].value, known["L_uv"].value) == (5.0, 5.0, 0.0)
    # two clients: |grad_u f_1 - mean| is at most half of 3 + 5, and 2 (1 - 1/2) 5 is found
    assert 4 <= known["partial_sigma_g"].value <= 5 * (1 + 1e-14)
    assert not hasattr(problem("logistic-l2", 2, shared=1), "personal_constants")
