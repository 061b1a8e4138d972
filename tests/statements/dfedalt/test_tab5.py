"""Table 5: what is off and by how much."""

import pytest

from theorylab.statements.dfedalt.tab5 import STATEMENT


def test_the_verdicts(judged):
    found = judged(STATEMENT)
    assert found["printed", "as-transcribed"].measured == pytest.approx(1.63, rel=1e-12)


def test_another_digit_is_found(changed_entry):
    assert changed_entry(STATEMENT, "corrected", "DFedSalt", "Dir.1", "29.72") == "VIOLATED"
    assert changed_entry(STATEMENT, "corrected", "Fed-RoD", "Pat10", "48.05") == "VIOLATED"
    assert changed_entry(STATEMENT, "corrected", "FedBABU", "Dir.1", "29.10") == "VIOLATED"
