"""The rippled losses: gradient against differences, constants attained."""

import math
from fractions import Fraction

import numpy as np
import pytest

from theorylab.problems.rippled import Rippled

OPTIONS = {"A": 0.5, "B": 3.0, "r": 2.0, "a": [[1.0, 0.0], [-2.0, 4.0], [0.5, 0.5]]}
OPTIONS["b"] = [[0.0], [1.0], [-1.0]]


def f(i, x):
    u, v = x[:2], x[2:]
    quadratic = 0.25 * sum((p - q) ** 2 for p, q in zip(u, OPTIONS["a"][i], strict=True))
    head = 1.5 * (v[0] - OPTIONS["b"][i][0]) ** 2
    return quadratic + 2.0 * sum(1 - math.cos(p) for p in u) + head


def test_losses_and_gradients_are_the_formula_s():
    made = Rippled(3, **OPTIONS)
    x = np.random.default_rng(0).normal(size=(1, 3, 3)) * 2
    loss, g = made.loss(x)[0], made.gradient(x)[0]
    for i in range(3):
        assert loss[i] == pytest.approx(f(i, x[0, i]), rel=1e-13)
        for k in range(3):
            up, down = x[0, i].copy(), x[0, i].copy()
            up[k] += 1e-5
            down[k] -= 1e-5
            # h^2 of the third derivative, and the rounding of the losses over h
            slope = (f(i, up) - f(i, down)) / 2e-5
            assert g[i, k] == pytest.approx(slope, abs=1e-9)


def test_constants_are_attained():
    made = Rippled(3, **OPTIONS)
    known = {name: entry.value for name, entry in made.personal_constants.items()}
    near, zero = np.zeros((1, 3, 3)), np.zeros((1, 3, 3))
    near[..., 0] = 1e-4
    slope = np.abs(made.gradient(near) - made.gradient(zero))[..., 0].max() / 1e-4
    assert slope == pytest.approx(known["L_u"], rel=1e-8)  # 1 - cos 1e-4
    assert (known["L_u"], known["L_v"], known["L_uv"], known["L_vu"]) == (2.5, 3.0, 0.0, 0.0)
    g = made.gradient(np.random.default_rng(1).normal(size=(1, 3, 3)))
    same = np.broadcast_to(np.array([0.3, -1.0, 0.2]), (1, 3, 3))
    g = made.gradient(same)[0, :, :2]
    gap = ((g - g.mean(axis=0)) ** 2).sum(axis=1)
    assert known["partial_delta"] ** 2 == pytest.approx(gap.mean(), rel=1e-13)
    assert known["partial_sigma_g"] ** 2 == pytest.approx(gap.max(), rel=1e-13)
    lowest = min(
        np.mean([f(i, (p, q, OPTIONS["b"][i][0])) for i in range(3)])
        for p in np.linspace(-7, 7, 57)
        for q in np.linspace(-7, 7, 57)
    )
    assert known["F_star"] <= lowest


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"A": 0.0}, "A, B, r are 0.0"),
        ({"r": -1.0}, "need finite, A, B > 0"),
        ({"a": [[1.0]]}, "need \\(3, d\\) each"),
    ],
)
def test_a_wrong_option_is_one_line(change, message):
    with pytest.raises(ValueError, match=message):
        Rippled(3, **{**OPTIONS, **change})


def test_the_steepest_slope_is_the_sum_of_the_decimals_that_were_written():
    made = Rippled(1, A=0.1, r=0.2, B=0.25, a=[[0.0]], b=[[0.0]])
    for known in (made.constants()["L"], made.personal_constants["L_u"]):
        assert known.asked == (Fraction(3, 10),) * 2
        assert known.as_json()["asked"] == "3/10"  # the float is .30000000000000004
    flat = Rippled(1, A=0.1, r=0.0, B=0.25, a=[[0.0]], b=[[0.0]])
    assert flat.constants()["L"].asked == (Fraction(1, 4),) * 2
