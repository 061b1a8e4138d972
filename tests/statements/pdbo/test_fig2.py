"""VR-HGP beats HGP at M = 500 on a like problem, exactly measured."""

import pytest

from theorylab.statements import Check
from theorylab.statements.pdbo.fig2 import SMALL_STEP, STATEMENT
from theorylab.verdicts import judge_check

ELSEWHERE = {
    "a small step": SMALL_STEP,
    "five clients": {"clients": 5},
    "directed edges": {"network": {"name": "sto-d"}},
    "the step before": {"sgp": {"step": 0.3, "variant": "4a"}},
    "another problem": {"problem": {"dim": 1, "hyper": 1, "seed": 7}},
}


@pytest.mark.parametrize("name", ELSEWHERE)
@pytest.mark.parametrize("version", STATEMENT.versions)
def test_the_figure_says_nothing_of_another_instance(version, name):
    if version == "printed/seeds" and name in ("a small step", "another problem"):
        return  # its words are about other data
    found = judge_check(STATEMENT, version, Check(name, ELSEWHERE[name]))
    assert found.verdict == "ASSUMPTION_FAILS"


def test_on_another_instance_it_can_be_false(planted):
    told = STATEMENT.versions["printed"]
    kept = tuple(a for a in told.assumes if "stands for" not in a.name)
    wrong = planted(STATEMENT, "printed", {"assumes": kept})
    found = judge_check(wrong, "printed", Check("a small step", SMALL_STEP))
    assert found.verdict == "VIOLATED"
    assert found.measured > 1.3
