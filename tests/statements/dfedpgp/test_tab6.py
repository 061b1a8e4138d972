"""Table 6: improvements, and the column where four methods are ahead."""

import pytest

from theorylab.statements.dfedpgp.tab6 import STATEMENT


def test_the_verdicts(judged):
    best = judged(STATEMENT)["printed/state-of-the-art", "as-transcribed"]
    assert best.measured == pytest.approx(18.18 - 14.94, rel=1e-12)


def test_another_digit_is_found(changed_entry):
    assert changed_entry(STATEMENT, "printed", "FedPer", "Pat10", "47.40") == "VIOLATED"
    assert changed_entry(STATEMENT, "printed", "OSGP", "Pat10", "42.28") == "VIOLATED"
    assert changed_entry(STATEMENT, "printed", "DFedPGP", "Dir.3", "16.60") == "VIOLATED"
