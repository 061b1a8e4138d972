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


def test_faster_rates_are_refuted():
    options = STATEMENT.versions["printed"].checks[0].instance
    short = {**options, "values": [10, 32, 100, 316]}
    for power in (-0.6, -0.75, -1.0, -1.5, -2.0):
        check = Check("planted", {**short, "bracket": [[1.0, power]]})
        assert judge_check(STATEMENT, "printed", check).verdict == "VIOLATED", power
