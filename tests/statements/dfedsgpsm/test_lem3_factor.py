"""True for every K > 1 and every step within the cap."""

import numpy as np

from theorylab.statements import Assumption, Check
from theorylab.statements.dfedsgpsm._symbols import step_share
from theorylab.statements.dfedsgpsm.lem3_factor import STATEMENT
from theorylab.symbols import K
from theorylab.verdicts import judge_check

FACTOR = 1 / (K - 1)


def test_the_verdicts(judged):
    assert 0.7 < judged(STATEMENT)["printed", "largest-step"].ratio < 0.75


def test_planted_errors_are_refuted(missed):
    variants = {
        "half": {"factor": FACTOR / 2},
        "K for K - 1, halved": {"factor": 1 / (2 * K)},
        "K^2": {"factor": 1 / (K - 1) ** 2},
        "2K - 1": {"factor": 1 / (2 * K - 1)},
        "0.7": {"factor": 0.7 * FACTOR},
    }
    assert missed(STATEMENT, "printed", variants) == set()


def test_a_cap_ten_times_as_large_is_refuted(missed):
    check = Check("tenfold", {"steps": [2, 3, 10], "share": 10.0})
    assert judge_check(STATEMENT, "printed", check).verdict == "ASSUMPTION_FAILS"
    large = {"tenfold": {"assumes": (Assumption("tenfold", rule=step_share <= 10),)}}
    assert missed(STATEMENT, "printed", large, at=check.instance) == set()


def test_two_hundred_drawn_numbers_are_never_violated():
    rng = np.random.default_rng(5)
    drawn = {
        "steps": [int(k) for k in rng.integers(2, 60, size=20)],
        "alphas": [float(a) for a in 1 - 10 ** rng.uniform(-6, 0, size=10)],
    }
    assert judge_check(STATEMENT, "printed", Check("drawn", drawn)).verdict == "HOLDS"
