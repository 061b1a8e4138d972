"""A small bilevel problem on a network at its stationary point, and its Jacobians as matrices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import shortest_path

from theorylab.hypergradients import SGP, EdgeLaw, Linear, QuadraticBilevel, edge_law, stationary
from theorylab.hypergradients.edge_law import matrices
from theorylab.hypergradients.oracle import dense
from theorylab.hypergradients.random_rounds import edge_covariance, is_redrawn
from theorylab.hypergradients.recursion import coefficients
from theorylab.known import How, Known
from theorylab.topologies import (
    ErdosRenyi,
    RandomSymmetric,
    StochasticUndirected,
    Topology,
    topology,
)

Floats = NDArray[np.float64]


class Setting:
    """QuadraticBilevel(**problem) or .random(**problem) with every lambda_i = (lam, ..., lam).

    Args:
        problem: options of ``QuadraticBilevel.random``, or of the class itself where H is given.
        network: {"name": ..., options}; clients as in the problem.
        step, variant: of ``SGP``.

    Attributes:
        law: pbar and dbar, exact.

    Raises:
        ValueError: whatever one of them does not accept, in one line.
    """

    def __init__(
        self,
        problem: Mapping[str, Any],
        network: Mapping[str, Any],
        step: Any = 0.3,
        variant: str = "4b",
        lam: float = 0.5,
    ) -> None:
        self.options = {
            "problem": dict(problem),
            "network": dict(network),
            "step": step,
            "variant": variant,
            "lam": lam,
        }
        make = QuadraticBilevel if "H" in problem else QuadraticBilevel.random
        self.problem: QuadraticBilevel = make(**problem)
        rest = {k: v for k, v in network.items() if k != "name"}
        self.network: Topology = topology(network["name"], clients=self.problem.clients, **rest)
        self.law: EdgeLaw = edge_law(self.network)
        self.sgp = SGP(step, variant)
        self.lam = np.full((self.problem.clients, self.problem.hyper), float(lam))


class Place(Setting):
    """A setting at its stationary point. at: the Jacobians there, on z; A_bar, B_bar: Eq. (8)'s
    expectations, inputs as rows; c_y, c_lam: the gradients of Fbar, flat.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.point = stationary(self.problem, self.law, self.sgp, self.lam)
        self.at = Linear(
            self.problem, self.sgp, self.point.x[None], self.point.omega[None], self.lam[None]
        )
        self.A_bar, self.B_bar = dense(self.at, self.law.mean.T)
        self.c_y, self.c_lam = (part[0].ravel() for part in self.at.seeds())

    def round(
        self, t: int, runs: NDArray[np.int64], seed: int, weights: str = "debiased"
    ) -> tuple[Floats, Floats]:
        """(A-hat (R, N, N), B-hat (R, H, N)) of round t, edges and minibatch drawn anew."""
        c = coefficients(weights, self.law, matrices(self.network, t, runs))
        sample = self.problem.sample(seed, runs, t)
        made = [
            dense(self.at, c[r], None if sample is None else sample[r : r + 1])
            for r in range(len(runs))
        ]
        return np.array([A for A, _ in made]), np.array([B for _, B in made])


def largest_covariance(network: Topology) -> Known:
    """Largest |Cov| of two different ordered edges of a round; 0 iff Assumption 7 holds.

    Of the networks with an ``edge_law``: a static one has no covariance, StoD none of two edges,
    and every other one a pair whose covariance is not 0 unless nothing is random.
    """
    if not is_redrawn(network):
        return Known(0.0, How.EXACT, "a static network")
    table = edge_covariance(network).tocoo()
    n = network.clients
    (i, k), (j, m) = np.divmod(table.row, n), np.divmod(table.col, n)
    apart = np.abs(table.data[(i != k) | (j != m)])
    text = f"{network.name}: Cov of two edges of a round, closed form"
    return Known(float(apart.max(initial=0.0)), How.EXACT, text)


def independent_edges(network: Topology) -> Known:
    """1 if Assumption 7 holds, else 0."""
    found = largest_covariance(network)
    return Known(float(found.value == 0), How.EXACT, found.source)


def both_ways(network: Topology, law: EdgeLaw) -> bool:
    """True if in every round i hears j exactly where j hears i."""
    often = law.frequency
    certain = bool(((often == 0) | (often == 1)).all())
    paired = isinstance(network, StochasticUndirected | ErdosRenyi | RandomSymmetric)
    return paired or (certain and np.array_equal(often, often.T))


def one_way(law: EdgeLaw) -> int:
    """Ordered pairs with dbar_{j -> i} > 0 = dbar_{i -> j}; 0 iff Assumption 6 holds."""
    there = law.frequency > 0
    return int((there & ~there.T).sum())


def cut_off(law: EdgeLaw) -> int:
    """Ordered pairs (i, j) without a path from i to j in E P; 0 iff Assumption 2 holds."""
    steps = shortest_path(np.ascontiguousarray(law.mean.T) > 0, unweighted=True)
    return int(np.isinf(steps).sum())


def nullity(matrix: Floats) -> int:
    """Singular values that may be 0: no more than this is the dimension of the kernel.

    LAPACK's are right to a small multiple of N u times the largest, and so may the entries be.
    """
    values = np.linalg.svd(matrix, compute_uv=False)
    return int((values <= 64 * len(matrix) ** 2 * 2.0**-53 * (1 + values[0])).sum())


def kappa_of(law: EdgeLaw) -> float:
    """sum_{i,j} pbar_ji / dbar_{i -> j}, Eq. (34): j sends with mean weight pbar_ji, i to j."""
    return float(law.debiased.sum())


def full_phi(place: Place, factor: float = 1.0) -> list[Floats]:
    """d_y phi_i at y_i*, y = (z, omega), inputs as rows, (dx + 1, dx + 1); ``factor`` H_i."""
    moves = place.sgp.variant == "4a"
    eye = np.eye(place.problem.dim + 1)
    return [eye - J if moves else eye for J in _pulls(place, factor)]


def full_psi(place: Place, factor: float = 1.0) -> list[Floats]:
    """d_y psi_i, likewise."""
    moves = place.sgp.variant == "4b"
    return [-J if moves else 0 * J for J in _pulls(place, factor)]


def _pulls(place: Place, factor: float) -> list[Floats]:
    """d_y of (a_i grad f_i(z / omega), 0)."""
    H, _ = place.at.curvature()
    n, d = H.shape[:2]
    made = np.zeros((n, d + 1, d + 1))
    share = factor * place.sgp.steps(n) / place.point.omega
    made[:, :d, :d] = share[:, None, None] * H
    made[:, d, :d] = -np.einsum("nab,nb->na", made[:, :d, :d], place.point.x)
    return list(made)


def phi_slope(place: Place) -> Known:
    """The largest ||d_y phi_i||_2 over the clients at y*, on the full y.

    It is at least 1 (the entry d omega / d omega); a computed norm just below is raised to it.
    """
    norm = max(float(np.linalg.norm(J, 2)) for J in full_phi(place))
    text = "largest singular value of d_y phi_i at y*; its entry for omega is 1"
    return Known(max(1.0, norm), How.EXACT, text)
