"""Local maps of pdbo's Eq. (2) whose Jacobians are known at every y: SGP's, and bounded ones.

Inputs stand as rows: entry [a, b] of a Jacobian is the derivative of output b in input a.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.hypergradients import SGP, QuadraticBilevel
from theorylab.kernels import Stream

Floats = NDArray[np.float64]


class SgpMap:
    """The map that steps, phi_i of Eq. (4a) or psi_i of (4b), y = (z, omega).

    f_i(x) = x^T H_i x / 2 - b_i^T x + ripple (1 - cos(k u_i^T x)) / k^2, |u_i| = 1, has the Hessian
    H_i + ripple cos(k u_i^T x) u_i u_i^T: eigenvalues at least mu - ripple, and the Lipschitz
    constant k ripple.

    Args:
        problem: H. sgp: variant and steps. ripple in [0, mu), k > 0.
    """

    def __init__(self, problem: QuadraticBilevel, sgp: SGP, ripple: float, k: float) -> None:
        self.H, self.after = problem.H, sgp.variant == "4b"
        self.steps = sgp.steps(problem.clients)
        self.ripple, self.k = ripple, k
        drawn = Stream(0, "problem").normal(1, problem.clients, 0, 17, problem.dim)[0]
        self.u = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
        self.clients, self.samples, self.size = problem.clients, 1, problem.dim + 1

    def jacobian(self, i: int, xi: int, y: Floats) -> Floats:
        """(d + 1, d + 1) at y, of the only sample."""
        z, omega, u = y[:-1], y[-1], self.u[i]
        x = z / omega
        hessian = self.H[i] + self.ripple * np.cos(self.k * (u @ x)) * np.outer(u, u)
        made = np.zeros((self.size, self.size)) if self.after else np.eye(self.size)
        pull = self.steps[i] / omega * hessian
        made[:-1, :-1] -= pull
        made[-1, :-1] += x @ pull
        return np.asarray(made)


class SineMaps:
    """phi_i = psi_i: y -> (amplitude / k) sin(k u^T y) v, |u| = |v| = 1, one pair a client, sample.

    The Jacobian amplitude cos(k u^T y) u v^T has the norm ``amplitude`` at y = 0, which no y
    exceeds, and the Lipschitz constant k ``amplitude``.
    """

    def __init__(
        self, clients: int, size: int, samples: int, amplitude: float, k: float, seed: int
    ) -> None:
        self.clients, self.samples, self.size = clients, samples, size
        self.amplitude, self.k = amplitude, k
        drawn = Stream(seed, "problem").normal(2, clients, 0, 18, samples * size)
        both: Any = drawn.reshape(2, clients, samples, size)
        self.u, self.v = both / np.linalg.norm(both, axis=-1, keepdims=True)

    def jacobian(self, i: int, xi: int, y: Floats) -> Floats:
        """(size, size) at y."""
        u, v = self.u[i, xi], self.v[i, xi]
        return np.asarray(self.amplitude * np.cos(self.k * (u @ y)) * np.outer(u, v))
