"""Networks that average in one round: M = 0 from lag 1 on, and lag 0 has the weights of a phase."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from theorylab.constants import _envelope, consensus_pairs
from theorylab.topologies import Topology, topology

WEIGHTS = np.array([0.25, 1.75])
LARGEST = {
    "row": lambda M: np.abs(M).sum(axis=1).max(),
    "spectral": lambda M: np.linalg.norm(M, 2),
    "entry": lambda M: np.abs(WEIGHTS[:, None] * M).max(),
}


class Averaging(Topology):
    """P(t) = p 1^T with another p in every round of a period."""

    name = "test-averaging"

    def __init__(self, columns):
        self._columns = np.array(columns)
        super().__init__(self._columns.shape[1], period=len(columns), options={})

    def _build(self, t, run):
        column = self._columns[t % len(self._columns)]
        return csr_array(np.outer(column, np.ones(len(column))))


def test_networks_that_average_at_once_count_the_weights_of_every_phase():
    built = Averaging([[0.25, 0.75], [0.5, 0.5], [0.125, 0.875]])
    for norm, (C, q) in consensus_pairs(built, 1).items():
        assert q.value == 0
        # lag 0 at the lightest weights: those that the third round leaves
        assert C.value == pytest.approx(LARGEST[norm](np.eye(2) / WEIGHTS[:, None] - 0.5), rel=1e-8)


def test_a_walk_that_rounding_spoils_is_followed_by_powers_in_balls(monkeypatch):
    monkeypatch.setattr(_envelope, "LARGEST_ERROR", 0.0)  # no walk in float64 is that good
    shift = np.array([[0.5, 0.5, 0.5], [0.5, 0, 0], [0, 0.5, 0.5]])  # P^2 has equal columns
    edges = [[j, i, shift[i, j]] for i in range(3) for j in range(3) if shift[i, j]]
    for C, q in consensus_pairs(
        topology("edge-list", 3, edges=edges, self_loops=False), 1
    ).values():
        assert 0 < q.value < 1
        assert "in balls" in C.source
