"""Assumption 2: a one-way path fails it, a directed ring does not."""

import pytest

from theorylab.statements import Check
from theorylab.statements.pdbo.asm2 import STATEMENT
from theorylab.verdicts import judge_check


@pytest.mark.parametrize("cut", range(4))
def test_a_ring_without_one_edge_fails(cut):
    edges = [[i, (i + 1) % 4] for i in range(4) if i != cut]
    network = {"name": "edge-list", "edges": edges, "allow_disconnected": True}
    found = judge_check(STATEMENT, "printed", Check("cut", {"network": network, "clients": 4}))
    assert found.verdict == "ASSUMPTION_FAILS"
    assert found.constants["cut_off"]["value"] == 6  # a path of four: 3 + 2 + 1 pairs
