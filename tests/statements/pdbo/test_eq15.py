"""The truncated Neumann series: void on y, geometric on z, and true where only rho < 1."""

import pytest

from theorylab.statements import Check
from theorylab.statements.pdbo._instances import AVERAGING, OPPOSED, place
from theorylab.statements.pdbo._symbols import norm_A, resolvent, terms
from theorylab.statements.pdbo.eq15 import STATEMENT
from theorylab.verdicts import judge_check

# A-bar = (1/2) I on the consensus: the geometric bound is attained.
TIGHT = {**place(OPPOSED, AVERAGING, "4a", 0.5), "lam": 0.0}
FAULTS = {
    "half": ("printed/z", lambda t: t / 2),
    "one term more": ("printed/z", lambda t: t * norm_A),
    "no 1/(1 - norm)": ("printed/z", lambda t: t * (1 - norm_A)),
    "twice the terms": ("printed/z", lambda t: t * norm_A**terms),
    "no resolvent": ("corrected", lambda t: t / resolvent),
    "half, corrected": ("corrected", lambda t: t / 2),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_smaller_bound_is_refuted(name, missed):
    version, change = FAULTS[name]
    assert missed(STATEMENT, version, {name: change}, at=TIGHT) == set()


@pytest.mark.parametrize("count", [20, pytest.param(200, marks=pytest.mark.slow)])
def test_random_instances_hold(count):
    for k in range(count):
        problem = {"clients": 2 + k % 3, "dim": 1 + k % 2, "hyper": 1, "seed": k}
        network = {"name": ("sto-d", "sto-u")[k % 2], "seed": k}
        step = (0.02, 0.1, 0.4)[k % 3]
        check = Check(str(k), place(problem, network, ("4a", "4b")[k // 2 % 2], step))
        assert judge_check(STATEMENT, "corrected", check).verdict == "HOLDS", check.instance
        found = judge_check(STATEMENT, "printed/z", check).verdict
        assert found in ("HOLDS", "ASSUMPTION_FAILS"), check.instance
