r"""Exact sums of E M(k) over any number of rounds, where a round of DePRL is affine.

With y = (all phi_i, all theta_i, 1) and additive noise, a round is y -> A y + noise, and M(k) is a
quadratic form in y plus a constant. So

    sum_{k<K} E M(k) = tr(Q_K S_0) + c_K,    Q_K = sum_{k<K} (A^k)^T Q A^k,

and K rounds are put together from K's binary digits: a block of a rounds, then one of b, is

    A = A_b A_a,  N = A_b N_a A_b^T + N_b,  Q = Q_a + A_a^T Q_b A_a,  c = c_a + c_b + tr(Q_b N_a).

Where what is measured is a difference that vanishes, so do Q and all of its entries, and the size
of Q says nothing of its rounding. So a second form, of the sizes that the differences are taken of,
goes with it through the same rounds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from theorylab.experiments._deprl_instance import DeprlInstance
from theorylab.problems import CoupledQuadratic, Problem, plain

Floats = Any
EPS = 2.0**-53
ISOTROPIC = ("gaussian", "rademacher", "two-point", "coordinate")  # covariance sigma^2/d I


@dataclass(frozen=True)
class Block:
    """A stretch of rounds: map A, covariance N of its noise, and its share (Q, c) of the sum.

    (R, r) is the same for the sizes: |y|^T |Q_k| |y| of a round is at most y^T R_k y + r_k.
    """

    A: Floats
    N: Floats
    Q: Floats
    c: float
    R: Floats
    r: float

    @classmethod
    def of(cls, A: Floats, N: Floats, Q: Floats, c: float, least: Floats | None = None) -> Block:
        """One round. Q, or ``least`` >= +-Q in its place, is positive semidefinite, so that
        |y|^T |Q| |y| <= (sum_i sqrt(Q_ii) |y_i|)^2 <= size sum_i Q_ii y_i^2.
        """
        squares = np.diag(Q if least is None else least)
        return cls(A, N, Q, c, len(Q) * np.diag(squares), abs(c))

    def then(self, later: Block) -> Block:
        return Block(
            later.A @ self.A,
            later.A @ self.N @ later.A.T + later.N,
            self.Q + self.A.T @ later.Q @ self.A,
            self.c + later.c + float(np.einsum("ij,ji->", later.Q, self.N)),
            self.R + self.A.T @ later.R @ self.A,
            self.r + later.r + float(np.einsum("ij,ji->", later.R, self.N)),
        )

    def echo(self, one: Block) -> float:
        """||sum_k (B^k)^T Q B^k|| / ||Q||, B what A does with y but for its 1, Q of ``one`` of the
        rounds that this stretch is of: how long its form sees what is added to y once.
        """
        if not np.isfinite(self.Q).all():  # the value says so, too
            return math.inf
        first = float(np.linalg.norm(one.Q[:-1, :-1], 2))
        return float(np.linalg.norm(self.Q[:-1, :-1], 2)) / first if first > 0 else 1.0

    def value(self, y: Floats, S: Floats | None = None) -> Value:
        """y^T Q y + tr(Q S) + c; S: covariance of y, None for 0."""
        value = float(y @ self.Q @ y) + self.c
        size = float(np.abs(y) @ np.abs(self.Q) @ np.abs(y)) + abs(self.c)
        parts = float(y @ self.R @ y) + self.r
        if S is not None:
            value += float(np.einsum("ij,ji->", self.Q, S))
            size += float((np.abs(self.Q) * np.abs(S)).sum())
            parts += float(np.einsum("ij,ji->", self.R, S))
        return Value(value, size, parts, len(y))

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


@dataclass(frozen=True)
class Value:
    """A form's value; the sum of the sizes of what is added, and (``parts``) of what the squares
    in it are differences of; the length of y.
    """

    value: float
    size: float
    parts: float
    length: int

    def room(self, rounds: int, steps: int, echo: float) -> float:
        """Its rounding error.

        With e = 8 N eps, N = ``length``, T rounds and (D y)^2 for the form: D y itself carries e
        |D| |y|, the rounding of its entries, of ``steps`` steps and of the log2 T additions that
        the sums are made in, so the squares e (steps + 8 + log2 T) ``parts``. What y is off by in
        an earlier round comes through as B^k: e |y| sum_k ||D B^k|| =: x, and x^2 <= e^2 |y|^2 T
        ||D||^2 ``echo`` by Cauchy and Schwarz (``echo`` at most T: where the powers grow, |y| grows
        with them). That is 2 sqrt(value) x + x^2 <= e T value + x^2/(e T) + x^2. And a product of T
        matrices whose powers stay bounded is off by about T N eps of its size.
        """
        e = 8 * self.length * EPS
        once = steps + 8 + math.log2(rounds) + min(echo, rounds) * (1 + e * rounds)
        return e * ((rounds + steps + 8) * self.size + once * self.parts)


def is_affine(made: Problem) -> bool:
    """True if a round is an affine map with independent isotropic noise."""
    return plain(made, CoupledQuadratic) and made.field.kind in ISOTROPIC


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
        return Block.of(A, N, Q, float(np.einsum("ij,jk,ik->", G, after, G)))

    def apart(self, block: Block) -> Block:
        """The same round with (1/N) sum_i ||phi_i - phibar||^2 for M(k)."""
        D = np.eye(self.size)[: self.n * self.du] - self.mean_u
        return Block.of(block.A, block.N, D.T @ D / self.n, 0.0)

    def mean(self, block: Block, rounds: int) -> tuple[float, float]:
        """(1/K sum_{k<K} E M(k), its rounding error), K = ``rounds``.

        Raises:
            ValueError: one line, where a sum leaves float64 (rounds that expand).
        """
        with np.errstate(over="ignore", invalid="ignore"):
            made = block.times(rounds)
            found = made.value(self.y0)
            room = found.room(rounds, self.at.kept + 1, made.echo(block))
        if not (math.isfinite(found.value) and math.isfinite(room)):
            raise ValueError(
                f"deprl: the moments of {rounds} rounds leave float64; need smaller steps or "
                "fewer rounds"
            )
        return max(found.value, 0.0) / rounds, room / rounds
