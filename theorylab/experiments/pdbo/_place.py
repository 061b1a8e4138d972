"""A small bilevel problem on a network at its stationary point, and what pdbo asks of networks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import flint
import numpy as np
from scipy.sparse.csgraph import shortest_path

from theorylab.experiments.pdbo._base import Floats, Ints, exacts, network_of
from theorylab.experiments.pdbo._maps import Maps
from theorylab.hypergradients import SGP, EdgeLaw, Linear, QuadraticBilevel, stationary
from theorylab.hypergradients.edge_law import edge_covariance, is_redrawn, matrices
from theorylab.hypergradients.linear import blocks, dense
from theorylab.hypergradients.recursion import coefficients
from theorylab.known import UNIT, Known
from theorylab.topologies import ErdosRenyi, RandomSymmetric, StochasticUndirected, Topology

NEAR = 1e-10  # singular values below this, relative, count as 0


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
            **{"problem": dict(problem), "network": dict(network)},
            **{"step": step, "variant": variant, "lam": lam},
        }
        make = QuadraticBilevel if "H" in problem else QuadraticBilevel.random
        self.problem: QuadraticBilevel = make(**problem)
        self.network, self.law = network_of(network, self.problem.clients)
        self.sgp = SGP(step, variant)
        self.lam = np.full((self.problem.clients, self.problem.hyper), float(lam))


class Place(Setting):
    """A setting at its stationary point. linear: the Jacobians there, on z; A_bar, B_bar: Eq. (8)'s
    expectations, inputs as rows; c_y, c_lam: the gradients of Fbar, flat; maps: all of these with
    the noise's two cases as samples.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.point = stationary(self.problem, self.law, self.sgp, self.lam)
        self.linear = Linear(
            self.problem, self.sgp, self.point.x[None], self.point.omega[None], self.lam[None]
        )
        self.A_bar, self.B_bar = dense(self.linear, self.law.mean.T)
        c_y, c_lam = (part[0] for part in self.linear.seeds())
        self.c_y, self.c_lam = c_y.ravel(), c_lam.ravel()
        cases = [blocks(self.linear, case) for case in self.cases()]
        phi_y, phi_lam, psi_y, psi_lam = (np.stack(part, 1) for part in zip(*cases, strict=True))
        self.maps = Maps(phi_y, psi_y, phi_lam, psi_lam, c_y, c_lam, 1, self.sgp.variant)

    def cases(self) -> list[Floats | None]:
        """What a minibatch can be, the same for all clients: (1, n) signs, or the full batch."""
        ones = np.ones((1, self.problem.clients))
        return [-ones, ones] if self.problem.stochastic else [None]

    def round(
        self, t: int, runs: Ints, seed: int, weights: str = "debiased"
    ) -> tuple[Floats, Floats]:
        """(A-hat (R, N, N), B-hat (R, H, N)) of round t, edges and minibatch drawn anew."""
        c = coefficients(weights, self.law, matrices(self.network, t, runs))
        sample = self.problem.sample(seed, runs, t)
        picks = np.zeros((len(runs), self.problem.clients, 1), np.int64)
        return self.maps.matrices(c, picks if sample is None else picks + (sample > 0)[..., None])

    def full(self, case: Floats | None = None) -> tuple[Floats, Floats]:
        """d_y phi_i and d_y psi_i at y_i*, y = (z, omega), inputs as rows, (n, dx + 1, dx + 1).

        case: a minibatch, as of ``cases``; None: the full batch.
        """
        n, size = self.problem.clients, self.problem.dim + 1
        linear, units = replace(self.linear, full=True), np.eye(size)
        each = np.broadcast_to(units, (1, n, size, size))
        columns = linear.phi(np.eye(n)[None], each, case), linear.psi(each, case)
        phi, psi = (np.broadcast_to(part, (1, n, size, size))[0] for part in columns)
        return np.swapaxes(phi, 1, 2), np.swapaxes(psi, 1, 2)


def largest_covariance(network: Topology) -> dict[str, Known]:
    """``edge_covariance``: the largest |Cov| of two different ordered edges of a round, and
    ``independent_edges``: 1 if it is 0, that is if Assumption 7 holds, else 0.

    Of the networks with an ``edge_law``: a static one has no covariance, StoD none of two edges,
    and every other one a pair whose covariance is not 0 unless nothing is random.
    """
    largest, text = 0.0, "a static network"
    if is_redrawn(network):
        table = edge_covariance(network).tocoo()
        n = network.clients
        (i, k), (j, m) = np.divmod(table.row, n), np.divmod(table.col, n)
        apart = np.abs(table.data[(i != k) | (j != m)])
        largest = float(apart.max(initial=0.0))
        text = f"{network.name}: Cov of two edges of a round, closed form"
    return exacts(text, edge_covariance=largest, independent_edges=largest == 0)


def edge_spread(law: EdgeLaw) -> float:
    """sum_ij (pbar_ji / dbar_ij)^2; infinite where Assumption 6 fails."""
    mean, often = law.mean, law.frequency.T
    with np.errstate(divide="ignore", over="ignore"):
        ratio = np.divide(mean, often, out=np.zeros_like(mean), where=mean > 0)
    return float((ratio**2).sum())


def edge_swing(law: EdgeLaw) -> float:
    """sum_ij pbar_ji^2 max (delta_ij / dbar_ij - 1)^2 over what delta_ij can be; infinite where
    Assumption 6 fails. An edge that is always there counts nothing."""
    mean, often = law.mean, law.frequency.T
    with np.errstate(divide="ignore", over="ignore"):
        away = np.where(often < 1, np.maximum(1.0, 1 / often - 1), 0.0)
        parts = np.multiply(mean, away, out=np.zeros_like(mean), where=mean > 0)
    return float((parts**2).sum())


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
    return int((values <= 64 * len(matrix) ** 2 * UNIT * (1 + values[0])).sum())


def unsolved(affine: Callable[[float], tuple[Floats, Floats]]) -> tuple[float, float]:
    """(the smallest ||T(z) - z|| of T(z) = J z + c, its relative rounding).

    The rounding is inf where I - J is nearly singular but may be regular, as there is a fixed point
    then, if a far one. It is singular for certain where J has no rounding (3, 5 and 7 times a unit
    vector go to as many times its image, to the bit) and I - J as fractions lacks rank.

    Args:
        affine: k -> (k J, c), J (N, N) from T at 0 and at k times the unit vectors.
    """
    J, const = affine(1.0)
    system = np.eye(len(J)) - J
    z = np.linalg.lstsq(system, const, rcond=NEAR)[0]
    least = float(np.linalg.norm(system @ z - const))
    values = np.linalg.svd(system, compute_uv=False)
    if values[-1] > NEAR * values[0]:
        return least, 0.0
    unrounded = all(np.array_equal(affine(k)[0], k * J) for k in (3.0, 5.0, 7.0))
    fractions = [[flint.fmpq(*float(x).as_integer_ratio()) for x in row] for row in system]
    certain = unrounded and flint.fmpq_mat(fractions).rank() < len(J)
    return least, 0.0 if certain else np.inf
