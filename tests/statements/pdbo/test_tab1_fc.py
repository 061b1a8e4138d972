"""Section 6.2 on FC: each of the three ensembles meets what has one model, or no messages."""

from theorylab.statements.pdbo._tables import TABLE_1
from theorylab.statements.pdbo.tab1_fc import STATEMENT


def test_the_three_that_the_text_names_meet_the_same_rivals():
    checks = STATEMENT.versions["printed"].checks
    pairs = [tuple(c.instance["pairs"][0]) for c in checks]
    methods, rivals = {m for m, _ in pairs}, {r for _, r in pairs}
    assert methods == {"FedEM", "PDBO-MTL", "PDBO-MTL&DA"}
    assert set(pairs) == {(m, r) for m in methods for r in rivals}
    assert all("FC" in TABLE_1[row] for row in methods)
    assert {c.instance["network"]["name"] for c in checks} == {"complete"}
