"""Table 1, measured: both methods meet every rival of the table."""

from theorylab.statements.dfedsgpsm._tables import TABLE_1
from theorylab.statements.dfedsgpsm.tab1_accuracy import STATEMENT

OURS = {"DFedSGPSM", "DFedSGPSM-S"}


def test_every_rival_of_the_table_is_met():
    checks = STATEMENT.versions["printed"].checks
    met = {tuple(c.instance["pairs"][0]) for c in checks}
    assert met == {(ours, rival) for ours in OURS for rival in {*TABLE_1} - OURS}
