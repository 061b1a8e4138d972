"""True, with equality at alpha = 0."""

import numpy as np
from sympy import Integer, sqrt

from theorylab.statements import Check
from theorylab.statements.dfedsgpsm.lem4_weight import STATEMENT
from theorylab.symbols import K, alpha
from theorylab.verdicts import judge_check

END = K / (1 - alpha)


def test_the_verdicts(judged):
    found = judged(STATEMENT)
    assert found["printed", "many"].ratio == 1.0  # at alpha = 0


def test_planted_errors_are_refuted(missed):
    variants = {
        "half": {"upper end": END / 2},
        "no 1 - alpha": {"upper end": Integer(1) * K},
        "no K": {"upper end": 1 / (1 - alpha)},
        "root of 1 - alpha": {"upper end": K / sqrt(1 - alpha)},
        "K - 1": {"upper end": (K - 1) / (1 - alpha)},
        "1 + alpha": {"upper end": K / (1 + alpha)},
    }
    assert missed(STATEMENT, "printed", variants) == set()


def test_two_hundred_drawn_numbers_are_never_violated():
    rng = np.random.default_rng(5)
    drawn = {
        "steps": [int(k) for k in rng.integers(1, 60, size=20)],
        "alphas": [float(a) for a in 1 - 10 ** rng.uniform(-6, 0, size=10)],
    }
    assert judge_check(STATEMENT, "printed", Check("drawn", drawn)).verdict == "HOLDS"
