"""dfedalt's, dfedsalt's and dfedpgp's counterexamples in interval arithmetic, by other code."""

import pytest

from theorylab.falsify.recheck import CLAIMS, SIDES, recheck
from theorylab.statements import BUILT_IN
from theorylab.verdicts import judge_check

CLAIMED = {"alternating-rounds": SIDES, "alternating-terms": SIDES, "dfedpgp-rounds": CLAIMS}
PLACES = [
    pytest.param(
        statement, version, check, id=f"{statement.id}-{version}-{check.name}",
        marks=() if check.expect == "VIOLATED" else pytest.mark.slow,
    )
    for statement in BUILT_IN.values()
    if statement.experiment in CLAIMED
    for version, judged in statement.versions.items()
    if statement.quantity_of(judged).column in CLAIMED[statement.experiment]
    for check in judged.checks
]  # fmt: skip


def test_most_of_the_papers_false_displays_are_rechecked():
    assert sum(not param.marks for param in PLACES) > 30


@pytest.mark.parametrize(("statement", "version", "check"), PLACES)
def test_the_enclosure_is_what_the_experiment_measured(statement, version, check):
    result = judge_check(statement, version, check)
    found = recheck(statement, version, result)
    if found.holds is None:
        known = ("noise", "rippled")
        assert any(word in found.how for word in known) or not result.place
        return
    # differences of losses keep an absolute error of the losses, which are of the instance's size
    assert found.low == pytest.approx(result.measured, rel=1e-8, abs=1e-15)
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
