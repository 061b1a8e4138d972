"""The first estimator of B-bar is biased to the letter, unbiased with g for h."""

import numpy as np
import pytest

from theorylab.experiments import experiment
from theorylab.statements.pdbo._unbiased import instances


@pytest.mark.parametrize("name", ["sto-d", "sto-d-4a"])
def test_the_letter_drops_b_bar_on_4b_and_adds_to_it_on_4a(name):
    one = experiment("hgp-unbiased", **instances("eq12")[name])
    p = one.at
    step, G = p.sgp.steps(2), p.problem.G[:, 0, 0]
    bias = one.observe("bias_B_a31", range(1), 0).rows[0].values[0]
    # 4b: d_lambda h = 0. 4a: d_lambda h_i = a_i G_i, added on the diagonal.
    assert bias == pytest.approx(np.abs(step * G).max(), rel=1e-14)
