"""Losses in a shared u and personal v_i, in Arb balls, and what rounds on them are made of."""

from __future__ import annotations

from typing import Any

import flint

from theorylab.falsify._balls import Ball, Vector, gap, mean, square, total
from theorylab.problems import CoupledQuadratic, SinSin

Point = list[Vector]  # one vector a client


class Losses:
    """f_i(u, v) and its gradients, of a coupled quadratic or a sin-sin problem."""

    def __init__(self, problem: CoupledQuadratic | SinSin) -> None:
        ball, self.shared, n = flint.arb, problem.shared, problem.clients
        self._centers = [[ball(float(c)) for c in row] for row in problem.centers]
        d = len(self._centers[0])
        self._H: list[list[list[Ball]]] = [[[ball(0)] * d for _ in range(d)] for _ in range(n)]
        quadratic = isinstance(problem, CoupledQuadratic)
        for i in range(n):
            own = (problem.A[i], problem.B[i]) if quadratic else (problem.A, problem.B)
            for block, first in zip(own, (0, self.shared), strict=True):
                for a, row in enumerate(block):
                    for b, value in enumerate(row):
                        self._H[i][first + a][first + b] = ball(float(value))
            for a, row in enumerate(problem.C[i] if isinstance(problem, CoupledQuadratic) else ()):
                for b, value in enumerate(row):
                    number = ball(float(value))
                    self._H[i][a][self.shared + b] = self._H[i][self.shared + b][a] = number
        self._c: Vector = []
        self._phases: list[Vector] = []
        if isinstance(problem, SinSin):
            self._c = [ball(float(c)) for c in problem.c]
            self._phases = [[ball(float(p)) for p in row] for row in problem.phases]

    def gradient(self, i: int, u: Vector, v: Vector) -> tuple[list[Ball], list[Ball]]:
        """(grad_u f_i, grad_v f_i)."""
        away = gap([*u, *v], self._centers[i])
        g = [total(h * a for h, a in zip(row, away, strict=True)) for row in self._H[i]]
        if self._c:
            for k, phase in enumerate(self._phases[i]):
                w = v[k] + phase
                g[k] += self._c[i] * u[k].cos() * w.sin()
                g[self.shared + k] += self._c[i] * u[k].sin() * w.cos()
        return g[: self.shared], g[self.shared :]

    def value(self, u: Vector, V: Point) -> Ball:
        """F(u, V) = (1/m) sum_i f_i(u, v_i)."""
        return mean([[self._own(i, u, v)] for i, v in enumerate(V)])[0]

    def _own(self, i: int, u: Vector, v: Vector) -> Ball:
        away = gap([*u, *v], self._centers[i])
        H = self._H[i]
        made = total(
            a * total(h * b for h, b in zip(row, away, strict=True))
            for a, row in zip(away, H, strict=True)
        )
        made = made / 2
        if self._c:
            pairs = zip(u, v, self._phases[i], strict=False)
            made += self._c[i] * total(a.sin() * (b + phase).sin() for a, b, phase in pairs)
        return made


def mixture(weights: Vector, points: Point) -> list[Ball]:
    """sum_j weights[j] points[j]."""
    return [
        total(w * x for w, x in zip(weights, column, strict=True))
        for column in zip(*points, strict=True)
    ]


def less(x: Vector, step: Ball, g: Vector) -> list[Ball]:
    """x - step g."""
    return [a - step * b for a, b in zip(x, g, strict=True)]


def apart(points: Point, origin: Point) -> Ball:
    """(1/m) sum_i ||points_i - origin_i||^2."""
    return total(square(gap(a, b)) for a, b in zip(points, origin, strict=True)) / len(points)


def parts_of(start: Any, shared: int) -> tuple[Point, Point]:
    """(u, v) of every client's first model, (n, d) numbers."""
    models = [[flint.arb(float(x)) for x in row] for row in start]
    return [row[:shared] for row in models], [row[shared:] for row in models]
