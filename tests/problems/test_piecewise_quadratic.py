"""Piecewise quadratics against fractions."""

from fractions import Fraction

import numpy as np

from theorylab.problems import problem

NORMALS = [[[1, 2], [0, -1]], [[-3, 1], [1, 1]]]
KINKS, JUMPS, LEAST = [[1, 0], [2, -1]], [[9, 4], [1, 2]], [Fraction(1, 2), 2]
CENTERS = [[1, -1], [0, 3]]
P = problem(
    "piecewise-quadratic",
    2,
    normals=np.array(NORMALS, float).tolist(),
    kinks=np.array(KINKS, float).tolist(),
    jumps=np.array(JUMPS, float).tolist(),
    least=[0.5, 2.0],
    centers=np.array(CENTERS, float).tolist(),
)


def by_hand(x, i):
    away = [a - c for a, c in zip(x, CENTERS[i], strict=True)]
    loss, slope = LEAST[i] * sum(y * y for y in away) / 2, [LEAST[i] * y for y in away]
    for a, t, s in zip(NORMALS[i], KINKS[i], JUMPS[i], strict=True):
        over = max(sum(p * q for p, q in zip(a, x, strict=True)) - t, Fraction(0))
        loss += s * over**2 / 2
        slope = [g + s * over * p for g, p in zip(slope, a, strict=True)]
    return loss, slope


def test_losses_and_gradients_are_the_fractions_that_they_are():
    for point in ((0, 0), (1, 0), (Fraction(-3, 2), Fraction(1, 4)), (5, -2), (0, Fraction(1, 2))):
        x = np.full((1, 2, 2), 0.0) + [float(v) for v in point]
        loss, slope = P.loss(x)[0], P.gradient(x)[0]
        for i in range(2):
            right, slopes = by_hand([Fraction(v) for v in point], i)
            assert Fraction(loss[i]) == right
            assert [Fraction(v) for v in slope[i]] == slopes


def test_mu_and_L_are_those_of_the_extreme_pieces():
    known = P.constants()
    tops = [float(m) * np.eye(2) + sum(s * np.outer(a, a) for a, s in zip(A, S, strict=True))
            for m, A, S in zip(LEAST, NORMALS, JUMPS, strict=True)]  # fmt: skip
    top = max(np.linalg.eigvalsh(H)[-1] for H in tops)
    assert top <= known["L"].value * (1 + 1e-15) <= top * (1 + 1e-13)
    assert 1.25 - 1e-12 <= known["mu"].value <= 1.25  # the mean of 1/2 and 2


def test_one_dimension_has_its_kink_where_it_is_said():
    p = problem("piecewise-quadratic", 1, kinks=1.0, jumps=3.0)
    slopes = [p.gradient(np.full((1, 1, 1), x))[0, 0, 0] for x in (0.5, 1.0, 2.0)]
    assert slopes == [0.5, 1.0, 5.0]
    assert (p.constants()["L"].value, p.constants()["mu"].value) == (4.0, 1.0)
