"""The stationary point of the mean iteration, pdbo's Eq. (6).

Its weights omega* = (E P) omega* are fixed only up to scale; SGP keeps sum omega = n, and that one
is taken. With omega* known, z* = T(z*) is solved by Newton steps on T(z) - z, in between plain
iterations where a step does not help. What is returned is judged by its residual alone.

With a constant step z* / omega* is in general no consensus, whatever the text before Eq. (6) says:
the clients' x_i* differ by O(step), ``spread``, and are not the optimum of Eq. (1).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse.linalg import LinearOperator, gmres

from theorylab.hypergradients._bilevel import Bilevel, Floats
from theorylab.hypergradients.edge_law import EdgeLaw, check_connected
from theorylab.hypergradients.linear import Linear
from theorylab.hypergradients.sgp import SGP

DENSE = 1500  # n dx up to which the Newton system is solved directly
CYCLES, PLAIN = 100, 50  # Newton steps at most; plain iterations where one does not help


@dataclass(frozen=True)
class Stationary:
    """z (n, dx), omega (n,), and how well they solve Eq. (6).

    residual: max |T(z) - z| over all entries, evaluated at the returned z, in units of z.
    spread: max over i, j of |x_i - x_j|, what consensus would make 0.
    """

    z: Floats
    omega: Floats
    residual: float

    @property
    def x(self) -> Floats:
        """z / omega, (n, dx)."""
        return np.asarray(self.z / self.omega[:, None])

    @property
    def spread(self) -> float:
        """The largest distance between two clients' x."""
        gap = self.x[:, None] - self.x
        return float(np.sqrt((gap * gap).sum(axis=-1)).max())


def perron(mean_P: Floats) -> Floats:
    """omega > 0 with (E P) omega = omega and sum omega = n, (n,)."""
    n = len(mean_P)
    # Its columns sum to 1, so 1^T of this system says sum omega = n; then it is (I - P) omega = 0.
    return np.linalg.solve(np.eye(n) - mean_P + np.full((n, n), 1 / n), np.ones(n))


def stationary(
    problem: Bilevel,
    law: EdgeLaw,
    sgp: SGP,
    lam: Floats,
    *,
    z0: Floats | None = None,
    tolerance: float = 1e-12,
) -> Stationary:
    """Solve Eq. (6) at lam (n, dlam) for a law with mean_P (n, n).

    Args:
        z0: where to start, (n, dx); the problem's first models (run 0, seed 0) if None.
        tolerance: the residual is at most this times (1 + max |z|).

    Raises:
        ValueError: Assumption 2 fails (E P is not strongly connected), or no z gets that near:
            the line names the residual.
    """
    check_connected(law, "stationary")
    P, omega = law.mean, perron(law.mean)
    first = problem.initial(0, np.arange(1))[0] if z0 is None else z0
    z = np.array(first, np.float64)

    def gap(z: Floats) -> Floats:
        return np.asarray(sgp.round(problem, P[None], z[None], omega[None], lam[None], None)[0] - z)

    r = gap(z)
    best = np.abs(r).max()
    for _ in range(CYCLES):
        if best <= tolerance * (1 + np.abs(z).max()):
            break
        tried = z + _newton(problem, sgp, P, z, omega, lam, r)
        with np.errstate(over="ignore", invalid="ignore"):
            after = gap(tried) if np.isfinite(tried).all() else np.full_like(z, np.inf)
            size = np.abs(after).max()
            if not size < best:  # also where size is nan
                tried, after = z, r
                for _ in range(PLAIN):
                    tried = tried + after
                    after = gap(tried)
                size = np.abs(after).max()
                if not np.isfinite(size) or np.array_equal(tried, z):
                    break
        z, r, best = tried, after, size
    if not best <= tolerance * (1 + np.abs(z).max()):
        raise ValueError(
            f"stationary: the mean iteration ({sgp.variant}) was not solved: residual {best:.3g}, "
            f"need {tolerance * (1 + np.abs(z).max()):.3g}; a smaller step, or another start"
        )
    return Stationary(z, omega, float(best))


def _newton(
    problem: Bilevel, sgp: SGP, P: Floats, z: Floats, omega: Floats, lam: Floats, r: Floats
) -> Floats:
    """(I - T'(z))^{-1} r."""
    n, d = z.shape
    at = Linear(problem, sgp, (z / omega[:, None])[None], omega[None], lam[None])
    share = sgp.steps(n) / omega
    if n * d <= DENSE:
        H = share[:, None, None] * at.curvature()[0]
        J = np.kron(P, np.eye(d)).reshape(n, d, n, d)
        if sgp.variant == "4a":
            J = J - np.einsum("ij,jab->iajb", P, H)
        else:
            J[np.arange(n), :, np.arange(n), :] -= H
        try:
            move = np.linalg.solve(np.eye(n * d) - J.reshape(n * d, n * d), r.ravel())
        except np.linalg.LinAlgError:
            return r
        return np.asarray(move.reshape(n, d))

    x, lams = problem.points(at.x), problem.points(lam[None])

    def residual(s: Floats) -> Floats:
        s = s.reshape(n, d)
        u = problem.points(np.ascontiguousarray(s[None, :, None, :]))
        pulled = share[:, None] * problem.numbers(problem.inner_hvp(x, lams, u))[0, :, 0]
        moved = P @ (s - pulled) if sgp.variant == "4a" else P @ s - pulled
        return np.asarray((s - moved).ravel())

    system = LinearOperator((n * d, n * d), matvec=residual, dtype=np.float64)
    move, _ = gmres(system, r.ravel(), rtol=1e-8, restart=100, maxiter=20)
    return np.asarray(move.reshape(n, d))
