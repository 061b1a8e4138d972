"""Table 2: quotients of counts."""

import pytest

from theorylab.statements.dfedpgp.tab2 import STATEMENT


def test_the_verdicts(judged):
    found = judged(STATEMENT)
    each = found["printed/each", "as-transcribed"]
    assert each.measured == pytest.approx(1.5 - 189 / 131, rel=1e-12)
    assert each.bound == 0


def test_a_faster_method_is_found(changed_entry):
    assert changed_entry(STATEMENT, "printed", "FedRep", "10-Dir.3", 100) == "VIOLATED"
    assert changed_entry(STATEMENT, "printed", "DFedPGP", "100-Dir.3", 180) == "VIOLATED"
