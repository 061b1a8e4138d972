"""Consensus: the distance stays on a ring of four without self-loops, else falls as 1/K."""

import pathlib
import runpy

import pytest

from theorylab.statements.deprl import _instances as made
from theorylab.statements.deprl.cor1_consensus import STATEMENT
from theorylab.verdicts import judge_check

LEFT = runpy.run_path(str(pathlib.Path(__file__).with_name("_left_side.py")))["left_side"]


def test_on_the_ring_of_four_the_distance_is_half_the_noise_whatever_k():
    run = {k: made.RATE_RING_OF_FOUR[k] for k in ("problem", "topology", "clients")}
    for T in (10, 10**3, 10**6, 10**8):
        row = LEFT("distance", T, **run, tau=2)
        # sigma^2 (K-1)/(2K), sigma = 1; K products of matrices of norm 1, K N eps each
        assert float(row.values[0]) == pytest.approx((T - 1) / (2 * T), rel=1e-14 * T + 1e-13)


def test_on_the_pair_it_falls_as_one_over_k():
    found = judge_check(STATEMENT, "corrected", STATEMENT.versions["corrected"].checks[1])
    assert found.measured == pytest.approx(0.1, rel=1e-3)
