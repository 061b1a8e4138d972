"""Table 3 against itself and against Table 1."""

from theorylab.statements.dfedalt.tab3 import STATEMENT


def test_another_digit_is_found(changed_entry):
    assert changed_entry(STATEMENT, "printed", "DFedSalt-UV", "Dir", "87.69") == "VIOLATED"
    assert changed_entry(STATEMENT, "printed", "DFedSalt-UV", "Pat", "92.18") == "VIOLATED"
    assert changed_entry(STATEMENT, "printed", "DFedAlt", "Dir", "86.52") == "VIOLATED"
    assert changed_entry(STATEMENT, "printed/head", "DFedSalt-V", "Dir", "86.52") == "VIOLATED"
    assert changed_entry(STATEMENT, "printed/head", "DFedSalt-V", "Pat", "91.24") == "VIOLATED"
