"""Means and variances of pdbo's estimators in interval arithmetic, by other code."""

import pytest

from theorylab.falsify import _hgp_balls
from theorylab.falsify._hgp_balls import Estimator
from theorylab.falsify.recheck import recheck
from theorylab.statements import BUILT_IN
from theorylab.verdicts import judge_check


def checks(*wanted):
    return [
        pytest.param(statement, version, check, id=f"{statement.id}-{version}-{check.name}")
        for statement in BUILT_IN.values()
        if statement.experiment == "hgp-unbiased"
        for version, judged in statement.versions.items()
        if statement.quantity_of(judged).column in _hgp_balls.COLUMNS
        if judged.relation == "<="
        for check in judged.checks
        if check.expect in wanted
    ]


FALSE, TRUE = checks("VIOLATED"), checks("HOLDS")


def test_there_are_many_of_both():
    assert len(FALSE) >= 20
    assert len(TRUE) >= 20


@pytest.mark.parametrize(("statement", "version", "check"), FALSE)
def test_every_bias_that_is_claimed_away_is_confirmed(statement, version, check):
    result = judge_check(statement, version, check)
    found = recheck(statement, version, result)
    assert found.holds is True
    # The bound of a bias is what rounding can make of 0; a variance has an allowance of its own.
    room = 1e-9 * result.measured if "variance" in version else result.bound
    assert abs(found.low - result.measured) <= room
    assert found.high - found.low <= 1e-15 * found.high
    above = result.model_copy(update={"bound": found.high * (1 + 1e-6)})
    assert recheck(statement, version, above).holds is False


@pytest.mark.parametrize(("statement", "version", "check"), TRUE)
def test_where_there_is_no_bias_it_is_0_to_seventy_digits(statement, version, check):
    result = judge_check(statement, version, check)
    found = recheck(statement, version, result)
    assert found.holds is False
    if statement.quantity_of(statement.versions[version]).column == "variance":
        assert result.ci[0] <= found.low <= found.high <= result.ci[1]
    else:
        assert found.high < 1e-70


def undivided(self, P, there, i, j):
    return self.sent[i][j] if there[i][j] else _hgp_balls.ZERO


def of_every_other(self, A, own):
    return ONWARD(self, A, 0 * own)


ONWARD = Estimator.onward
FAULTS = {
    "_worth": undivided,
    "onward": lambda self, A, own: ONWARD(self, A + own, own),
    "into_v": lambda self, B: self._eye(),
    "neumann": lambda self, last: NEUMANN(self, last + 1),
}
NEUMANN = Estimator.neumann


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_in_the_balls_own_recursion_is_seen(fault, monkeypatch):
    statement = BUILT_IN["pdbo.appb"]
    check = next(c for c in statement.versions["printed"].checks if c.name == "sto-d")
    result = judge_check(statement, "printed", check)
    assert recheck(statement, "printed", result).high < 1e-70
    monkeypatch.setattr(Estimator, fault, FAULTS[fault])
    assert recheck(statement, "printed", result).high > 1e-6


def test_message_u_takes_u_from_others_alone():
    # Algorithm 5, line 22: with w_j in its place there is no bias; a loop's own part stays w's.
    statement = BUILT_IN["pdbo.alg5"]
    check = statement.versions["printed/line22"].checks[1]
    result = judge_check(statement, "printed/line22", check)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Estimator, "onward", of_every_other)
        wrong = recheck(statement, "printed/line22", result)
    assert abs(wrong.low - result.measured) > 1e3 * result.bound


def test_a_bias_that_is_claimed_and_is_none_is_0_to_seventy_digits():
    statement = BUILT_IN["pdbo.sec61"]
    for check in statement.versions["printed"].checks:
        result = judge_check(statement, "printed", check)
        found = recheck(statement, "printed", result)
        assert found.holds is True
        assert -1e-70 < found.low <= found.high < 1e-70
        there = result.model_copy(update={"bound": 0.0})
        assert recheck(statement, "printed", there).holds is False


@pytest.mark.parametrize("name", ["pdbo.alg5", "pdbo.eq9"])
def test_what_falsify_finds_is_confirmed_and_replayed(name, stands_and_replays):
    stands_and_replays(name)
