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

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from array_api_compat import array_namespace

from theorylab.hypergradients._bilevel import Array, Bilevel, Floats, Sample
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
