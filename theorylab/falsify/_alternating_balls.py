"""Algorithm 1 of dfedalt, with DFedSalt's line, written out again in Arb balls, without noise.

K_v times v_i -= eta_v grad_v F_i(u_i, v_i); then K_u times, with the last v_i,
g = grad_u F_i(u_i, v_i), and with rho > 0 g = grad_u F_i(u_i + rho g / |g|, v_i);
u_i -= eta_u g;  then u_i = sum_j w_ij u_j.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import flint

from theorylab.falsify._balls import Ball, Vector, gap, lifted, mean, square, total
from theorylab.problems import CoupledQuadratic, SinSin

Point = list[Vector]  # one vector a client


@dataclass(frozen=True)
class Turn:
    """Round t: us[k], vs[k] the local iterates of all clients; after: u^{t+1}."""

    t: int
    us: list[Point]
    vs: list[Point]
    after: Point


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


def turns_of(losses: Losses, made: Any, rounds: int) -> Iterator[Turn]:
    """Rounds of an ``AlternatingInstance`` without noise."""
    steps, ball = made.steps, flint.arb
    eta_u, eta_v, rho = (ball(float(steps[key])) for key in ("eta_u", "eta_v", "rho"))
    start = [[ball(float(x)) for x in row] for row in made.start[0]]
    u: Point = [row[: losses.shared] for row in start]
    v: Point = [row[losses.shared :] for row in start]
    W = [[ball(float(p)) for p in row] for row in made.W]
    clients = range(len(start))
    for t in range(rounds):
        us, vs = [u], [v]
        for _ in range(steps["steps_v"]):
            g: Point = [losses.gradient(i, u[i], vs[-1][i])[1] for i in clients]
            vs.append([_less(vs[-1][i], eta_v, g[i]) for i in clients])
        for _ in range(steps["steps_u"]):
            now = us[-1]
            g = [losses.gradient(i, now[i], vs[-1][i])[0] for i in clients]
            if steps["rho"]:
                up = [lifted(now[i], g[i], rho) for i in clients]
                g = [losses.gradient(i, up[i], vs[-1][i])[0] for i in clients]
            us.append([_less(now[i], eta_u, g[i]) for i in clients])
        mixed: Point = [mixture(row, us[-1]) for row in W]
        yield Turn(t, us, vs, mixed)
        u, v = mixed, vs[-1]


def mixture(weights: Vector, points: Point) -> list[Ball]:
    """sum_j weights[j] points[j]."""
    return [
        total(w * x for w, x in zip(weights, column, strict=True))
        for column in zip(*points, strict=True)
    ]


def _less(x: Vector, step: Ball, g: Vector) -> list[Ball]:
    return [a - step * b for a, b in zip(x, g, strict=True)]


def _apart(points: Point, origin: Point) -> Ball:
    """(1/m) sum_i ||points_i - origin_i||^2."""
    return total(square(gap(a, b)) for a, b in zip(points, origin, strict=True)) / len(points)


def _spread(points: Point) -> Ball:
    return _apart(points, [mean(points)] * len(points))


def _push(losses: Losses, r: Turn) -> Ball:
    bar = mean(r.us[0])
    moved = [gap(a, b) for a, b in zip(r.vs[-1], r.vs[0], strict=True)]
    slopes = [losses.gradient(i, bar, v)[1] for i, v in enumerate(r.vs[0])]
    parts = zip(slopes, moved, strict=True)
    return total(total(a * b for a, b in zip(g, m, strict=True)) for g, m in parts) / len(moved)


def _changed(losses: Losses, r: Turn, u: bool, v: bool) -> Ball:
    """F after what ``u`` and ``v`` name has moved, less F before it; the other v is the new one."""
    old_v = r.vs[0] if v else r.vs[-1]
    after = mean(r.after if u else r.us[0])
    return losses.value(after, r.vs[-1]) - losses.value(mean(r.us[0]), old_v)


SIDES: dict[str, Callable[[Losses, Turn, dict[str, int]], Ball]] = {
    "head_drift": lambda _, r, at: square(gap(r.vs[-2][at["i"]], r.vs[0][at["i"]])),
    "head_drift_last": lambda _, r, at: square(gap(r.vs[-1][at["i"]], r.vs[0][at["i"]])),
    "drift": lambda _, r, at: _apart(r.us[at["k"]], r.us[0]),
    "spread": lambda _, r, at: _spread(r.us[0]),
    "spread_sum": lambda _, r, at: _spread(r.us[0]) * len(r.us[0]),
    "descent": lambda f, r, at: _changed(f, r, u=True, v=True),
    "u_step": lambda f, r, at: _changed(f, r, u=True, v=False),
    "v_step": lambda f, r, at: _changed(f, r, u=False, v=True),
    "wander": lambda _, r, at: total(_apart(u, [mean(r.us[0])] * len(u)) for u in r.us[:-1]),
    "leap": lambda _, r, at: square(gap(mean(r.after), mean(r.us[0]))),
    "head_push": lambda f, r, at: _push(f, r),
    "head_leap": lambda _, r, at: _apart(r.vs[-1], r.vs[0]),
}
