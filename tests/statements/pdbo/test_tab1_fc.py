"""Section 6.2 on FC: each of the three ensembles meets every other row of that column."""

from theorylab.statements.pdbo._tables import TABLE_1
from theorylab.statements.pdbo.tab1_fc import STATEMENT


def test_the_three_that_the_text_names_meet_the_same_rivals():
    checks = STATEMENT.versions["printed"].checks
    pairs = [tuple(c.instance["pairs"][0]) for c in checks]
    methods, rivals = {m for m, _ in pairs}, {r for _, r in pairs}
    assert methods == {"FedEM", "PDBO-MTL", "PDBO-MTL&DA"}
    assert set(pairs) == {(m, r) for m in methods for r in rivals}
    assert rivals == {row for row, cells in TABLE_1.items() if "FC" in cells} - methods
    assert {c.instance["network"]["name"] for c in checks} == {"complete"}
