"""Section 6.2 on PDBO-MTL&DA: it meets every row that Table 1 has on StoD."""

from theorylab.statements.pdbo._tables import TABLE_1
from theorylab.statements.pdbo.tab1_both import STATEMENT


def test_every_row_of_the_table_on_that_network_is_met():
    checks = STATEMENT.versions["printed"].checks
    rivals = {c.instance["pairs"][0][1] for c in checks}
    assert rivals == {row for row, e in TABLE_1.items() if "StoD" in e} - {"PDBO-MTL&DA"}
