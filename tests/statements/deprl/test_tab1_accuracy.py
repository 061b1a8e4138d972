"""Table 1, measured: DePRL meets both rivals, with as many head steps as the paper's epochs."""

from theorylab.statements.deprl.tab1_accuracy import STATEMENT


def test_both_rivals_are_met():
    checks = STATEMENT.versions["printed"].checks
    assert {tuple(c.instance["pairs"][0]) for c in checks} == {
        ("DePRL", "D-PSGD"),
        ("DePRL", "Dis-PFL"),
    }
    assert all(c.instance["sides"]["DePRL"]["tau"] == 2 for c in checks)
