"""Stochastic gradient push as the inner solver: pdbo's Eq. (2), (4a), (4b), and Algorithm 2.

With y_i = (z_i, omega_i), x_i = z_i / omega_i, P[i, j] = p_ji, and g_j = grad_x f_j(x_j, lam_j):

    (4a)  z_i <- sum_j P[i, j] (z_j - a_j g_j)        step before the exchange
    (4b)  z_i <- sum_j P[i, j] z_j - a_i g_i          step after it
    omega_i <- sum_j P[i, j] omega_j  in both
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from theorylab.hypergradients._bilevel import Bilevel, Floats, Sample
from theorylab.hypergradients.edge_law import EdgeLaw, arrived, matrices
from theorylab.topologies import Topology

VARIANTS = ("4a", "4b")


@dataclass(frozen=True)
class SGP:
    """Step sizes and variant.

    Args:
        step: alpha_i > 0, one number or one a client.
        variant: "4a" (step, then send) or "4b" (send, then step; the paper's experiments).
    """

    step: float | Sequence[float]
    variant: str = "4b"

    def __post_init__(self) -> None:
        if self.variant not in VARIANTS:
            raise ValueError(f"sgp: variant is {self.variant!r}; need one of {', '.join(VARIANTS)}")
        each = np.asarray(self.step, np.float64)
        if each.ndim > 1 or not (np.isfinite(each) & (each > 0)).all():
            raise ValueError(f"sgp: step is {self.step!r}; need a number > 0, or one a client")

    def steps(self, clients: int) -> Floats:
        """alpha_i, (n,)."""
        each = np.asarray(self.step, np.float64)
        if each.ndim and each.shape != (clients,):
            raise ValueError(f"sgp: {len(each)} steps for {clients} clients; need one, or one each")
        return np.broadcast_to(each, (clients,)).copy()

    def round(
        self, problem: Bilevel, P: Floats, z: Floats, omega: Floats, lam: Floats, sample: Sample
    ) -> Floats:
        """The next z, (R, n, dx), for P (R, n, n), z (R, n, dx), omega (R, n)."""
        x = z / omega[..., None]
        inner = problem.inner_gradient(problem.points(x), problem.points(lam), sample)
        pull = self.steps(problem.clients)[:, None] * problem.numbers(inner)
        if self.variant == "4a":
            return np.asarray(np.matmul(P, z - pull))
        return np.asarray(np.matmul(P, z) - pull)


@dataclass(frozen=True)
class Path:
    """What Algorithm 2 went through: T rounds, and one more that is drawn but not taken.

    z (T + 1, R, n, dx), omega (T + 1, R, n): y^(0) .. y^(T). P (T + 1, R, n, n), samples: those of
    rounds 0 .. T.
    """

    z: Floats
    omega: Floats
    P: Floats
    samples: tuple[Sample, ...]


@dataclass(frozen=True)
class Trained:
    """Algorithm 2's output. z (R, n, dx), omega (R, n), law: its counts of pbar and dbar."""

    z: Floats
    omega: Floats
    law: EdgeLaw
    path: Path | None = None

    @property
    def x(self) -> Floats:
        """z / omega, (R, n, dx)."""
        return np.asarray(self.z / self.omega[..., None])


def algorithm2(
    problem: Bilevel,
    topology: Topology,
    sgp: SGP,
    lam: Floats,
    rounds: int,
    *,
    z0: Floats | None = None,
    omega0: Floats | None = None,
    seed: int = 0,
    runs: NDArray[np.int64] | None = None,
    first: int = 0,
    keep: bool = False,
) -> Trained:
    """T rounds of SGP from z0 (R, n, dx; the problem's ``initial`` if None) and omega0 (R, n; 1 if
    None), counting edges and weights.

    lam (R, n, dlam). Rounds first .. first + T - 1 of the network and of the minibatches.

    Raises:
        ValueError: on T < 1, or where z is no longer finite: the inner problem diverges.
    """
    if rounds < 1:
        raise ValueError(f"algorithm2: rounds is {rounds}; need at least 1")
    runs = np.arange(1) if runs is None else runs
    n = problem.clients
    if topology.clients != n:
        raise ValueError(f"algorithm2: topology has {topology.clients} clients, problem {n}")
    z = np.array(problem.initial(seed, runs) if z0 is None else z0, np.float64)
    lam = np.broadcast_to(lam, (len(runs), *lam.shape[1:]))
    omega = np.ones((len(runs), n)) if omega0 is None else np.array(omega0, np.float64)
    weight, seen = np.zeros((len(runs), n, n)), np.zeros((len(runs), n, n))
    zs, omegas, Ps, samples = [z], [omega], [], []
    for t in range(first, first + rounds + keep):
        P = matrices(topology, t, runs)
        sample = problem.sample(seed, runs, t)
        if keep:
            Ps.append(P)
            samples.append(sample)
            if t == first + rounds:
                break
        weight += P
        seen += arrived(P)
        with np.errstate(over="ignore", invalid="ignore"):
            z = sgp.round(problem, P, z, omega, lam, sample)
        omega = np.matmul(P, omega[..., None])[..., 0]
        if not np.isfinite(z).all():
            raise ValueError(
                f"algorithm2: the inner problem diverges: z is not finite after round {t}; need a "
                "smaller step"
            )
        if keep:
            zs.append(z)
            omegas.append(omega)
    law = EdgeLaw(weight / rounds, seen / rounds, f"estimated from {rounds} rounds")
    if not keep:
        return Trained(z, omega, law)
    path = Path(np.array(zs), np.array(omegas), np.array(Ps), tuple(samples))
    return Trained(z, omega, law, path)
