"""Mean and covariance of the random coefficients c_ij of one round, exact.

With c_ij = delta_{j->i} g_ij (Eq. 12's g is pbar / dbar) the covariance is that of the edges:
c_ij and c_kl are dependent only where they are the same edge, the two ways of an undirected one,
or (random-out, random-in, random-symmetric) edges that one client drew together. So it is stored
sparse, and 100 clients take as little room as their edges do. Coefficients that are no such product
(Eq. 11's realised weights) are averaged over all edge patterns.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from theorylab.hypergradients._bilevel import Floats
from theorylab.hypergradients.edge_law import EdgeLaw, edge_law
from theorylab.hypergradients.random_rounds import edge_covariance, is_redrawn, patterns, weigh
from theorylab.hypergradients.recursion import coefficients
from theorylab.topologies import Topology

LARGEST = 24  # clients up to which ``covariance`` writes out its n^4 numbers


@dataclass(frozen=True)
class CoefficientLaw:
    """mean (n, n); pairs CSR (n^2, n^2): row i n + k, column j n + l is Cov(c_ij, c_kl)."""

    mean: Floats
    pairs: csr_array

    @property
    def covariance(self) -> Floats:
        """(n, n, n, n): [i, j, k, l] of c_ij and c_kl. ValueError above 24 clients."""
        n = len(self.mean)
        if n > LARGEST:
            raise ValueError(
                f"coefficient_law: clients is {n}; need at most {LARGEST} to write out n^4 numbers"
            )
        return np.ascontiguousarray(self.pairs.toarray().reshape(n, n, n, n).transpose(0, 2, 1, 3))

    def kicked(self, second: Floats) -> Floats:
        """(n, n, a, b): [i, k] is sum_jl Cov(c_ij, c_kl) second[j, :, l, :], of (n, a, n, b)."""
        n, a, _, b = second.shape
        blocks = second.transpose(0, 2, 1, 3).reshape(n * n, a * b)
        return np.asarray((self.pairs @ blocks).reshape(n, n, a, b))


def coefficient_law(
    topology: Topology, weights: str = "debiased", law: EdgeLaw | None = None
) -> CoefficientLaw:
    """Of a static network, or of one whose edges are drawn anew (see ``random_rounds``).

    Args:
        weights: as in ``Reading.weights``.
        law: what HGP believes, (n, n); the exact one if None. Edges always follow the topology.

    Raises:
        ValueError: on too many patterns (weights other than "debiased" and "undivided" are listed
            pattern by pattern), or another topology.
    """
    n = topology.clients
    true = edge_law(topology)
    law = true if law is None else law
    if weights in ("debiased", "undivided"):
        worth = law.debiased if weights == "debiased" else np.swapaxes(law.mean, -1, -2)
        if not is_redrawn(topology):
            return CoefficientLaw(worth * true.frequency, csr_array((n * n, n * n)))
        edges = edge_covariance(topology).tocoo()
        (i, other_i), (j, other_j) = np.divmod(edges.row, n), np.divmod(edges.col, n)
        value = edges.data * worth[i, j] * worth[other_i, other_j]
        kept = value != 0
        pairs = csr_array((value[kept], (edges.row[kept], edges.col[kept])), shape=edges.shape)
        return CoefficientLaw(worth * true.frequency, pairs)
    chance, drawn = patterns(topology)
    c = coefficients(weights, law, weigh(topology, drawn))
    mean = np.einsum("p,pij->ij", chance, c)
    flat = (c - mean).reshape(len(c), n * n)
    table = (flat.T * chance) @ flat  # [ij, kl]
    table = table.reshape(n, n, n, n).transpose(0, 2, 1, 3).reshape(n * n, n * n)
    return CoefficientLaw(mean, csr_array(table))
