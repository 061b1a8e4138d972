"""Table 2, measured: the rivals are those of the table, and so are the units of what is saved."""

from theorylab.statements.dfedpgp._tables import OURS, TABLE_2
from theorylab.statements.dfedpgp.tab2_rounds import STATEMENT


def test_every_rival_of_the_table_is_met():
    checks = STATEMENT.versions["printed"].checks
    rivals = {rival for c in checks for _, rival in c.instance["pairs"]}
    assert rivals - {"Local"} == {*TABLE_2} - {OURS}
    assert STATEMENT.quantity_of(STATEMENT.versions["printed"]).column == "rounds"
