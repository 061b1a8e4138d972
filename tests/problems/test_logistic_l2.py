"""Logistic losses with an l2 term against 50 digits."""

import mpmath
import numpy as np

from theorylab.problems import _minimum, problem

ROWS = [[[1.0, 2.0], [0.5, -1.0]], [[-3.0, 0.25], [1.0, 1.0]]]
P = problem("logistic-l2", 2, rows=ROWS, reg=0.25)


def by_hand(x, i):
    """(loss, gradient) in 50 digits."""
    x = [mpmath.mpf(v) for v in x]
    loss, slope = (x[0] ** 2 + x[1] ** 2) / 8, [v / 4 for v in x]
    for a in ROWS[i]:
        z = a[0] * x[0] + a[1] * x[1]
        loss += mpmath.log(1 + mpmath.exp(-z)) / 2
        slope = [s - c / (1 + mpmath.exp(z)) / 2 for s, c in zip(slope, a, strict=True)]
    return loss, slope


def test_losses_and_gradients_agree_with_50_digits():
    x = np.random.default_rng(0).standard_normal((4, 2, 2)) * 3
    loss, slope = P.loss(x), P.gradient(x)
    with mpmath.workdps(50):
        for r in range(4):
            for i in range(2):
                right, slopes = by_hand(x[r, i], i)
                assert abs(right - float(loss[r, i])) <= 1e-14
                assert (
                    max(abs(s - float(v)) for s, v in zip(slopes, slope[r, i], strict=True)) < 1e-14
                )


def test_far_out_nothing_overflows():
    x = np.full((1, 2, 2), 1e4)
    assert np.isfinite(P.loss(x)).all()
    assert np.isfinite(P.gradient(x)).all()


def test_mu_is_the_l2_term_and_L_adds_a_quarter_of_the_gram_matrix():
    known = P.constants()
    gram = [np.linalg.norm(np.array(a).T @ np.array(a), 2) / 8 for a in ROWS]
    assert 0.25 - 1e-12 <= known["mu"].value <= 0.25
    assert 0.25 + max(gram) <= known["L"].value * (1 + 1e-15) <= 0.25 + max(gram) + 1e-12


def test_f_star_lies_just_below_the_least_value():
    with mpmath.workdps(30):
        best = mpmath.findroot(
            lambda a, b: [sum(by_hand((a, b), i)[1][k] for i in range(2)) for k in range(2)], (0, 0)
        )
        least = sum(by_hand([best[0], best[1]], i)[0] for i in range(2)) / 2
    star = P.constants()["f_star"].value
    assert least - 1e-12 <= star <= least + mpmath.mpf(10) ** -15


def test_f_star_is_below_the_least_value_from_any_point(monkeypatch):
    known = P.constants()
    star = known["f_star"].value
    for far in ([3.0, -1.0], [0.0, 0.5]):
        monkeypatch.setattr(_minimum, "_minimiser", lambda _, far=far: np.array(far))
        assert _minimum.least(P.formula, known["mu"])[0].value <= star + 1e-15
