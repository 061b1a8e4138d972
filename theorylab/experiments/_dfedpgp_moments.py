r"""Exact expectations of DFedPGP where a round is affine: coupled quadratics, isotropic noise.

With y = (all u_i, all v_i, 1) a round is y -> A y + noise, where A depends on t by the push-sum
weights alone. Everything measured is a quadratic form in y plus a constant, so expectations over
any number of rounds come from ``Block``s: one a round while the weights still move, then, once they
repeat to the bit, from powers of one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from theorylab.experiments._deprl_moments import ISOTROPIC, Block, Value
from theorylab.experiments._dfedpgp_instance import DfedpgpInstance
from theorylab.problems import CoupledQuadratic, Problem, plain

Floats = Any
SEPARATE = 1 << 14  # rounds whose weights may all differ
POINTS = ("biased", "debiased", "mean")


def is_affine(made: Problem) -> bool:
    """True if a round is an affine map with independent isotropic noise."""
    return plain(made, CoupledQuadratic) and made.field.kind in ISOTROPIC


class Moments:
    """The rounds of an instance whose problem ``is_affine``."""

    def __init__(self, at: DfedpgpInstance) -> None:
        made = at.problem
        assert isinstance(made, CoupledQuadratic)
        self.at, self.problem = at, made
        self.n, self.du, self.dv = made.clients, made.shared, made.dim - made.shared
        self.size = self.n * (self.du + self.dv) + 1
        self.U = slice(0, self.n * self.du)
        self.V = slice(self.n * self.du, self.size - 1)
        u, v = at.start[:, : self.du], at.start[:, self.du :]
        self.y0 = np.concatenate([u.ravel(), v.ravel(), [1.0]])
        sigma_u, sigma_v = (part.sigma for part in made.field.parts)
        self.noise_u, self.noise_v = sigma_u**2 / self.du, sigma_v**2 / self.dv
        self.eye = np.eye(self.size)
        self.mean = np.kron(np.full((self.n, self.n), 1 / self.n), np.eye(self.du))

    def seen(self, place: str, w: Floats) -> Floats:
        """y with every u_i replaced: left as it is, by u_i / w_i, or by the mean of all u."""
        made = self.eye.copy()
        if place == "debiased":
            made[self.U, self.U] = np.kron(np.diag(1 / w), np.eye(self.du))
        elif place == "mean":
            made[self.U, self.U] = self.mean
        return made

    def gradients(self, place: str, w: Floats) -> tuple[Floats, Floats]:
        """Rows of all grad_u F_i and all grad_v F_i, taken at ``place``."""
        n, du, dv, made = self.n, self.du, self.dv, self.problem
        a, b = made.centers[:, :du], made.centers[:, du:]
        gu, gv = np.zeros((n * du, self.size)), np.zeros((n * dv, self.size))
        for i in range(n):
            ru, rv = slice(i * du, (i + 1) * du), slice(i * dv, (i + 1) * dv)
            cv = slice(n * du + i * dv, n * du + (i + 1) * dv)
            gu[ru, ru], gu[ru, cv] = made.A[i], made.C[i]
            gu[ru, -1] = -made.A[i] @ a[i] - made.C[i] @ b[i]
            gv[rv, cv], gv[rv, ru] = made.B[i], made.C[i].T
            gv[rv, -1] = -made.B[i] @ b[i] - made.C[i].T @ a[i]
        view = self.seen(place, w)
        return gu @ view, gv @ view

    def _phase(
        self, part: slice, g: Floats, eta: float, steps: int, noise: float
    ) -> tuple[Floats, Floats]:
        """(map, covariance of the noise) of the local steps on one part."""
        step = self.eye.copy()
        step[part] -= eta * g
        total, cov = self.eye, np.zeros((self.size, self.size))
        one = eta * self.eye[:, part]
        sums = np.zeros_like(one)
        for _ in range(steps):
            total, cov, sums = (
                step @ total,
                step @ cov @ step.T + noise * one @ one.T,
                (step @ sums + one),
            )
        if self.at.algorithm.batch == "per-round":
            cov = noise * sums @ sums.T
        return total, cov

    def head(self, w: Floats) -> tuple[Floats, Floats]:
        run = self.at.algorithm
        gv = self.gradients("debiased", w)[1]
        return self._phase(self.V, gv, run.eta_v, self.at.K_v, self.noise_v)

    def round(self, t: int, w: Floats, form: str, weight: tuple[float, float], place: str) -> Block:
        """Round t with ``form``: "stationarity", weight_u Delta_u + weight_v Delta_v with Delta_v
        at ``place``; "consensus"; or "loss", F(ubar, V) before the round.
        """
        run = self.at.algorithm
        head, after = self.head(w)
        gu = self.gradients("debiased", w)[0]
        body, fresh = self._phase(self.U, gu, run.eta_u, self.at.K_u, self.noise_u)
        mix = self.eye.copy()
        mix[self.U, self.U] = np.kron(self.at.topology.matrix(t, 0).toarray(), np.eye(self.du))
        A = mix @ body @ head
        N = mix @ (body @ after @ body.T + fresh) @ mix.T
        if form == "consensus":
            D = self.seen("debiased", w)[self.U] - self.seen("mean", w)[self.U]
            return Block.of(A, N, D.T @ D / self.n, 0.0)
        if form == "loss":
            return Block.of(A, N, self.loss(), 0.0, self.loss(sizes=True))
        G = self.gradients("mean", w)[0].reshape(self.n, self.du, self.size).mean(axis=0)
        H = self.gradients(place, w)[1]
        ahead = G @ head
        Q = weight[0] * ahead.T @ ahead + weight[1] / self.n * H.T @ H
        return Block.of(A, N, Q, weight[0] * float(np.einsum("ij,jk,ik->", G, after, G)))

    def loss(self, sizes: bool = False) -> Floats:
        """F(ubar, V) as a quadratic form in y; ``sizes``: with sum_b |H_ab| on H's diagonal, which
        is at least H and -H.
        """
        n, du, total = self.n, self.du, np.zeros((self.size, self.size))
        view = self.seen("mean", np.ones(n))
        for i in range(n):
            rows = [*range(i * du, (i + 1) * du)]
            rows += [*range(n * du + i * self.dv, n * du + (i + 1) * self.dv)]
            away = view[rows]
            away[:, -1] -= self.problem.centers[i]
            H = self.problem.hessians[i]
            total += away.T @ (np.diag(np.abs(H).sum(axis=1)) if sizes else H) @ away / (2 * n)
        return total

    def totals(
        self, counts: list[int], form: str, weight: tuple[float, float] = (1.0, 1.0),
        place: str = "mean", first: int = 0,
    ) -> list[tuple[float, float, float, float]]:  # fmt: skip
        """At every T of ``counts``: (mean over t = first .. first + T - 1 of E form, its rounding
        error, E form at t = T, its rounding error).
        """
        w, found, made = np.ones(self.n), [], None
        start, spread, t = self.y0, np.zeros((self.size, self.size)), 0
        repeated: Block | None = None
        for T in counts:
            while t < first + T:
                if repeated is None:
                    one = self.round(t, w, form, weight, place)
                    if t < first:
                        start, spread = one.A @ start, one.A @ spread @ one.A.T + one.N
                    else:
                        made = one if made is None else made.then(one)
                    after = self.at.topology.matrix(t, 0) @ w
                    if self.at.topology.period == 1 and np.array_equal(after, w) and t >= first:
                        repeated = one
                    w, t = after, t + 1
                    if t > SEPARATE:
                        raise ValueError(f"dfedpgp: weights still move at t={t}; need fewer rounds")
                    continue
                assert made is not None
                made, t = made.then(repeated.times(first + T - t)), first + T
            assert made is not None
            now = self.round(t, w, form, weight, place)
            echo = made.echo(now)
            found.append(
                (
                    *self._with_room(made.value(start, spread), T, T, echo),
                    *self._last(made, now, start, spread, T, echo),
                )
            )
        return found

    def _with_room(self, found: Value, share: int, rounds: int, echo: float) -> tuple[float, float]:
        """The value / share, and its error."""
        return found.value / share, found.room(rounds, self.at.K_u + self.at.K_v, echo) / share

    def _last(
        self, made: Block, now: Block, y: Floats, S: Floats, rounds: int, echo: float
    ) -> tuple[float, float]:
        moved, spread = made.A @ y, made.A @ S @ made.A.T + made.N
        found, sizes = now.value(moved, spread), now.value(np.abs(made.A) @ np.abs(y))
        found = replace(found, size=found.size + sizes.size, parts=found.parts + sizes.parts)
        return self._with_room(found, 1, rounds, echo)
