"""An added edge may raise q and C; with a fixed it lowers q."""

import numpy as np
import pytest

from theorylab.statements.dfedsgpsm._symbols import before
from theorylab.statements.dfedsgpsm.rem1_trend import STATEMENT


def test_the_verdicts(judged):
    found = judged(STATEMENT)
    # (1 - 2^-3)^(1/4) before, (1 - 3^-3)^(1/4) after
    chord = found["printed/degree", "chord"]
    assert chord.measured == pytest.approx((1 - 3**-3) ** 0.25, rel=1e-14)
    assert chord.bound == pytest.approx((1 - 2**-3) ** 0.25, rel=1e-14)


def second(edges):
    """|lambda_2| of four clients with self-loops, uniform weights."""
    P = np.eye(4)
    for j, i in edges:
        P[i, j] = 1
    return np.sort(np.abs(np.linalg.eigvals(P / P.sum(axis=0))))[-2]


def test_the_network_mixes_faster_where_the_printed_q_rises():
    ring = [(0, 1), (1, 2), (2, 3), (3, 0)]
    assert second(ring) == pytest.approx(0.5**0.5, rel=1e-12)
    assert second([*ring, (0, 2)]) == pytest.approx(0.572, abs=5e-4)


def test_an_added_edge_may_also_slow_a_network_down():
    edges = [(2, 0), (3, 0), (0, 1), (1, 2), (0, 3)]
    assert second(edges) == pytest.approx(0.5, rel=1e-9)
    assert second([*edges, (2, 1)]) == pytest.approx(0.685, abs=5e-4)


def test_a_decrease_by_a_factor_is_refuted(missed):
    variants = {str(k): {"before": before * k / 100} for k in (1, 50, 90, 95, 99)}
    assert missed(STATEMENT, "printed", variants) == set()
