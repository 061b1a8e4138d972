"""An added edge may raise q, C and the true rate; with a fixed it lowers q."""

import pytest

from theorylab.statements.dfedsgpsm._symbols import before
from theorylab.statements.dfedsgpsm.rem1_trend import STATEMENT


def test_the_verdicts(judged):
    found = judged(STATEMENT)
    # (1 - 2^-3)^(1/4) before, (1 - 3^-3)^(1/4) after
    chord = found["printed/degree", "chord"]
    assert chord.measured == pytest.approx((1 - 3**-3) ** 0.25, rel=1e-14)
    assert chord.bound == pytest.approx((1 - 2**-3) ** 0.25, rel=1e-14)
    assert found["printed/true-rate", "slower"].bound == pytest.approx(0.5, rel=1e-12)


def test_a_decrease_by_a_factor_is_refuted(caught):
    variants = {str(k): {"before": before * k / 100} for k in (1, 50, 90, 95, 99)}
    assert caught(STATEMENT, "printed", variants) == set(variants)
