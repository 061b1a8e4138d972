"""The maps phi_i, psi_i of pdbo, Appendix A.3, at one point: Jacobians, one for each sample.

Either any matrices (the "generalized version of SGP" of Appendix A.1), or those of SGP itself.
Layout of the paper: inputs are rows, so (A u)_i = sum_j c_ij phi_y[i] u_j + psi_y[i] u_i.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.hypergradients import SGP, EdgeLaw, Linear, QuadraticBilevel, stationary
from theorylab.hypergradients.oracle import blocks
from theorylab.kernels import Stream

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Maps:
    """phi_y, psi_y (n, m, dy, dy), phi_lam, psi_lam (n, m, dlam, dy): samples 0 .. m - 1, evenly.

    c_y (n, dy), c_lam (n, dlam): the derivatives of Fbar. ``batch``: samples a step, with
    replacement. ``variant``: of SGP, or "" for other maps.
    """

    phi_y: Floats
    psi_y: Floats
    phi_lam: Floats
    psi_lam: Floats
    c_y: Floats
    c_lam: Floats
    batch: int = 1
    variant: str = ""

    @property
    def parts(self) -> tuple[Floats, Floats, Floats, Floats]:
        return self.phi_y, self.psi_y, self.phi_lam, self.psi_lam

    def means(self) -> tuple[Floats, Floats, Floats, Floats]:
        """The four parts averaged over their samples, (n, ., dy)."""
        phi_y, psi_y, phi_lam, psi_lam = (part.mean(axis=1) for part in self.parts)
        return phi_y, psi_y, phi_lam, psi_lam


def matrices_of(parts: Sequence[Floats], c: Floats) -> tuple[Floats, Floats]:
    """A (R, n dy, n dy), B (R, n dlam, n dy) for c (R, n, n) and parts (R or 1, n, ., dy)."""
    phi_y, psi_y, phi_lam, psi_lam = parts
    n = c.shape[1]
    made = []
    for phi, psi in ((phi_y, psi_y), (phi_lam, psi_lam)):
        full = np.einsum("rij,riab->riajb", c, np.broadcast_to(phi, (len(c), *phi.shape[1:])))
        full[:, np.arange(n), :, np.arange(n), :] += np.moveaxis(
            np.broadcast_to(psi, (len(c), *psi.shape[1:])), 1, 0
        )
        made.append(full.reshape(len(c), n * phi.shape[2], n * phi.shape[3]))
    return made[0], made[1]


def bounded(
    law: EdgeLaw,
    kappa: float,
    *,
    dim: int,
    hyper: int,
    eta_A: float,
    eta_B: float,
    samples: int,
    batch: int,
    outer: float,
    aligned: bool,
    seed: int,
) -> Maps:
    """Matrices with largest norm eta_A / (2 kappa) and eta_B / (2 kappa): Assumption 8 holds.

    ``aligned``: all of them the same positive multiple of one matrix of norm 1, the case in which
    no norm of a sum is smaller than the sum of the norms; else normal ones, rescaled.
    """
    n = len(law.mean)
    draw, parts = Stream(seed, "problem"), []
    for step, (rows, top) in enumerate(
        ((dim, eta_A), (dim, eta_A), (hyper, eta_B), (hyper, eta_B))
    ):
        if aligned:
            made = np.zeros((n, samples, rows, dim))
            made[..., 0, 0] = 1.0
        else:
            made = draw.normal(1, n, 0, step, samples * rows * dim)[0]
            made = made.reshape(n, samples, rows, dim)
            made = made / np.linalg.norm(made, 2, axis=(-2, -1)).max()
        parts.append(made * (top / (2 * kappa)))
    c_y, c_lam = draw.normal(1, n, 0, 8, dim)[0] / n, outer * draw.normal(1, n, 0, 9, hyper)[0] / n
    if aligned:
        c_y = np.abs(c_y)
    return Maps(parts[0], parts[1], parts[2], parts[3], c_y, c_lam, batch)


def of_sgp(law: EdgeLaw, sgp: SGP, problem: QuadraticBilevel) -> Maps:
    """SGP's own Jacobians on z at its stationary point (lambda = 1), the noise's cases as samples.

    The noise scales a client's whole loss by 1 +- noise: two samples a client.
    """
    lam = np.ones((problem.clients, problem.hyper))
    point = stationary(problem, law, sgp, lam)
    at = Linear(problem, sgp, point.x[None], point.omega[None], lam[None])
    ones = np.ones((1, problem.clients))
    cases: list[Any] = [-ones, ones] if problem.stochastic else [None]
    seen = [blocks(at, case) for case in cases]
    phi_y, phi_lam, psi_y, psi_lam = (
        np.stack([case[k] for case in seen], axis=1) for k in range(4)
    )
    c_y, c_lam = (np.asarray(part)[0] for part in at.seeds())
    return Maps(phi_y, psi_y, phi_lam, psi_lam, c_y, c_lam, 1, sgp.variant)
