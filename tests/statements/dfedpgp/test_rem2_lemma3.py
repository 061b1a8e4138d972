"""Lemma 3's q grows with K_u, the remark's does not."""

import mpmath
import pytest

from theorylab.statements.dfedpgp._symbols import q_one
from theorylab.statements.dfedpgp.rem2_lemma3 import STATEMENT


def test_the_verdict_and_both_numbers(judged):
    result = judged(STATEMENT)["control", "ring"]

    def q(K):  # ring of four: n = 4, D = 2, Delta = 3, B = 1
        hops = (K + 1) * 3
        return float((1 - 4 * mpmath.mpf(2) ** -hops) ** (mpmath.mpf(1) / (hops + 1)))

    assert result.measured == pytest.approx(q(5), rel=1e-15)
    assert result.bound == pytest.approx(q(1), rel=1e-15)
    assert q_one in STATEMENT.versions["control"].free


def test_two_formulas_that_differ_are_no_false_claim():
    checks = [check for version in STATEMENT.versions.values() for check in version.checks]
    assert checks
    assert all(check.control for check in checks)
