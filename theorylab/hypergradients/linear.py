"""The Jacobians of SGP at a point, as products (pdbo, Eq. 8): u -> A u and u -> B u.

The paper differentiates with inputs as rows, so A is the transposed Jacobian: with c_ij the weight
of what i makes of j's message,

    (A u)_i = d_y phi_i (sum_j c_ij u_j) + d_y psi_i u_i,   (B u)_i likewise with d_lambda.

Messages are mixed first; then one Hessian-vector product a client is enough, since phi_i does not
depend on j. c = P^T gives Eq. (10) and (11), (E P)^T the mean, debiased edges HGP's Eq. (12).

On z alone (``full=False``) u has dx numbers; on y = (z, omega) dx + 1. omega does not depend on
lambda, and a z-component never reads an omega-component of u: v is the same on both, and what
``full`` adds is a part that I - A cannot be inverted on (an eigenvalue 1).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from array_api_compat import array_namespace
from scipy.sparse.linalg import ArpackError, LinearOperator

from theorylab.arpack import eigs
from theorylab.hypergradients._bilevel import Array, Bilevel, Floats, Sample
from theorylab.hypergradients.edge_law import EdgeLaw
from theorylab.hypergradients.sgp import SGP


def mix(c: Array, u: Array) -> Array:
    """sum_j c[r, i, j] u[r, j], for c (R, n, n) and u (R, n, k, d)."""
    R, n, k, d = u.shape
    return (c @ u.reshape(R, n, k * d)).reshape(-1, n, k, d)


@dataclass(frozen=True)
class Linear:
    """The problem at one point. x (R, n, dx), omega (R, n), lam (R, n, dlam), NumPy float64.

    R may be 1 where every run stands at the same point.
    """

    problem: Bilevel
    sgp: SGP
    x: Floats
    omega: Floats
    lam: Floats
    full: bool = False
    _at: dict[str, Any] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        put = self.problem.points
        steps = self.sgp.steps(self.problem.clients)
        at = {
            "x": put(np.ascontiguousarray(self.x)),
            "lam": put(np.ascontiguousarray(self.lam)),
            "share": put(np.ascontiguousarray(steps / self.omega))[..., None, None],
            "step": put(steps)[:, None, None],
        }
        object.__setattr__(self, "_at", at)

    def seeds(self) -> tuple[Array, Array]:
        """(c^y, c^lambda) with the 1/n of Fbar: (R, n, dy), (R, n, dlam)."""
        at, n = self._at, self.problem.clients
        g_x, g_lam = self.problem.outer_gradients(at["x"], at["lam"])
        omega = self.problem.points(np.ascontiguousarray(self.omega))[..., None]
        c = g_x / (n * omega)
        if self.full:  # d/domega of F(z / omega)
            xp = array_namespace(c)
            pull = -xp.sum(at["x"] * c, axis=-1, keepdims=True)
            c = xp.concat([c, pull], axis=-1)
        return c, g_lam / n

    def phi(self, c: Array, u: Array, sample: Sample = None) -> Array:
        """d_y phi_i (sum_j c_ij u_j), u (R, n, k, dy)."""
        mixed = mix(c, u)
        return mixed - self._pulled(mixed, sample) if self.sgp.variant == "4a" else mixed

    def psi(self, u: Array, sample: Sample = None) -> Array | float:
        """d_y psi_i u_i; 0 for Eq. (4a)."""
        return 0.0 if self.sgp.variant == "4a" else -self._pulled(u, sample)

    def A(self, c: Array, u: Array, sample: Sample = None) -> Array:
        """A u, (R, n, k, dy)."""
        curved = None if self.full else self._curved(sample)
        if curved is not None:
            return curved.step(c, u, self._at["share"][..., 0, 0], self.sgp.variant)
        return self.phi(c, u, sample) + self.psi(u, sample)

    def B(self, c: Array, u: Array, sample: Sample = None) -> Array:
        """B u, (R, n, k, dlam). Eq. (4b)'s B has no edges: its lambda enters through psi alone."""
        seen = u[..., : self.problem.dim]
        if self.sgp.variant == "4a":
            seen = mix(c, seen)
        at = self._at
        return -at["step"] * self.problem.cross(at["x"], at["lam"], seen, sample)

    def _curved(self, sample: Sample) -> Any:
        """The Hessians as the kernels take them, or None. Those of the full batch are kept."""
        at = self._at
        if sample is not None:
            return self.problem.curved(at["x"], at["lam"], sample)
        if "curved" not in at:
            at["curved"] = self.problem.curved(at["x"], at["lam"])
        return at["curved"]

    def _pulled(self, u: Array, sample: Sample) -> Array:
        """(a_i / omega_i) H_i u_z, and below it -<x_i, the same> where omega counts too."""
        at, d = self._at, self.problem.dim
        curved = self._curved(sample)
        if curved is None:
            product = self.problem.inner_hvp(at["x"], at["lam"], u[..., :d], sample)
        else:
            product = curved.product(u[..., :d])
        pulled = at["share"] * product
        if not self.full:
            return pulled
        xp = array_namespace(pulled)
        drift = -xp.sum(at["x"][..., None, :] * pulled, axis=-1, keepdims=True)
        return xp.concat([pulled, drift], axis=-1)

    def curvature(self, sample: Sample = None) -> tuple[Floats, Floats]:
        """(H_i (n, dx, dx), d_lambda grad_x f_i (n, dx, dlam)) of run 0, NumPy.

        ``sample``: of one run; None: the full batch.
        """
        problem, n, d = self.problem, self.problem.clients, self.problem.dim
        eye = problem.points(np.broadcast_to(np.eye(d), (1, n, d, d)).copy())
        x, lam = self._at["x"][:1], self._at["lam"][:1]
        H = problem.numbers(problem.inner_hvp(x, lam, eye, sample))[0]
        K = problem.numbers(problem.cross(x, lam, eye, sample))[0]
        return (H + np.swapaxes(H, 1, 2)) / 2, K


