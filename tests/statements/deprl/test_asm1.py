"""Assumption 1: sums of P, and a matrix that is off by little."""

import pytest

from theorylab.statements import Check
from theorylab.statements.deprl.asm1 import STATEMENT
from theorylab.symbols import matrix_rounding
from theorylab.verdicts import judge_check


def weighted(off):
    edges = [[0, 0, 0.5], [1, 1, 0.5 + off], [0, 1, 0.5], [1, 0, 0.5 - off]]
    return {"clients": 2, "topology": {"name": "edge-list", "edges": edges}}


def test_a_row_that_is_off_is_refused_however_little_beyond_rounding():
    # columns sum to 1, rows to 1 -+ off
    check = Check("off", weighted(1e-6), "ASSUMPTION_FAILS")
    assert judge_check(STATEMENT, "printed", check).verdict == "ASSUMPTION_FAILS"


def test_the_measured_sums_see_it_without_the_assumption():
    from theorylab.experiments import experiment

    rows = experiment("network-matrices", **weighted(1e-6)).observe("sums", range(1), 0).rows
    assert [float(r.values[0]) for r in rows] == pytest.approx([1e-6, 1e-6], rel=1e-9)
    assert STATEMENT.versions["printed"].terms == {"rounding": matrix_rounding}
