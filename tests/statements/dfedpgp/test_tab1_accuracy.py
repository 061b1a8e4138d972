"""Table 1, measured: the rivals are those of the table, and no check claims what it has not."""

from theorylab.statements._rivals import FEW, SIDES
from theorylab.statements.dfedpgp._tables import OURS, TABLE_1
from theorylab.statements.dfedpgp.tab1_accuracy import STATEMENT


def test_every_rival_of_the_table_is_met_and_some_on_the_other_split():
    checks = STATEMENT.versions["printed"].checks
    met = {(c.name.split(":")[0], *c.instance["pairs"][0]) for c in checks}
    rivals = {*TABLE_1} - {OURS}
    splits = (("dirichlet", rivals), ("pathological", FEW), ("Fashion-MNIST", {"FedAvg", "Local"}))
    assert met == {(kind, OURS, rival) for kind, some in splits for rival in some}
    assert all(c.instance["sides"] == {s: SIDES[s] for s in c.instance["pairs"][0]} for c in checks)
    assert {c.expect for c in checks} <= {"HOLDS", "INCONCLUSIVE"}
