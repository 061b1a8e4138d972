"""The stationary point of the mean iteration, pdbo's Eq. (6), and the hypergradient there.

Its weights omega* = (E P) omega* are fixed only up to scale; SGP keeps sum omega = n, and that one
is taken. With omega* known, z* = T(z*) is solved by Newton steps on T(z) - z, in between plain
iterations where a step does not help. What is returned is judged by its residual alone.

With a constant step z* / omega* is in general no consensus, whatever the text before Eq. (6) says:
the clients' x_i* differ by O(step), ``spread``, and are not the optimum of Eq. (1).

The true hypergradient is d_lambda Fbar = B_z (I - A_zz)^{-1} c_z + c_lambda. On the full
y = (z, omega) I - A is singular (omega's eigenvalue 1), so the solve is on z alone; omega* does not
depend on lambda, so nothing is lost. The formula is the derivative of Fbar at the stationary point
exactly when the iteration comes back to that point, rho(A_zz) < 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.sparse.linalg import LinearOperator, gmres

from theorylab.hypergradients._bilevel import Bilevel, Floats
from theorylab.hypergradients.edge_law import EdgeLaw, check_connected
from theorylab.hypergradients.linear import (
    DENSE,
    PERIODIC,
    Linear,
    check_radius,
    dense,
    mean_product,
    periodic,
    radius_of,
    spectral_radius,
)
from theorylab.hypergradients.sgp import SGP
from theorylab.known import UNIT

CYCLES, PLAIN = 100, 50  # Newton steps at most; plain iterations where one does not help
HALVINGS = 12  # of a Newton step
HOVERS = 1e-3  # how near to a saddle point the iteration stays there, as a share of |z|
ROUNDS = 6000  # plain iterations at most where the losses may not be convex


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
    tolerance: float | None = None,
) -> Stationary:
    """Solve Eq. (6) at lam (n, dlam) for a law with mean_P (n, n).

    Where the losses are not known to be convex, Newton's method would end at any saddle point.
    There the mean iteration is run first, twice as long each time, and Newton's answer is taken
    only where the iteration comes back to it: rho(A_zz) < 1.

    Args:
        z0: where to start, (n, dx); the problem's first models (run 0, seed 0) if None.
        tolerance: the residual is at most this times (1 + max |z|); None: 1e-12, or 16 unit
            roundoffs of a problem in float32.

    Raises:
        ValueError: Assumption 2 fails (E P is not strongly connected), or no z gets that near:
            the line names the residual.
    """
    check_connected(law, "stationary")
    P, omega = law.mean, perron(law.mean)
    near = max(1e-12, 16 * problem.unit) if tolerance is None else tolerance
    first = problem.initial(0, np.arange(1))[0] if z0 is None else z0
    z = np.array(first, np.float64)

    def gap(z: Floats) -> Floats:
        return np.asarray(sgp.round(problem, P[None], z[None], omega[None], lam[None], None)[0] - z)

    turns = periodic(sgp, P)
    if _convex(problem, lam):
        z, best = _solved(problem, sgp, P, z, omega, lam, gap, near)
        stable = True
    elif turns:  # the iteration runs away from every point
        z, best = _damped(problem, sgp, P, z, omega, lam, gap, near)
        stable = False
    else:
        z, best, stable = _settled(problem, law, sgp, z, omega, lam, gap, near)
    if turns and not (np.isfinite(z).all() and best <= near * (1 + np.abs(z).max())):
        raise ValueError(f"stationary: {PERIODIC}: need self-loops, lazy weights, or variant 4a")
    if not np.isfinite(z).all():
        raise ValueError(
            f"stationary: the mean iteration ({sgp.variant}) leaves float64; need a smaller step, "
            "and losses and data that are finite"
        )
    if not best <= near * (1 + np.abs(z).max()):
        single = " (its numbers are float32)" if problem.unit > UNIT else ""
        raise ValueError(
            f"stationary: the mean iteration ({sgp.variant}) was not solved{single}: residual "
            f"{best:.3g}, need {near * (1 + np.abs(z).max()):.3g}; another start, or another step"
        )
    if not stable:
        at = Linear(problem, sgp, (z / omega[:, None])[None], omega[None], lam[None])
        check_radius(spectral_radius(at, law), at, law)
    return Stationary(z, omega, float(best))


def _convex(problem: Bilevel, lam: Floats) -> bool:
    """Whether every inner loss is known to be strongly convex at lam."""
    mu = problem.constants(problem.points(lam[None])).get("mu")
    return mu is not None and mu.value > 0


def _settled(
    problem: Bilevel, law: EdgeLaw, sgp: SGP, z: Floats, omega: Floats, lam: Floats,
    gap: Callable[[Floats], Floats], near: float,
) -> tuple[Floats, float, bool]:  # fmt: skip
    """(z, residual, whether rho(A_zz) < 1 there): of the point that the iteration runs into."""
    # from a point that is all but stationary Newton goes on at once
    played, part = 0, 200 if np.abs(gap(z)).max() > near**0.25 else 0
    found, size, stable = z, np.inf, False
    while played < ROUNDS and not stable:
        for _ in range(part):
            with np.errstate(over="ignore", invalid="ignore"):
                z = z + gap(z)
        if not np.isfinite(z).all():
            return z, np.inf, False
        played, part = played + part, max(2 * part, 200)
        found, size = _damped(problem, sgp, law.mean, z, omega, lam, gap, near)
        if size <= near * (1 + np.abs(found).max()):
            at = Linear(problem, sgp, (found / omega[:, None])[None], omega[None], lam[None])
            stable = spectral_radius(at, law) < 1
            if np.abs(found - z).max() <= HOVERS * (1 + np.abs(found).max()):
                break  # the iteration is there, too: at a saddle point, where it is not stable
    return found, size, stable


def _damped(
    problem: Bilevel, sgp: SGP, P: Floats, z: Floats, omega: Floats, lam: Floats,
    gap: Callable[[Floats], Floats], near: float,
) -> tuple[Floats, float]:  # fmt: skip
    """(z, its residual) after Newton steps, each halved until the residual falls."""

    def step(z: Floats, r: Floats) -> tuple[Floats, Floats] | None:
        move = _newton(problem, sgp, P, z, omega, lam, r)
        for _ in range(HALVINGS):
            with np.errstate(over="ignore", invalid="ignore"):
                after = gap(z + move)
            if np.abs(after).max() < np.abs(r).max():
                return z + move, after
            move = move / 2
        return None

    return _stepped(z, gap, near, step)


def _solved(
    problem: Bilevel, sgp: SGP, P: Floats, z: Floats, omega: Floats, lam: Floats,
    gap: Callable[[Floats], Floats], near: float,
) -> tuple[Floats, float]:  # fmt: skip
    """(z, its residual) after Newton steps; plain iterations where one does not help."""

    def step(z: Floats, r: Floats) -> tuple[Floats, Floats] | None:
        tried = z + _newton(problem, sgp, P, z, omega, lam, r)
        with np.errstate(over="ignore", invalid="ignore"):
            after = gap(tried) if np.isfinite(tried).all() else np.full_like(z, np.inf)
            if np.abs(after).max() < np.abs(r).max():
                return tried, after
            tried, after = z, r  # also where the residual is nan
            for _ in range(PLAIN):
                tried = tried + after
                after = gap(tried)
        stays = np.array_equal(tried, z) or not np.isfinite(np.abs(after).max())
        return None if stays else (tried, after)

    return _stepped(z, gap, near, step)


def _stepped(
    z: Floats,
    gap: Callable[[Floats], Floats],
    near: float,
    step: Callable[[Floats, Floats], tuple[Floats, Floats] | None],
) -> tuple[Floats, float]:
    """(z, its residual) after steps (z, residuals) -> the next two, None where there is none."""
    r = gap(z)
    for _ in range(CYCLES):
        if np.abs(r).max() <= near * (1 + np.abs(z).max()):
            break
        found = step(z, r)
        if found is None:
            break
        z, r = found
    return z, float(np.abs(r).max())


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
        radius, norm = radius_of(A), float(np.linalg.norm(A, 2))
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
