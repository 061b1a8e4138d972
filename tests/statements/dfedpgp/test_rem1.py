"""The bound (4) falls with K_u: what of it (5) divides by K_u, and no more."""

import pytest

from theorylab.statements.dfedpgp._symbols import first_value
from theorylab.statements.dfedpgp.rem1 import STATEMENT


def test_the_verdicts(judged):
    found = judged(STATEMENT)
    # one client, C = q = 0, no gap: sigma_u^2/(K_u L_u) and no more, so four steps, a quarter
    assert found["printed", "noise"].ratio == pytest.approx(0.25, rel=1e-5)
    # (5) does not know how many minibatches a round has
    assert found["printed", "one-batch"].measured == found["printed", "noise"].measured


def test_larger_gains_are_refuted(missed):
    variants = {f"1/{k}": {"one step": first_value / k} for k in (5, 6, 8, 16, 32)}
    assert missed(STATEMENT, "printed", variants) == set()


def test_no_reading_is_called_false():
    assert [v.severity for v in STATEMENT.versions.values()] == [None]
