"""Table 1: .27 is .23 in both readings, and the lead with Dir-0.3."""

from fractions import Fraction

import pytest

from theorylab.statements.dfedsgpsm._tables import OURS, TABLE_1
from theorylab.statements.dfedsgpsm.tab1 import STATEMENT


def test_the_verdicts(judged):
    found = judged(STATEMENT)
    # .27 against 98.53 - 98.30, and 1.80 against 82.36 - 80.73
    assert found["printed", "as-transcribed"].measured == pytest.approx(0.04, rel=1e-12)
    assert "MNIST" in found["printed", "as-transcribed"].reason
    every = found["printed/every", "as-transcribed"]
    assert every.measured == pytest.approx(0.17, rel=1e-12)
    assert "CIFAR-10" in every.reason
    assert found["printed/sam", "as-transcribed"].measured == pytest.approx(0.40, rel=1e-12)


def test_the_lead_of_the_text_is_that_of_another_column():
    ours = max(Fraction(TABLE_1[row]["M.3"]) for row in OURS)
    assert ours - Fraction(TABLE_1["DFedSAM"]["M.3"]) == Fraction("0.27")


@pytest.mark.parametrize(
    ("version", "row", "cell", "entry"),
    [
        ("corrected", "DFedSGPSM-S", "M.6", "98.57"),
        ("corrected", "DFedAvgM", "10.6", "80.76"),
        ("printed/superior", "OSGP", "100.3", "58.79"),
        ("printed/asymmetric", "DFedSAM", "10.3", "99.99"),
    ],
)
def test_another_digit_in_the_table_is_found(changed_entry, version, row, cell, entry):
    assert changed_entry(STATEMENT, version, row, cell, entry) == "VIOLATED"
