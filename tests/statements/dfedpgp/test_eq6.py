"""(6): rows that sum to 1 lose the average; the same draw, pushed, does not."""

import pytest

from theorylab.statements.dfedpgp.eq6 import STATEMENT
from theorylab.topologies import topology


def test_the_verdicts(judged):
    found = judged(STATEMENT)
    # the client that is drawn least or most often, counted edge by edge
    worst = 0
    for t in range(5):
        P = topology("random-in", 10, degree=2, seed=1).matrix(t, 0).toarray()
        worst = max(worst, *(abs(sum(3 * P[i, j] for i in range(10)) - 3) for j in range(10)))
    assert found["printed", "two-of-ten"].measured == pytest.approx(worst / 3, rel=1e-12)


def test_one_edge_more_than_a_client_pushes_is_seen(judged):
    # a corrected bound is rounding alone: next to nothing of one client's mass is above it
    found = judged(STATEMENT)
    assert found["corrected", "two-of-ten"].bound < 1e-14
    assert found["printed", "two-of-ten"].measured >= 1 / 3 - 1e-12
