"""Section 6.2 on PDBO-MTL&DA: it meets every row that Table 1 has on StoD."""

from theorylab.statements.pdbo._tables import TABLE_1
from theorylab.statements.pdbo.tab1_both import STATEMENT


def test_every_row_of_the_table_on_that_network_is_met():
    checks = [c for c in STATEMENT.versions["printed"].checks if "StoD" in c.name]
    rivals = {c.instance["pairs"][0][1] for c in checks}
    assert rivals == {row for row, e in TABLE_1.items() if "StoD" in e} - {"PDBO-MTL&DA"}


def test_fedem_is_met_where_the_table_has_it_without_a_server():
    checks = [c for c in STATEMENT.versions["printed"].checks if "FixU" in c.name]
    assert {c.instance["network"]["name"] for c in checks} == {"fix-u"}
    assert "FixU" in TABLE_1["FedEM"]
    assert ["PDBO-MTL&DA", "FedEM"] in [c.instance["pairs"][0] for c in checks]
