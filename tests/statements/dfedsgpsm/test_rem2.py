"""The term that SAM adds vanishes as printed."""

import pytest
from sympy import sqrt

from theorylab.statements.dfedsgpsm.rem2 import STATEMENT
from theorylab.symbols import K, T, delta

TERM = (1 + 1 / (K * delta)) / sqrt(T)


def test_the_verdicts(judged):
    assert judged(STATEMENT)["printed", "decades"].ratio == pytest.approx(0.875)


def test_planted_errors_are_refuted(missed):
    variants = {
        "half": {"vanishing": TERM / 2},
        "another root of T": {"vanishing": TERM / sqrt(T)},
        "no delta": {"vanishing": (1 + 1 / K) / sqrt(T)},
        "no 1": {"vanishing": 1 / (K * delta) / sqrt(T)},
        "three quarters": {"vanishing": 0.75 * TERM},
    }
    assert missed(STATEMENT, "printed", variants) == set()
