"""alpha = O(1/tau): the terms by hand along tau; other powers are told apart."""

import pytest

from theorylab.statements import Check
from theorylab.statements.deprl.thm1_heads import STATEMENT, _along
from theorylab.verdicts import judge_check


def ratios(alpha):
    result = judge_check(STATEMENT, "printed", Check("own", _along(alpha)))
    return result, result.curve.measured


def test_the_ratios_are_those_of_the_terms():
    _, found = ratios("0.01/tau")
    for tau, ratio in zip((1, 4, 16, 64), found, strict=True):
        drift = 12 * 1e-6 / tau**3 * tau / 1e-3 * (tau - 1) * (6 * tau + 1)
        noise = 2 * 1e-4 / tau**2 * tau / 1e-3
        assert ratio == pytest.approx((drift + noise) / (2 * 1e-3 / 2), rel=1e-9)


@pytest.mark.parametrize(
    ("alpha", "verdict"),
    [("0.01/tau", "HOLDS"), ("0.01/tau**0.5", "INCONCLUSIVE"), ("0.01", "INCONCLUSIVE")],
)
def test_a_larger_alpha_is_not_said_to_hold(alpha, verdict):
    assert ratios(alpha)[0].verdict == verdict
