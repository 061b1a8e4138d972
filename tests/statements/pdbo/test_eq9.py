"""Eq. (9)'s letter is biased from three terms on; Eq. (16) is unbiased."""

import pytest

from theorylab.experiments import experiment


def test_the_bias_of_the_letter_is_the_variance_of_a():
    # one client, one number: E A^2 - (E A)^2 = noise^2 (a H / omega)^2, times B and c
    place = {
        "problem": {"clients": 1, "dim": 1, "hyper": 1, "noise": 0.5, "seed": 4},
        "network": {"name": "complete"},
        "step": 0.3,
    }
    one = experiment("hgp-unbiased", place=place, reading="eq9", terms=3)
    p = one.at
    slope = 0.3 * p.problem.H[0, 0, 0] / p.point.omega[0]
    told = abs((0.5 * slope) ** 2 * p.B_bar[0, 0] * p.c_y[0])
    found = one.observe("bias", range(1), 0).rows[0].values[0]
    assert found == pytest.approx(told, rel=1e-10)  # sums of some ten numbers of order 1
