"""Remark 2's q and C: the verdicts, and the formula by hand."""

import pytest

from theorylab.statements.dfedpgp.rem2 import STATEMENT
from theorylab.statements.dfedsgpsm._symbols import q_fixed


def test_the_verdicts(judged):
    found = judged(STATEMENT)
    # directed ring of 8: D = 2, Delta = 7, B = 1
    result = found["printed/degree", "many-networks"]
    assert result.bound == pytest.approx((1 - 2.0**-7) ** (1 / 8), rel=1e-12)
    # an a that is a constant knows of the clients, not of their degrees
    assert found["printed", "many-networks"].bound > result.bound
    # the ring of four and one chord: a = 1/4 stays, and so does Delta = 3; a = 1/D falls to 1/3
    chord = found["printed/q-falls", "chord"]
    assert chord.measured == chord.bound == pytest.approx((1 - 4.0**-3) ** 0.25, rel=1e-14)
    chord = found["printed/q-falls-degree", "chord"]
    assert chord.measured == pytest.approx((1 - 3.0**-3) ** 0.25, rel=1e-14)
    assert chord.bound == pytest.approx((1 - 2.0**-3) ** 0.25, rel=1e-14)


@pytest.mark.parametrize("version", ["printed", "printed/degree"])
def test_smaller_rates_are_refuted(version, missed):
    bound = STATEMENT.versions[version].terms["q"]
    # the slowest network has |lambda_2| / q of .92, whatever a is
    variants = {f"q^{k}": {"q": bound**k} for k in (100, 200, 10**7, 10**8, 10**9)}
    assert missed(STATEMENT, version, variants) <= {"q^100", "q^200"}
    assert q_fixed in STATEMENT.versions["printed"].free
