"""Table 4 against itself and against Table 1."""

from theorylab.statements.dfedpgp.tab4 import STATEMENT


def test_another_digit_is_found(changed_entry):
    assert changed_entry(STATEMENT, "printed", "OSGP", "Dir", "83.16") == "VIOLATED"
    assert changed_entry(STATEMENT, "printed", "DFedAvgM-P", "Pat", "90.00") == "VIOLATED"
    assert changed_entry(STATEMENT, "printed", "DFedPGP", "Pat", "91.26") == "HOLDS"
