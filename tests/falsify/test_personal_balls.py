"""dfedalt's, dfedsalt's and dfedpgp's counterexamples in interval arithmetic, by other code."""

import math

import flint
import pytest

from theorylab.falsify import _alternating_balls, _dfedpgp_balls
from theorylab.falsify._personal_balls import losses_of
from theorylab.falsify.recheck import recheck
from theorylab.problems.rippled import Rippled
from theorylab.statements import BUILT_IN
from theorylab.verdicts import judge_check


def claimed(statement, version):
    column = statement.quantity_of(version).column
    paper, _, side = column.rpartition(".")
    if paper == "dfedalt":
        return side in _alternating_balls.SIDES
    return paper == "dfedpgp" and side in _dfedpgp_balls.SIDES


PLACES = [
    pytest.param(
        statement, version, check, id=f"{statement.id}-{version}-{check.name}",
        marks=() if check.expect == "VIOLATED" else pytest.mark.slow,
    )
    for statement in BUILT_IN.values()
    for version, judged in statement.versions.items()
    if claimed(statement, judged)
    for check in judged.checks
]  # fmt: skip


def test_most_of_the_papers_false_displays_are_rechecked():
    assert sum(not param.marks for param in PLACES) > 30


@pytest.mark.parametrize(("statement", "version", "check"), PLACES)
def test_the_enclosure_is_what_was_measured(statement, version, check):
    result = judge_check(statement, version, check)
    found = recheck(statement, version, result)
    if found.holds is None:
        assert "noise" in found.how or not result.place
        return
    # differences of losses keep an absolute error of the losses, which are of the instance's size
    room = max(1e-15, result.ci[1] - result.ci[0])
    assert found.low == pytest.approx(result.measured, rel=1e-8, abs=room)
    assert found.holds == (result.verdict == "VIOLATED")


def test_a_bound_below_zero_is_compared_on_the_right_side():
    statement = BUILT_IN["dfedalt.eq15"]
    check = next(c for c in statement.versions["corrected"].checks if c.name == "steep-heads")
    result = judge_check(statement, "corrected", check)
    low = recheck(statement, "corrected", result).low
    assert low < 0
    above, below = (result.model_copy(update={"bound": low * (1 + s * 1e-8)}) for s in (-1, 1))
    assert recheck(statement, "corrected", above).holds is False
    assert recheck(statement, "corrected", below).holds is True


def test_a_ripple_is_in_the_losses_and_in_their_gradients():
    # A = 2, B = 3, r = 5 and one client: f = (u-1)^2 + 5 (1 - cos u) + 3/2 (v+1)^2
    problem = Rippled(1, a=[[1.0]], b=[[-1.0]], A=2.0, B=3.0, r=5.0)
    losses = losses_of(problem)
    u, v = [flint.arb(0.5)], [flint.arb(0.25)]
    (gu,), (gv,) = losses.gradient(0, u, v)
    assert float(gu.mid()) == pytest.approx(2 * (0.5 - 1) + 5 * math.sin(0.5), rel=1e-15)
    assert float(gv.mid()) == 3 * 1.25
    value = 0.25 + 5 * (1 - math.cos(0.5)) + 1.5 * 1.25**2
    assert float(losses.value(u, [v]).mid()) == pytest.approx(value, rel=4e-15)


def test_a_loss_that_is_not_written_out_is_named():
    problem = Rippled(1, a=[[1.0]], b=[[-1.0]])
    problem.name = "unknown"
    assert losses_of(problem) is None
