"""Assumption 2: the least L, and numbers below it."""

import pytest

from theorylab.statements import Check
from theorylab.statements.deprl import _instances as made
from theorylab.statements.deprl._symbols import L
from theorylab.statements.deprl.asm2 import STATEMENT
from theorylab.verdicts import judge_check

LARGE = {**made.PROBED, "probes": 256}
COUPLED = {**made.PROBED_COUPLED, "probes": 256}


@pytest.mark.parametrize("version", ["printed", "printed/theta"])
@pytest.mark.parametrize("instance", [LARGE, COUPLED], ids=["sin-sin", "quadratic"])
def test_half_of_L_is_too_little_somewhere(version, instance, missed):
    assert missed(STATEMENT, version, {"half": {"L": L / 2}}, at=instance) == set()


def test_the_block_constant_is_not_the_smoothness_of_the_whole():
    # F = (phi + theta)^2/2: every block of its Hessian is 1, its norm is 2
    made_of = {
        "name": "coupled-quadratic",
        "A": [[[1.5]], [[1.5]]],
        "B": [[[1.0]], [[1.0]]],
        "C": [[[1.0]], [[1.0]]],
        "a": [[0.0], [0.0]],
        "b": [[0.0], [0.0]],
    }
    instance = {"problem": made_of, "clients": 2}
    found = judge_check(STATEMENT, "printed", Check("blocks", instance))
    assert found.verdict == "HOLDS"
    assert found.bound == pytest.approx(1.5, rel=1e-12)
