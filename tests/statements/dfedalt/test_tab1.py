"""Table 1: what is off and by how much."""

import pytest

from theorylab.statements.dfedalt.tab1 import STATEMENT


def test_the_verdicts(judged):
    found = judged(STATEMENT)
    swapped = found["printed", "as-transcribed"]
    assert swapped.measured == pytest.approx(1.17, rel=1e-12)  # 87.67 - 86.50
    assert "achieves" in swapped.reason
    outperform = found["printed/outperform", "as-transcribed"]
    assert outperform.measured == pytest.approx(1.72, rel=1e-12)  # 80.50 - 78.78
    assert "100-Pat5" in outperform.reason


@pytest.mark.parametrize(
    ("row", "cell", "entry"),
    [
        ("DFedAlt", "10-Dir.3", "86.52"),
        ("Fed-RoD", "10-Dir.3", "85.66"),
        ("DFedSalt", "100-Pat5", "80.80"),
        ("FedBABU", "10-Pat2", "91.34"),
        ("Local", "100-Dir.3", "39.40"),
    ],
)
def test_another_digit_in_the_table_is_found(changed_entry, row, cell, entry):
    assert changed_entry(STATEMENT, "corrected", row, cell, entry) == "VIOLATED"
