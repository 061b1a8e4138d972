"""A small bilevel problem on a network at its stationary point, and what pdbo asks of networks."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from theorylab.experiments.pdbo._base import Floats, Ints, network_of
from theorylab.experiments.pdbo._rounds import Maps
from theorylab.hypergradients import SGP, Linear, QuadraticBilevel, stationary
from theorylab.hypergradients.edge_law import matrices
from theorylab.hypergradients.linear import blocks, dense
from theorylab.hypergradients.recursion import coefficients


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

    @functools.cached_property
    def push(self) -> Floats:
        """b_i + G_i lambda_i, (n, dx): f_i is least where H_i x is this."""
        return np.asarray(self.problem.b + np.einsum("nxl,nl->nx", self.problem.G, self.lam))

    @functools.cached_property
    def optimum(self) -> Floats:
        """argmin of sum_i f_i, the common x of Eq. (1), (dx,)."""
        return np.linalg.solve(self.problem.H.sum(axis=0), self.push.sum(axis=0))

    def affine(
        self,
        P: Floats,
        omega: Floats,
        lam: Floats | None = None,
        sample: Floats | None = None,
        unit: float = 1.0,
    ) -> tuple[Floats, Floats]:
        """(J (N, N), T(0) (N,)) of one of SGP's rounds, T(z) = J z + T(0) on flat z.

        By T at 0 and at the unit vectors. unit: of their multiples, and that multiple of J.
        P (n, n), omega (n,), lam (n, dlam): the setting's where None. sample: (n,), None for the
        full batch.
        """
        N = self.problem.clients * self.problem.dim
        points = np.concatenate([np.zeros((1, N)), unit * np.eye(N)])
        points = points.reshape(-1, self.problem.clients, self.problem.dim)
        given = (P, omega, self.lam if lam is None else lam)
        Ps, omegas, lams = (np.broadcast_to(part, (N + 1, *part.shape)) for part in given)
        drawn = None if sample is None else np.broadcast_to(sample, (N + 1, *sample.shape))
        flat = self.sgp.round(self.problem, Ps, points, omegas, lams, drawn).reshape(N + 1, -1)
        return (flat[1:] - flat[0]).T, flat[0]


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
