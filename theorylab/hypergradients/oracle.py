"""The true hypergradient: d_lambda Fbar = B_z (I - A_zz)^{-1} c_z + c_lambda.

On the full y = (z, omega) I - A is singular (omega's eigenvalue 1), so the solve is on z alone;
omega* does not depend on lambda, so nothing is lost. It is the derivative of Fbar at the stationary
point exactly when the iteration comes back to that point, rho(A_zz) < 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse.linalg import LinearOperator, gmres

from theorylab.hypergradients._bilevel import Bilevel, Floats
from theorylab.hypergradients._spectrum import (
    DENSE,
    check_radius,
    dense,
    mean_product,
    spectral_radius,
)
from theorylab.hypergradients.edge_law import EdgeLaw
from theorylab.hypergradients.linear import Linear
from theorylab.hypergradients.sgp import SGP
from theorylab.hypergradients.stationary import Stationary, stationary

NEAR = 1e-6  # of |c|, in which GMRES has to solve (I - A) q = c


@dataclass(frozen=True)
class Exact:
    """gradient (n, dlam): d_lambda Fbar.

    radius: rho(A_zz), LAPACK up to 1500 numbers, else ARPACK. norm: ||A_zz||_2 (Assumption 4 asks
    for < 1; the sum converges iff radius < 1), None where the matrix is not written out.
    residual: max |(I - A_zz) q - c_z| of the solve. point: where it was taken.
    """

    gradient: Floats
    radius: float
    norm: float | None
    residual: float
    point: Stationary


def exact(
    problem: Bilevel,
    law: EdgeLaw,
    sgp: SGP,
    lam: Floats,
    *,
    point: Stationary | None = None,
) -> Exact:
    """The hypergradient at lam (n, dlam), at ``point`` or at the stationary point.

    Raises:
        ValueError: rho(A_zz) >= 1, with its value; a system that GMRES does not solve; or what
            ``stationary`` raises.
    """
    point = stationary(problem, law, sgp, lam) if point is None else point
    at = Linear(problem, sgp, point.x[None], point.omega[None], lam[None])
    c_y, c_lam = (problem.numbers(part)[0] for part in at.seeds())
    if not (np.isfinite(c_y).all() and np.isfinite(c_lam).all()):
        raise ValueError(
            "hypergradient: the outer loss has a gradient that is not finite at the stationary "
            "point; need data, and a loss, that are finite there"
        )
    n, d = problem.clients, problem.dim
    if n * d <= DENSE:
        A, B = dense(at, law.mean.T)
        radius, norm = float(np.abs(np.linalg.eigvals(A)).max()), float(np.linalg.norm(A, 2))
        check_radius(radius, at, law)
        try:
            q = np.linalg.solve(np.eye(n * d) - A, c_y.ravel())
        except np.linalg.LinAlgError:
            raise ValueError(
                "hypergradient: I - A is singular at the stationary point, so that it does not "
                "move with lambda in one way; need inner losses that determine x"
            ) from None
        residual = float(np.abs(q - A @ q - c_y.ravel()).max())
        return Exact((B @ q).reshape(n, -1) + c_lam, radius, norm, residual, point)
    radius = spectral_radius(at, law)
    check_radius(radius, at, law)
    times = mean_product(at, law)
    system = LinearOperator((n * d, n * d), matvec=lambda u: u - times(u), dtype=np.float64)
    q, _ = gmres(system, c_y.ravel(), rtol=1e-12, restart=200, maxiter=50)
    residual = float(np.abs(q - times(q) - c_y.ravel()).max())
    if not residual <= NEAR * np.abs(c_y).max():
        raise ValueError(
            f"hypergradient: (I - A) q = c was not solved: residual {residual:.3g}, need at most "
            f"{NEAR:g} of {np.abs(c_y).max():.3g}; rho(A_zz) is {radius:.8g}, and a larger step or "
            "l2 weight makes it smaller"
        )
    stacked = problem.points(np.ascontiguousarray(q.reshape(1, n, 1, d)))
    c = problem.points(np.ascontiguousarray(law.mean.T[None]))
    return Exact(problem.numbers(at.B(c, stacked))[0, :, 0] + c_lam, radius, None, residual, point)
