"""Printed: false for every alpha > 0. Corrected: true, with equality."""

import numpy as np
import pytest
from sympy import sqrt

from theorylab.statements import Check
from theorylab.statements.dfedsgpsm.lem5_last import STATEMENT
from theorylab.symbols import K, alpha
from theorylab.verdicts import judge_check


def test_the_verdicts(judged):
    # K = 1: 1/a~ = 1 against 1 - alpha
    assert judged(STATEMENT)["printed", "momentum"].ratio == pytest.approx(100, rel=1e-12)


def test_planted_errors_are_refuted(missed):
    variants = {
        "half": {"replacement": 1 / (2 * K)},
        "1 - alpha": {"replacement": (1 - alpha) / K},
        "K^2": {"replacement": 1 / K**2},
        "K + 1": {"replacement": 1 / (K + 1)},
        "root of 1 - alpha": {"replacement": sqrt(1 - alpha) / K},
    }
    assert missed(STATEMENT, "corrected", variants) == set()


def test_two_hundred_drawn_numbers_are_never_violated():
    rng = np.random.default_rng(5)
    drawn = {
        "steps": [int(k) for k in rng.integers(1, 60, size=20)],
        "alphas": [float(a) for a in 1 - 10 ** rng.uniform(-6, 0, size=10)],
    }
    assert judge_check(STATEMENT, "corrected", Check("drawn", drawn)).verdict == "HOLDS"
