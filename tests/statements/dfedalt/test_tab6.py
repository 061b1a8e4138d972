"""Table 6: every number is its quotient, and 3.51 is what an average is at least."""

from fractions import Fraction

from theorylab.statements import Check
from theorylab.statements.dfedalt.tab6 import STATEMENT
from theorylab.verdicts import judge_check

MEAN = (Fraction(178, 74) + Fraction(212, 108) + Fraction(261, 54) + Fraction(258, 53)) / 4


def with_average(speedup):
    (check,) = STATEMENT.versions["printed"].checks
    *others, last = check.instance["claims"]
    assert (last["relation"], last["claimed"]) == (">=", "3.51")
    other = {**check.instance, "claims": [*others, {**last, "claimed": speedup}]}
    return judge_check(STATEMENT, "printed", Check("other", other)).verdict


def test_the_average_is_cut_off_at_3_51_and_the_nearest_is_3_52():
    assert Fraction("3.51") < MEAN < Fraction("3.52")
    assert Fraction("3.515") < MEAN
    assert (with_average("3.52"), with_average("3.53")) == ("HOLDS", "VIOLATED")


def test_another_count_is_found(changed_entry):
    assert changed_entry(STATEMENT, "printed", "DFedSAM", "Pat20", 211) == "VIOLATED"
    assert changed_entry(STATEMENT, "printed", "FedPer", "Dir.1x", "1.44") == "VIOLATED"
    assert changed_entry(STATEMENT, "printed", "DFedSalt", "Dir.3", 77) == "VIOLATED"
