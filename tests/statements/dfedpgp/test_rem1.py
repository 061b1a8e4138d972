"""More local steps: only noise, a minibatch a step, makes it true."""

from theorylab.statements import Check
from theorylab.statements.dfedpgp import _sweeps as made
from theorylab.statements.dfedpgp._instances import changed
from theorylab.statements.dfedpgp._symbols import first_value
from theorylab.statements.dfedpgp.rem1 import STATEMENT
from theorylab.verdicts import judge_check


def test_the_verdicts(judged):
    found = judged(STATEMENT)
    # sigma_u^2/(K_u L_u): four steps, a quarter
    assert abs(found["printed/fresh", "noise"].ratio - 0.25) < 1e-3


def test_larger_gains_are_refuted(caught):
    variants = {f"1/{k}": {"one step": first_value / k} for k in (5, 6, 8, 16, 32)}
    assert caught(STATEMENT, "printed/fresh", variants) == set(variants)


def test_each_reading_is_about_its_own_minibatches():
    one, several = changed(made.MORE_STEPS, batch="per-round"), made.MORE_STEPS
    for version, instance in (("printed", several), ("printed/fresh", one)):
        result = judge_check(STATEMENT, version, Check("other", instance))
        assert result.verdict == "ASSUMPTION_FAILS"
