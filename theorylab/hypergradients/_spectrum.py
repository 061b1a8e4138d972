"""The Jacobians of the mean round written out, and the spectral radius of A_zz."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.sparse.linalg import ArpackError, LinearOperator

from theorylab.arpack import eigs
from theorylab.hypergradients._bilevel import Floats, Sample
from theorylab.hypergradients.edge_law import EdgeLaw
from theorylab.hypergradients.linear import Linear

DENSE = 1500  # n dx up to which matrices are written out
RESTARTS = 300  # of ARPACK, 20 products each, before it gives up


def spectral_radius(at: Linear, law: EdgeLaw, tolerance: float = 0.0) -> float:
    """rho(A_zz) at run 0's point for a law with mean_P (n, n): LAPACK, ARPACK above 1500 numbers.

    tolerance: ARPACK's, relative; 0 is roundoff. Raises ValueError where ARPACK gives no answer.
    """
    size = at.problem.clients * at.problem.dim
    if size <= DENSE:
        return float(np.abs(np.linalg.eigvals(dense(at, law.mean.T)[0])).max())
    operator = LinearOperator((size, size), matvec=mean_product(at, law), dtype=np.float64)
    try:
        found = eigs(
            operator, k=1, v0=np.ones(size), tol=tolerance, maxiter=RESTARTS,
            return_eigenvectors=False,
        )  # fmt: skip
    except ArpackError as error:
        raise ValueError(f"hypergradient: rho(A_zz) could not be computed: {error}") from None
    return float(np.abs(found[0]))


def mean_product(at: Linear, law: EdgeLaw) -> Callable[[Floats], Floats]:
    """u -> A_zz u for the mean edges, u (n dx,)."""
    problem = at.problem
    one = Linear(problem, at.sgp, at.x[:1], at.omega[:1], at.lam[:1])
    c = problem.points(np.ascontiguousarray(law.mean.T[None]))
    shape = (1, problem.clients, 1, problem.dim)

    def times(u: Floats) -> Floats:
        stacked = problem.points(np.ascontiguousarray(u.reshape(shape)))
        return np.asarray(problem.numbers(one.A(c, stacked)).ravel())

    return times


def check_radius(radius: float, at: Linear, law: EdgeLaw, knob: str = "step") -> None:
    """Raise one line unless rho(A_zz) < 1, with what helps at run 0's point (``_advice``).

    knob: the option that holds the step.
    """
    if not radius < 1:
        from theorylab.hypergradients._advice import remedy  # it needs ``dense``

        raise ValueError(
            f"hypergradient: rho(A_zz) is {radius:.6g}; need < 1: the inner iteration "
            f"({at.sgp.variant}) does not come back to this point; {remedy(at, law.mean, knob)}"
        )


def dense(at: Linear, c: Floats, sample: Sample = None) -> tuple[Floats, Floats]:
    """(A (n dx, n dx), B (n dlam, n dx)) on z for mixing c (n, n), run 0; None: full batch."""
    phi_y, phi_lam, psi_y, psi_lam = blocks(at, sample)
    return assembled(phi_y, psi_y, c), assembled(phi_lam, psi_lam, c)


def assembled(phi: Floats, psi: Floats, c: Floats) -> Floats:
    """(..., n rows, n d): block (i, j) is c_ij phi_i, and psi_i more where i = j.

    phi, psi: (..., n, rows, d). c: (..., n, n).
    """
    n, rows, d = phi.shape[-3:]
    whole = np.einsum("...ij,...iab->...iajb", c, phi)
    batch, here = whole.shape[:-4], np.arange(n)
    own = np.broadcast_to(psi, (*batch, n, rows, d))
    whole[..., here, :, here, :] += np.moveaxis(own, -3, 0)
    return np.asarray(whole.reshape(*batch, n * rows, n * d))


def blocks(at: Linear, sample: Sample = None) -> tuple[Floats, Floats, Floats, Floats]:
    """d_z phi_i, d_lam phi_i, d_z psi_i, d_lam psi_i, inputs as rows: (n, dx or dlam, dx)."""
    n, d = at.problem.clients, at.problem.dim
    H, K = at.curvature(sample)
    step = at.sgp.steps(n)
    pulled = (step / at.omega[0])[:, None, None] * H
    crossed = -step[:, None, None] * np.swapaxes(K, 1, 2)
    eye = np.broadcast_to(np.eye(d), H.shape)
    if at.sgp.variant == "4a":
        return eye - pulled, crossed, np.zeros_like(H), np.zeros_like(crossed)
    return eye.copy(), np.zeros_like(crossed), -pulled, crossed
