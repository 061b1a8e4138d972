"""Table 1: what is off and by how much."""

import pytest

from theorylab.statements.dfedpgp.tab1 import STATEMENT


def test_the_verdicts(judged):
    found = judged(STATEMENT)
    assert "86.50%" in found["printed", "as-transcribed"].reason
    assert found["printed", "as-transcribed"].measured == pytest.approx(0.89, rel=1e-12)
    outperforms = found["printed/outperforms", "as-transcribed"]
    assert "10-Pat2" in outperforms.reason
    assert outperforms.measured == pytest.approx(0.02, rel=1e-12)
    assert outperforms.bound == 0.01  # half a unit of either
    # CIFAR-100, from .1 to .3: DFedPGP drops from 66.26 to 57.66, Ditto from 48.85 to 48.65
    stability = found["printed/stability", "as-transcribed"]
    assert stability.measured == pytest.approx((66.26 - 57.66) - (48.85 - 48.65), rel=1e-12)
    assert "CIFAR-100: stronger stability than Ditto" in stability.reason


@pytest.mark.parametrize(("row", "cell"), [("DFedPGP", "10-Dir.3"), ("FedRep", "10-Dir.1")])
def test_another_digit_in_the_table_is_found(changed_entry, row, cell):
    assert changed_entry(STATEMENT, "corrected", row, cell) == "VIOLATED"
