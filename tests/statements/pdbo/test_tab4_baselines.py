"""Appendix G: each of PDBO's three rows meets every baseline."""

from theorylab.statements.pdbo._tables import BASELINES, OURS
from theorylab.statements.pdbo.tab4_baselines import STATEMENT


def test_every_baseline_of_the_table_is_met():
    checks = STATEMENT.versions["printed"].checks
    kinds = {c.name.split(",")[0] for c in checks}
    met = {(c.name.split(",")[0], *c.instance["pairs"][0]) for c in checks}
    assert met == {(kind, ours, row) for kind in kinds for ours in OURS for row in BASELINES}
    assert kinds == {"concepts"}
