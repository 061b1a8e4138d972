"""Table 2: another number of rounds is found."""

from theorylab.statements.dfedalt.tab2 import STATEMENT


def test_another_count_is_found(changed_entry):
    assert changed_entry(STATEMENT, "printed", "Fed-RoD", "100-Dir.3", 110) == "VIOLATED"
    assert changed_entry(STATEMENT, "printed", "DFedAlt", "10-Dir.3", 355) == "VIOLATED"
    assert changed_entry(STATEMENT, "printed", "DFedSAM", "10-Pat2", 464) == "HOLDS"
