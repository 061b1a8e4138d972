"""Section 6.2 on the tenth percentile: the other column, and SGP for global models."""

from theorylab.statements.pdbo._tables import TABLE_1
from theorylab.statements.pdbo.tab1_low import STATEMENT


def test_all_three_meet_sgp_at_the_tenth_percentile():
    checks = STATEMENT.versions["printed"].checks
    assert {c.instance["pairs"][0][0] for c in checks} == {row for row in TABLE_1 if "PDBO" in row}
    assert {c.instance["pairs"][0][1] for c in checks} == {"SGP"}
    assert STATEMENT.quantity_of(STATEMENT.versions["printed"]).column == "lead_low"
