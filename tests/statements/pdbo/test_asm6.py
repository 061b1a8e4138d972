"""Assumption 6: rings fail it, pairs of edges do not."""

from theorylab.statements import Check
from theorylab.statements.pdbo.asm6 import STATEMENT
from theorylab.verdicts import judge_check


def test_the_number_of_lonely_edges_is_counted():
    edges = [[0, 1], [1, 2], [2, 0], [1, 0]]
    network = {"name": "edge-list", "edges": edges}
    found = judge_check(STATEMENT, "printed", Check("two", {"network": network, "clients": 3}))
    assert found.verdict == "ASSUMPTION_FAILS"
    assert found.constants["one_way"]["value"] == 2  # 1 -> 2 and 2 -> 0
