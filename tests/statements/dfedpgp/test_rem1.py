"""The bound (4) falls with K_u: what of it (5) divides by K_u, and no more."""

import pytest
import sympy as sp

from theorylab.statements.dfedpgp.rem1 import STATEMENT


def test_the_verdicts(judged):
    found = judged(STATEMENT)
    # one client, C = q = 0, no gap: sigma_u^2/(K_u L_u) and no more, but for F(ubar^1) at T = 1e5
    for name in ("noise", "one-batch"):
        assert found["printed", name].measured == pytest.approx(0.1, rel=1e-4)
    # what stands without K_u keeps the rest from falling as fast
    assert 0.1 < found["printed", "diverse"].measured < 1


def test_larger_gains_are_refuted(missed):
    variants = {f"1/{k}": {"falls": sp.Rational(1, k)} for k in (11, 12, 16, 32, 64)}
    assert missed(STATEMENT, "printed", variants) == set()


def test_no_reading_is_called_false():
    assert [v.severity for v in STATEMENT.versions.values()] == [None]
