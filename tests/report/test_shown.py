"""What every surface tells of one result."""

import pytest

from theorylab.report.shown import Shown


@pytest.mark.parametrize(("relation", "bound"), [("<=", "the bound"), (">=", "the lower bound")])
def test_the_bound_of_a_claim_from_below_is_called_a_lower_one(make, relation, bound):
    told = Shown(make(relation=relation, measured=0.5, bound=0.25, log10_bound=-0.602)).compared
    assert told == f"the left side is 0.5 and {bound} 0.25, 2 times"


@pytest.mark.parametrize(("severity", "told"), [("misprint", "12.5 % off"), ("", "3")])
def test_of_a_false_identity_the_relative_error_is_told_and_no_ratio_to_rounding(
    make, severity, told
):
    assert Shown(make(relative_error=0.125, ratio=3.0, severity=severity)).over == told
