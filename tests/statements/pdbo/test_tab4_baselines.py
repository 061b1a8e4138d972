"""Appendix G: PDBO-MTL meets every baseline."""

from theorylab.statements.pdbo._tables import BASELINES
from theorylab.statements.pdbo.tab4_baselines import STATEMENT


def test_every_baseline_of_the_table_is_met():
    checks = STATEMENT.versions["printed"].checks
    kinds = {c.name.split(",")[0] for c in checks}
    met = {(c.name.split(",")[0], *c.instance["pairs"][0]) for c in checks}
    assert met == {(kind, "PDBO-MTL", row) for kind in kinds for row in BASELINES}
    assert kinds == {"concepts"}
