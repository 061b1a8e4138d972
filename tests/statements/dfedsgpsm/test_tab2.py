"""Table 2: what SAM adds."""

import pytest

from theorylab.statements.dfedsgpsm.tab2 import STATEMENT


def test_the_verdicts(judged):
    found = judged(STATEMENT)["printed", "as-transcribed"]
    assert found.measured == pytest.approx(4.72 - 2.59, rel=1e-12)
    assert "SAM adds" in found.reason


@pytest.mark.parametrize("row", ["OSGP", "DFedSGPM", "DFedSGPSM", "DFedSGPSM-S"])
def test_another_digit_in_the_table_is_found(changed_entry, row):
    assert changed_entry(STATEMENT, "corrected", row, "10.3", "80.00") == "VIOLATED"
