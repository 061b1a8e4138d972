"""Table 7: one way of shortening does not fit all of it."""

from fractions import Fraction

import pytest

from theorylab.statements.dfedpgp.tab7 import STATEMENT


def test_the_average_is_off_by_more_than_its_digits(judged):
    found = judged(STATEMENT)["printed", "as-transcribed"]
    mean = (Fraction(178, 74) + Fraction(212, 108) + Fraction(261, 54) + Fraction(258, 53)) / 4
    assert found.measured == pytest.approx(float(mean - Fraction("3.51")), rel=1e-12)
    assert found.bound == 0.005
    assert "(nearest)" in found.reason


def test_another_count_is_found(changed_entry):
    assert changed_entry(STATEMENT, "corrected", "OSGP", "Pat20", 257) == "VIOLATED"
    assert changed_entry(STATEMENT, "corrected", "FedPer", "Dir.1x", "1.44") == "VIOLATED"
