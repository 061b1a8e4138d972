"""1/sqrt(T) over three decades; 1/T is refuted."""

import math

import pytest

from theorylab.statements import Check
from theorylab.statements.dfedsgpsm.cor1_rate import STATEMENT
from theorylab.verdicts import judge_check


def test_the_verdicts(judged):
    found = judged(STATEMENT)
    # the control is off by sqrt(10) a decade
    ratio = found["printed", "control-1-over-T"].measured
    assert ratio == pytest.approx(math.sqrt(10), rel=0.1)


def planted(power, **problem):
    options = STATEMENT.versions["printed"].checks[0].instance
    short = {**options, "bracket": [[1.0, power]]}
    short["problem"] = {**options["problem"], **problem}
    return judge_check(STATEMENT, "printed", Check("planted", short)).verdict


def test_faster_rates_are_refuted():
    for power in (-0.75, -1.0, -1.5, -2.0):
        assert planted(power) == "VIOLATED", power
    # The ratio grows by 10^(1/10) a decade, from 2.3 to 3.7. What the descent lemma leaves to the
    # O(.) at the first value is 5.8: two decades do not tell that from a bounded ratio.
    assert planted(-0.6) == "INCONCLUSIVE"


def test_flat_losses_refute_nothing():
    # a gradient of 1e-3 moves nothing in 1000 rounds: the ratio rises as sqrt T, far below 1
    assert planted(-0.5, scale=1e-3) == "INCONCLUSIVE"
