"""Classes that mass leaves: their radius lies between the ends, and the ends are close."""

import math

import numpy as np
import pytest
from scipy.sparse import block_diag, csr_array

from theorylab.constants import _perron_radius, lambda2
from theorylab.constants._graph import classes
from theorylab.constants._perron_radius import transient_radius
from theorylab.known import How

EPS = float(np.finfo(float).eps)


def into_a_drain(*blocks):
    """P of substochastic blocks; what a block's column lacks goes to one absorbing client."""
    T = csr_array(block_diag(blocks))
    lacks = 1 - T.sum(axis=0)
    n = T.shape[0]
    P = block_diag([T, [[1.0]]]).tolil()
    P[n, :n] = lacks
    P = csr_array(P)
    P.eliminate_zeros()
    return P


def path(m, up, down):
    """Tridiagonal without a diagonal: eigenvalues 2 sqrt(up down) cos(pi k / (m + 1))."""
    return np.diag(np.full(m - 1, up), 1) + np.diag(np.full(m - 1, down), -1)


@pytest.mark.parametrize("dense", [2000, 2])
@pytest.mark.parametrize(("m", "up", "down"), [(7, 0.5, 0.5), (40, 0.9, 0.1), (300, 0.45, 0.45)])
def test_a_path_with_ends_that_leak_has_the_cosine(monkeypatch, dense, m, up, down):
    P = into_a_drain(path(m, up, down))
    label = classes(P)
    found = transient_radius(P, label, int(label[-1]), dense)
    truth = 2 * math.sqrt(up * down) * math.cos(math.pi / (m + 1))
    assert found.low <= truth <= found.high
    if dense > m:  # the periodic, graded block is solved to some hundred eps
        assert found.high - found.low <= 4096 * EPS * truth
        assert lambda2(P).how is How.UPPER


def test_entries_of_a_perron_vector_may_leave_float64():
    m, up, down = 400, 0.9, 1e-6  # x_i = (down / up)^(i / 2), down to 1e-1190
    P = into_a_drain(path(m, up, down))
    known = lambda2(P)
    truth = 2 * math.sqrt(up * down) * math.cos(math.pi / (m + 1))
    assert known.lower <= truth <= known.upper
    assert known.upper - known.lower <= 1e-9 * truth


def test_of_many_classes_the_largest_counts():
    rng = np.random.default_rng(0)
    blocks = [rng.uniform(0.1, 0.3, (3, 3)) for _ in range(300)]
    truth = max(np.abs(np.linalg.eigvals(block)).max() for block in blocks)
    known = lambda2(into_a_drain(*blocks))
    assert known.value == pytest.approx(truth, rel=1e-12)
    assert known.lower <= truth * (1 + 4 * EPS)
    assert known.upper >= truth * (1 - 4 * EPS)
    alone = lambda2(into_a_drain(*blocks, [[0.95]]))
    assert (alone.value, alone.how) == (0.95, How.EXACT)


def test_no_number_of_steps_makes_the_ends_wrong(monkeypatch):
    rng = np.random.default_rng(1)
    block = rng.uniform(0, 1, (60, 60)) * (rng.random((60, 60)) < 0.1) + np.roll(np.eye(60), 1, 0)
    block *= 0.9 / block.sum(axis=0)
    truth = np.abs(np.linalg.eigvals(block)).max()
    P = into_a_drain(block)
    for together, solves in ((1, 0), (3, 0), (1, 1), (1, 3)):
        monkeypatch.setattr(_perron_radius, "TOGETHER", together)
        monkeypatch.setattr(_perron_radius, "SOLVES", solves)
        known = lambda2(P)
        assert known.lower <= truth * (1 + 60 * EPS)
        assert known.upper >= truth * (1 - 60 * EPS)