DENSE = 1500  # n dx up to which matrices are written out
RESTARTS = 300  # of ARPACK, 20 products each, before it gives up


def radius_of(matrix: Floats) -> float:
    """The largest modulus of an eigenvalue, by LAPACK."""
    return float(np.abs(np.linalg.eigvals(matrix)).max())


def spectral_radius(at: Linear, law: EdgeLaw, tolerance: float = 0.0) -> float:
    """rho(A_zz) at run 0's point for a law with mean_P (n, n): LAPACK, ARPACK above 1500 numbers.

    tolerance: ARPACK's, relative; 0 is roundoff. Raises ValueError where ARPACK gives no answer.
    """
    size = at.problem.clients * at.problem.dim
    if size <= DENSE:
        return radius_of(dense(at, law.mean.T)[0])
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
    """Raise one line unless rho(A_zz) < 1, with what helps at run 0's point (``remedy``).

    knob: the option that holds the step.
    """
    if not radius < 1:
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


TRIED = 300  # n dx up to which smaller steps are tried: each costs an eigenvalue problem
HALVINGS = 16
PERIODIC = (
    "the network is periodic (E P has several eigenvalues of modulus 1) and no step helps Eq. (4b)"
)


def remedy(at: Linear, mean: Floats, knob: str) -> str:
    """What makes rho(A_zz) < 1 at run 0's point, for E P = ``mean`` (n, n), in words.

    A smaller step is named where one of ``HALVINGS`` halvings does it. Otherwise the cause is
    looked for: a periodic network; or, as the eigenvalues near 1 are 1 - those of sum_i alpha_i H_i
    for small steps, a sum that is not positive definite.

    Args:
        knob: the option that holds the step.
    """
    n, d = at.problem.clients, at.problem.dim
    turns = periodic(at.sgp, mean)
    if n * d > TRIED:
        if turns:
            return f"{PERIODIC}: need self-loops, lazy weights, or variant 4a (not tried)"
        return (
            f"a smaller {knob} helps only where the inner losses are convex and the graph of E P "
            f"is aperiodic (not looked at: n dx is {n * d}, at most {TRIED} is)"
        )
    found = _smaller(at, mean)
    if found is not None:
        value, radius = found
        return f"with {knob} {value} it is {radius:.4g} at this point"
    if turns:
        turned = replace(at, sgp=replace(at.sgp, variant="4a"))
        also = "" if _smaller(turned, mean) is None else "variant 4a, "
        return f"{PERIODIC}: need {also}self-loops, or lazy weights"
    least = float(np.linalg.eigvalsh(np.tensordot(at.sgp.steps(n), at.curvature()[0], 1)).min())
    if not least > 0:
        return (
            f"sum_i alpha_i H_i has the eigenvalue {least:.3g} there, a saddle or a flat "
            "direction, and no step helps: need another start, or a larger l2 weight"
        )
    return f"no {knob} down to 2^-{HALVINGS} of this one helps"


def periodic(sgp: SGP, mean: Floats) -> bool:
    """Whether E P (n, n) has another eigenvalue of modulus 1 beside 1, and the step is Eq. (4b)'s.

    A strongly connected E P of period p has the eigenvalues e^(2 pi i k / p), with left and right
    eigenvectors conj(t) and t omega*, |t_i| = 1. To first order in the steps Eq. (4b) subtracts
    from each the eigenvalues of sum_i conj(t_i) (alpha_i / omega_i*) H_i t_i omega_i* / n, which is
    sum_i alpha_i H_i / n whatever t is. Where that moves 1 inwards, it moves an eigenvalue with a
    negative real part outwards, and p > 1 has one.
    """
    return sgp.variant == "4b" and int((np.abs(np.linalg.eigvals(mean)) > 1 - 1e-9).sum()) > 1


def _smaller(at: Linear, mean: Floats) -> tuple[str, float] | None:
    """(the step, its rho) of the first halving with rho(A_zz) < 1; the step as it came: None."""
    steps = at.sgp.steps(at.problem.clients)
    phi, _, psi, _ = blocks(at)
    eye = np.eye(at.problem.dim)
    for k in range(HALVINGS + 1):
        share = 0.5**k  # what the step moves is linear in it
        A = assembled(eye - share * (eye - phi), share * psi, mean.T)
        radius = radius_of(A)
        if radius < 1:
            each = steps * share
            alike = bool((each == each[0]).all())
            return (f"{each[0]:.3g}" if alike else f"times {share:.3g}"), radius
    return None
