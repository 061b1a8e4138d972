"""Printed: false from two steps and any momentum on. Corrected: true."""

import numpy as np
import pytest
from sympy import Float

from theorylab.statements import Assumption, Check
from theorylab.statements.dfedsgpsm.lem5_step import STATEMENT
from theorylab.symbols import K, L, alpha, eta
from theorylab.verdicts import judge_check


def test_the_verdicts(judged):
    found = judged(STATEMENT)
    # K = 2, alpha = 1/10: a~ = 1 + 1.1, at eta = .99 / 2
    assert found["printed", "two-steps"].measured == pytest.approx(0.495 * 2.1, rel=1e-12)


def test_planted_errors_are_refuted(missed):
    variants = {str(k): {"one": Float(k)} for k in (0.1, 0.3, 0.5, 0.7, 0.85)}
    assert missed(STATEMENT, "corrected", variants) == set()


@pytest.mark.parametrize("factor", [2, 10])
def test_a_larger_cap_is_refuted(factor, missed):
    assumes = STATEMENT.versions["corrected"].assumes
    cap = Assumption("planted", rule=eta <= factor * (1 - alpha) / (K * L))
    there = {"alphas": [0.875], "steps": [64], "share": 0.125 * factor}
    larger = {"larger cap": {"assumes": (*assumes[:-1], cap)}}
    assert missed(STATEMENT, "corrected", larger, at=there) == set()


def test_two_hundred_drawn_numbers_are_never_violated():
    rng = np.random.default_rng(5)
    drawn = {
        "steps": [int(k) for k in rng.integers(1, 60, size=20)],
        "alphas": [float(a) for a in 1 - 10 ** rng.uniform(-6, 0, size=10)],
        "share": 1e-7,
    }
    assert judge_check(STATEMENT, "corrected", Check("drawn", drawn)).verdict == "HOLDS"
