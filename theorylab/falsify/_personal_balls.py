"""Losses in a shared u and personal v_i, in Arb balls, and what rounds on them are made of."""

from __future__ import annotations

from typing import Any

from theorylab.falsify._balls import ZERO, Ball, Point, Vector, ball, dot, gap, less, mean, total
from theorylab.falsify._balls import vector as vector_of
from theorylab.problems import CoupledQuadratic, SinSin, plain

RIPPLED = "rippled"


class Losses:
    """f_i(u, v) and its gradients, of a coupled quadratic, a sin-sin or a rippled problem:

    1/2 (w - w_i)^T H_i (w - w_i), w = (u, v), and c_i sum_k sin u_k sin(v_k + phase_ik), and
    r sum_k (1 - cos u_k).
    """

    def __init__(self, problem: Any) -> None:
        self.shared, n = problem.shared, problem.clients
        self._centers = [vector_of(row) for row in problem.centers]
        d = len(self._centers[0])
        self._H: list[list[list[Ball]]] = [[[ZERO] * d for _ in range(d)] for _ in range(n)]
        if problem.name == RIPPLED:
            for H in self._H:
                for k in range(d):
                    H[k][k] = ball(problem.A if k < self.shared else problem.B)
        else:
            self._blocks(problem)
        self._c: Vector = []
        self._phases: list[Vector] = []
        if isinstance(problem, SinSin):
            self._c = vector_of(problem.c)
            self._phases = [vector_of(row) for row in problem.phases]
        self._ripple = ball(problem.r) if problem.name == RIPPLED else None

    def _blocks(self, problem: CoupledQuadratic | SinSin) -> None:
        quadratic = isinstance(problem, CoupledQuadratic)
        for i in range(problem.clients):
            own = (problem.A[i], problem.B[i]) if quadratic else (problem.A, problem.B)
            for block, first in zip(own, (0, self.shared), strict=True):
                for a, row in enumerate(block):
                    for b, value in enumerate(row):
                        self._H[i][first + a][first + b] = ball(value)
            for a, row in enumerate(problem.C[i] if isinstance(problem, CoupledQuadratic) else ()):
                for b, value in enumerate(row):
                    number = ball(value)
                    self._H[i][a][self.shared + b] = self._H[i][self.shared + b][a] = number

    def gradient(self, i: int, u: Vector, v: Vector) -> tuple[list[Ball], list[Ball]]:
        """(grad_u f_i, grad_v f_i)."""
        away = gap([*u, *v], self._centers[i])
        g = [dot(row, away) for row in self._H[i]]
        if self._c:
            for k, phase in enumerate(self._phases[i]):
                w = v[k] + phase
                g[k] += self._c[i] * u[k].cos() * w.sin()
                g[self.shared + k] += self._c[i] * u[k].sin() * w.cos()
        if self._ripple is not None:
            for k in range(self.shared):
                g[k] += self._ripple * u[k].sin()
        return g[: self.shared], g[self.shared :]

    def value(self, u: Vector, V: Point) -> Ball:
        """F(u, V) = (1/m) sum_i f_i(u, v_i)."""
        return mean([[self._own(i, u, v)] for i, v in enumerate(V)])[0]

    def _own(self, i: int, u: Vector, v: Vector) -> Ball:
        away = gap([*u, *v], self._centers[i])
        made = total(a * dot(row, away) for a, row in zip(away, self._H[i], strict=True)) / 2
        if self._c:
            pairs = zip(u, v, self._phases[i], strict=False)
            made += self._c[i] * total(a.sin() * (b + phase).sin() for a, b, phase in pairs)
        if self._ripple is not None:
            made += self._ripple * total(1 - a.cos() for a in u)
        return made


def losses_of(problem: Any) -> Losses | None:
    """None for losses that are not written out here."""
    known = plain(problem, CoupledQuadratic) or plain(problem, SinSin)
    known = known or problem.name == RIPPLED
    return Losses(problem) if known else None


def head_steps(losses: Losses, u: Point, v: Point, step: Ball, count: int) -> list[Point]:
    """v and the iterates of ``count`` steps on grad_v F_i(u_i, .)."""
    made = [v]
    for _ in range(count):
        now = made[-1]
        made.append([
            less(now[i], step, losses.gradient(i, u[i], now[i])[1]) for i in range(len(u))
        ])  # fmt: skip
    return made


def parts_of(start: Any, shared: int) -> tuple[Point, Point]:
    """(u, v) of every client's first model, (n, d) numbers."""
    models = [vector_of(row) for row in start]
    return [row[:shared] for row in models], [row[shared:] for row in models]
