"""True: the largest value is 4, at K = 2."""

import numpy as np
from sympy import E, Integer

from theorylab.statements import Check
from theorylab.statements.dfedsgpsm.lem3_growth import STATEMENT
from theorylab.verdicts import judge_check


def test_the_verdict(judged):
    assert judged(STATEMENT)["printed", "many"].measured == 4.0


def test_a_number_below_four_is_refuted_and_four_is_not(missed):
    variants = {str(k): {"five": Integer(5) * k / 10} for k in (1, 2, 5, 7)}
    assert missed(STATEMENT, "printed", variants) == set()
    assert missed(STATEMENT, "printed", {"4": {"five": Integer(4)}}) == {"4"}
    euler = {"e": {"five": E}}  # the limit is e, but it is approached from above
    assert missed(STATEMENT, "printed", euler) == set()


def test_two_hundred_drawn_numbers_are_never_violated():
    rng = np.random.default_rng(5)
    drawn = {
        "steps": [int(k) for k in rng.integers(2, 60, size=20)],
        "alphas": [float(a) for a in 1 - 10 ** rng.uniform(-6, 0, size=10)],
    }
    assert judge_check(STATEMENT, "printed", Check("drawn", drawn)).verdict == "HOLDS"
