"""Exact sums over any number of rounds of DFedAlt where a round is affine: see ``Block``."""

from __future__ import annotations

from typing import Any

import numpy as np

from theorylab.experiments._alternating_instance import AlternatingInstance
from theorylab.experiments._deprl_moments import Block
from theorylab.problems import CoupledQuadratic

Floats = Any


class AffineRound:
    """One round of y = (all u_i, all v_i, 1) for an instance that ``is_affine``."""

    def __init__(self, at: AlternatingInstance) -> None:
        made = at.problem
        assert isinstance(made, CoupledQuadratic)
        n, du, dv = made.clients, made.shared, made.dim - made.shared
        self.at, self.n, self.du, self.dv = at, n, du, dv
        self.size = n * (du + dv) + 1
        start = at.start[0]
        self.y0 = np.concatenate([start[:, :du].ravel(), start[:, du:].ravel(), [1.0]])
        sigma_u, sigma_v = (part.sigma for part in made.field.parts)
        self.noise = {"u": sigma_u**2 / du, "v": sigma_v**2 / dv}
        self.rows = {"u": slice(0, n * du), "v": slice(n * du, n * (du + dv))}
        self.grad = {"u": np.zeros((n * du, self.size)), "v": np.zeros((n * dv, self.size))}
        a, b = made.centers[:, :du], made.centers[:, du:]
        for i in range(n):
            ru, rv = slice(i * du, (i + 1) * du), slice(i * dv, (i + 1) * dv)
            cv = slice(n * du + i * dv, n * du + (i + 1) * dv)
            gu, gv = self.grad["u"], self.grad["v"]
            gu[ru, ru], gu[ru, cv] = made.A[i], made.C[i]
            gu[ru, -1] = -made.A[i] @ a[i] - made.C[i] @ b[i]
            gv[rv, cv], gv[rv, ru] = made.B[i], made.C[i].T
            gv[rv, -1] = -made.B[i] @ b[i] - made.C[i].T @ a[i]

    def _phase(self, part: str, eta: float, steps: int) -> Block:
        step, noise = np.eye(self.size), np.zeros((self.size, self.size))
        own = self.rows[part]
        step[own] -= eta * self.grad[part]
        noise[own, own] = eta**2 * self.noise[part] * np.eye(own.stop - own.start)
        return Block.of(step, noise, np.zeros_like(step), 0.0).times(steps)

    def block(self, eta_u: float, eta_v: float, weight_u: float, weight_v: float) -> Block:
        """One round, and weight_u Delta_u^t + weight_v Delta_v^t."""
        n, du, size = self.n, self.du, self.size
        steps = self.at.steps
        head = self._phase("v", eta_v, steps["steps_v"])
        body = self._phase("u", eta_u, steps["steps_u"])
        mix, mean = np.eye(size), np.eye(size)
        own = self.rows["u"]
        mix[own, own] = np.kron(self.at.W, np.eye(du))
        mean[own, own] = np.kron(np.full((n, n), 1 / n), np.eye(du))
        A = mix @ body.A @ head.A
        N = mix @ (body.A @ head.N @ body.A.T + body.N) @ mix.T
        G = self.grad["u"].reshape(n, du, size).mean(axis=0) @ mean
        seen, H = G @ head.A, self.grad["v"]
        Q = weight_u * seen.T @ seen + weight_v / n * (H.T @ H)
        c = weight_u * float(np.einsum("ij,jk,ik->", G, head.N, G))
        return Block.of(A, N, Q, c)

    def mean(self, block: Block, rounds: int) -> tuple[float, float]:
        """(1/T sum_{t<T} of the block's form, its rounding error), T = ``rounds``."""
        made, steps = block.times(rounds), self.at.steps["steps_u"] + self.at.steps["steps_v"]
        found = made.value(self.y0)
        room = found.room(rounds, steps, made.echo(block))
        return max(found.value, 0.0) / rounds, room / rounds
