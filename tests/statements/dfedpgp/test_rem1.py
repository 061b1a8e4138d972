"""More local steps: only noise, a minibatch a step, makes it true."""

from theorylab.statements.dfedpgp._symbols import first_value
from theorylab.statements.dfedpgp.rem1 import STATEMENT


def test_the_verdicts(judged):
    found = judged(STATEMENT)
    # sigma_u^2/(K_u L_u): four steps, a quarter
    assert abs(found["printed/fresh", "noise"].ratio - 0.25) < 1e-3


def test_larger_gains_are_refuted(caught):
    variants = {f"1/{k}": {"one step": first_value / k} for k in (5, 6, 8, 16, 32)}
    assert caught(STATEMENT, "printed/fresh", variants) == set(variants)
