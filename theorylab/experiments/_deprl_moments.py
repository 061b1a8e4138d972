r"""Exact sums of E M(k) over any number of rounds, where a round of DePRL is affine.

With y = (all phi_i, all theta_i, 1) and additive noise, a round is y -> A y + noise, and M(k) is a
quadratic form in y plus a constant. So

    sum_{k<K} E M(k) = tr(Q_K S_0) + c_K,    Q_K = sum_{k<K} (A^k)^T Q A^k,

and K rounds are put together from K's binary digits: a block of a rounds, then one of b, is

    A = A_b A_a,  N = A_b N_a A_b^T + N_b,  Q = Q_a + A_a^T Q_b A_a,  c = c_a + c_b + tr(Q_b N_a).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from theorylab.experiments._deprl_instance import DeprlInstance
from theorylab.problems import CoupledQuadratic, Problem

Floats = Any
EPS = 2.0**-53
ISOTROPIC = ("gaussian", "rademacher", "two-point", "coordinate")  # covariance sigma^2/d I


@dataclass(frozen=True)
class Block:
    """A stretch of rounds: map A, covariance N of its noise, and its share (Q, c) of the sum."""

    A: Floats
    N: Floats
    Q: Floats
    c: float

    def then(self, later: Block) -> Block:
        return Block(
            later.A @ self.A,
            later.A @ self.N @ later.A.T + later.N,
            self.Q + self.A.T @ later.Q @ self.A,
            self.c + later.c + float(np.einsum("ij,ji->", later.Q, self.N)),
        )

    def times(self, rounds: int) -> Block:
        """``rounds`` copies, one after the other."""
        made: Block | None = None
        power = self
        while rounds:
            if rounds & 1:
                made = power if made is None else made.then(power)
            rounds >>= 1
            power = power.then(power) if rounds else power
        assert made is not None
        return made


def is_affine(made: Problem) -> bool:
    """True if a round is an affine map with independent isotropic noise."""
    return isinstance(made, CoupledQuadratic) and made.field.kind in ISOTROPIC


class Affine:
    """One round of an instance whose problem ``is_affine``."""

    def __init__(self, at: DeprlInstance) -> None:
        made = at.problem
        assert isinstance(made, CoupledQuadratic)
        self.at, self.problem = at, made
        n, du, dv = made.clients, made.shared, made.dim - made.shared
        self.n, self.du, self.dv = n, du, dv
        self.size = n * (du + dv) + 1
        u, v = at.start[:, :du], at.start[:, du:]
        self.y0 = np.concatenate([u.ravel(), v.ravel(), [1.0]])
        sigma_u, sigma_v = (part.sigma for part in made.field.parts)
        self.noise_u, self.noise_v = sigma_u**2 / du, sigma_v**2 / dv
        self.grad_u, self.grad_v = self._gradients()
        self.mean_u = np.zeros((n * du, self.size))
        self.mean_u[:, : n * du] = np.kron(np.full((n, n), 1 / n), np.eye(du))

    def _gradients(self) -> tuple[Floats, Floats]:
        """Rows of grad_phi F_i (n du, size) and grad_theta F_i (n dv, size), each at y's own."""
        n, du, dv, made = self.n, self.du, self.dv, self.problem
        a, b = made.centers[:, :du], made.centers[:, du:]
        gu, gv = np.zeros((n * du, self.size)), np.zeros((n * dv, self.size))
        for i in range(n):
            ru, rv = slice(i * du, (i + 1) * du), slice(i * dv, (i + 1) * dv)
            cu, cv = ru, slice(n * du + i * dv, n * du + (i + 1) * dv)
            gu[ru, cu], gu[ru, cv] = made.A[i], made.C[i]
            gu[ru, -1] = -made.A[i] @ a[i] - made.C[i] @ b[i]
            gv[rv, cv], gv[rv, cu] = made.B[i], made.C[i].T
            gv[rv, -1] = -made.B[i] @ b[i] - made.C[i].T @ a[i]
        return gu, gv

    def block(self, alpha: float, beta: float, heads: str, distance: float) -> Block:
        """One round, and M(k) with the paper's weights, or with those of "measure_each".

        heads: "mean", the printed ||(1/N) sum_i grad_theta F_i||^2, or "each", the mean of the
        ||grad_theta F_i||^2 (and grad_phi's square twice). distance: factor of the consensus error.
        """
        n, du, dv, size = self.n, self.du, self.dv, self.size
        U, V = slice(0, n * du), slice(n * du, n * (du + dv))
        step = np.eye(size)
        step[V] -= alpha * self.grad_v
        noise = np.zeros((size, size))
        noise[V, V] = alpha**2 * self.noise_v * np.eye(n * dv)
        head, after = np.eye(size), np.zeros((size, size))
        for _ in range(self.at.kept):
            head, after = step @ head, step @ after @ step.T + noise
        body = np.eye(size)
        body[U] -= beta * self.grad_u
        fresh = np.zeros((size, size))
        fresh[U, U] = beta**2 * self.noise_u * np.eye(n * du)
        mix = np.eye(size)
        mix[U, U] = np.kron(self.at.P.toarray(), np.eye(du))
        A = mix @ body @ head
        N = mix @ (body @ after @ body.T + fresh) @ mix.T
        at_mean = np.eye(size)
        at_mean[U] = self.mean_u
        G = self.grad_u.reshape(n, du, size).mean(axis=0) @ at_mean
        H = self.grad_v @ at_mean
        if heads == "mean":
            H = H.reshape(n, dv, size).mean(axis=0)
        share = 1.0 if heads == "mean" else 1 / n
        D = np.eye(size)[U] - self.mean_u
        weight = alpha * (self.at.tau if heads == "mean" else self.at.kept) / beta
        G = G if heads == "mean" else math.sqrt(2) * G
        seen = G @ head
        Q = seen.T @ seen + weight * share * (H.T @ H) + distance / n * (D.T @ D)
        return Block(A, N, Q, float(np.einsum("ij,jk,ik->", G, after, G)))

    def apart(self, block: Block) -> Block:
        """The same round with (1/N) sum_i ||phi_i - phibar||^2 for M(k)."""
        D = np.eye(self.size)[: self.n * self.du] - self.mean_u
        return Block(block.A, block.N, D.T @ D / self.n, 0.0)

    def mean(self, block: Block, rounds: int) -> tuple[float, float]:
        """(1/K sum_{k<K} E M(k), its rounding error), K = ``rounds``.

        A product of K matrices whose powers stay bounded is off by about K size eps of its size;
        the sums add numbers of one sign, but for those that the 1 in y multiplies.

        Raises:
            ValueError: one line, where a sum leaves float64 (rounds that expand).
        """
        with np.errstate(over="ignore", invalid="ignore"):
            made = block.times(rounds)
            value = float(self.y0 @ made.Q @ self.y0) + made.c
            size = float(np.abs(self.y0) @ np.abs(made.Q) @ np.abs(self.y0)) + made.c
        if not (math.isfinite(value) and math.isfinite(size)):
            raise ValueError(
                f"deprl: the moments of {rounds} rounds leave float64; need smaller steps or "
                "fewer rounds"
            )
        return max(value, 0.0) / rounds, 8 * self.size * EPS * (rounds + 8) * size / rounds
