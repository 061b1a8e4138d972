"""Section 6.2 on PDBO-DA: SGP is the rival."""

from theorylab.statements.pdbo.tab1_da import STATEMENT


def test_sgp_is_the_rival_with_and_without_wrong_labels():
    checks = STATEMENT.versions["printed"].checks
    assert all(c.instance["pairs"] == [["PDBO-DA", "SGP"]] for c in checks)
    assert {c.instance["data"].get("wrong") for c in checks} == {None, 0.3}
