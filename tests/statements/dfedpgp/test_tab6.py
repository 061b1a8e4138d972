"""Table 6: improvements, and a column where others are ahead."""

from theorylab.statements.dfedpgp.tab6 import STATEMENT


def test_another_digit_is_found(changed_entry):
    assert changed_entry(STATEMENT, "printed", "FedPer", "Pat10", "47.40") == "VIOLATED"
    assert changed_entry(STATEMENT, "printed", "OSGP", "Pat10", "42.28") == "VIOLATED"
    assert changed_entry(STATEMENT, "printed", "DFedPGP", "Dir.3", "16.60") == "VIOLATED"
