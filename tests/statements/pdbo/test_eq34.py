"""kappa is at least n, with equality on static networks."""

import pytest

from theorylab.statements import Check
from theorylab.statements.pdbo._symbols import kappa
from theorylab.statements.pdbo.eq34 import STATEMENT
from theorylab.symbols import n
from theorylab.verdicts import judge_check

STATIC = {"network": {"name": "complete"}, "clients": 7}
FAULTS = {
    "half": lambda t: t / 2,
    "n kappa for n^2": lambda t: t / n,
    "its root": lambda t: t / kappa**0.5,
    "a thousandth less": lambda t: t * 0.999,
    "kappa - 1": lambda t: t * (kappa - 1) / kappa,
}


def test_smaller_bounds_are_refuted(missed):
    assert missed(STATEMENT, "printed", FAULTS, at=STATIC) == set()


@pytest.mark.parametrize("count", [20, pytest.param(200, marks=pytest.mark.slow)])
def test_random_networks_hold(count):
    for k in range(count):
        network = {"name": ("sto-d", "sto-u")[k % 2], "low": 0.01, "high": 1.0, "seed": k}
        check = Check(str(k), {"network": network, "clients": 2 + k % 7})
        assert judge_check(STATEMENT, "printed", check).verdict == "HOLDS"
