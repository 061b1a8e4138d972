"""Section 6.2 on PDBO-MTL&DA: on each network without a server it meets every row of Table 1."""

import pytest

from theorylab.statements.pdbo._tables import DECENTRALIZED, TABLE_1
from theorylab.statements.pdbo.tab1_both import STATEMENT

NAMES = {"FixU": "fix-u", "StoU": "sto-u", "StoD": "sto-d"}


@pytest.mark.parametrize("column", DECENTRALIZED)
def test_every_row_of_the_table_on_that_network_is_met(column):
    checks = [c for c in STATEMENT.versions["printed"].checks if column in c.name]
    assert {c.instance["network"]["name"] for c in checks} == {NAMES[column]}
    rivals = {c.instance["pairs"][0][1] for c in checks}
    assert rivals == {row for row, cells in TABLE_1.items() if column in cells} - {"PDBO-MTL&DA"}
