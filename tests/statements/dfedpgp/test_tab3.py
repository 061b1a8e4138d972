"""Table 3: who is best in which row."""

from theorylab.statements.dfedpgp.tab3 import STATEMENT


def test_a_better_method_is_found(changed_entry):
    assert changed_entry(STATEMENT, "printed", "OSGP", "Pat", "91.85") == "VIOLATED"
    assert changed_entry(STATEMENT, "printed", "FedPer", "Dir", "83.10") == "VIOLATED"
    # one unit of the last digit may be rounding of both
    assert changed_entry(STATEMENT, "printed", "OSGP", "Pat", "91.84") == "HOLDS"
