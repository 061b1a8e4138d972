r"""Algorithm 1 of dfedsgpsm written out again, in Arb balls: every number encloses the exact one.

w^{t+1} = P(t) w^t,  x^{t+1} = P(t) x^{t+1/2},  z = x / w,
K times: g = grad f_i(x_k / w), g' = grad f_i(x_k / w + rho g / |g|), v = alpha v + g',
         x_{k+1} = x_k - eta v.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import flint
import numpy as np

from theorylab.problems import LogCosh, Quadratic

Ball = Any  # flint.arb
Vector = Sequence[Ball]
Gradient = Callable[[int, Vector], list[Ball]]
ZERO = flint.arb(0)


@dataclass(frozen=True)
class Round:
    """Before round t: x[i], w[i]. xs[k][i]: the iterates, k = 0..K. used[k][i]: line 9."""

    t: int
    x: list[Vector]
    w: list[Ball]
    xs: list[list[Vector]]
    used: list[list[Vector]]


def gradient_of(problem: Any) -> Gradient | None:
    """(client, model) -> its gradient, for log-cosh losses and quadratics; None for others."""
    if isinstance(problem, LogCosh):
        centers, scale = problem.centers, flint.arb(float(problem.scale))
        return lambda i, x: [
            scale * (xi - flint.arb(float(c))).tanh() for xi, c in zip(x, centers[i], strict=True)
        ]
    if isinstance(problem, Quadratic):
        H, c = problem.hessians, problem.centers

        def quadratic(i: int, x: Vector) -> list[Ball]:
            gap = [xi - flint.arb(float(ci)) for xi, ci in zip(x, c[i], strict=True)]
            return [
                total(flint.arb(float(h)) * g for h, g in zip(row, gap, strict=True))
                for row in H[i]
            ]

        return quadratic
    return None


def rounds_of(
    gradient: Gradient, topology: Any, start: Any, rounds: int, options: Mapping[str, Any]
) -> Iterator[Round]:
    """Rounds 0 .. ``rounds`` - 1 from ``start`` (n, d), over the edges of run 0.

    Where a gradient may be 0, line 8's direction is not enclosed: NaN balls, which prove nothing.
    """
    eta, alpha, rho = (flint.arb(float(options[key])) for key in ("eta", "alpha", "rho"))
    clients = range(len(start))
    x: list[Vector] = [[flint.arb(float(v)) for v in row] for row in start]
    w = [flint.arb(1) for _ in clients]
    for t in range(rounds):
        xs: list[list[Vector]] = [x]
        used: list[list[Vector]] = []
        v: list[Vector] = [[ZERO] * len(row) for row in x]
        for _ in range(options["local_steps"]):
            z = [[value / w[i] for value in xs[-1][i]] for i in clients]
            g: list[Vector] = [gradient(i, z[i]) for i in clients]
            if options["rho"]:
                g = [gradient(i, lifted(z[i], g[i], rho)) for i in clients]
            v = [[alpha * a + b for a, b in zip(v[i], g[i], strict=True)] for i in clients]
            used.append(g)
            last = xs[-1]
            xs.append([[a - eta * b for a, b in zip(last[i], v[i], strict=True)] for i in clients])
        yield Round(t, x, w, xs, used)
        x, w = _mixed(topology.matrix(t, 0).tocsr(), xs[-1], w)


def mean(points: Sequence[Vector]) -> list[Ball]:
    """The average over clients."""
    return [total(column) / len(points) for column in zip(*points, strict=True)]


def square(vector: Vector) -> Ball:
    """The squared length."""
    return total(e * e for e in vector)


def gap(a: Vector, b: Vector) -> list[Ball]:
    """a - b."""
    return [p - q for p, q in zip(a, b, strict=True)]


def total(parts: Any) -> Ball:
    """The sum."""
    return sum(parts, ZERO)


def lifted(z: Vector, g: Vector, rho: Ball) -> list[Ball]:
    """z + rho g / |g|."""
    norm = square(g).sqrt()
    return [a + rho * e / norm for a, e in zip(z, g, strict=True)]


def _mixed(P: Any, half: Sequence[Vector], w: Sequence[Ball]) -> tuple[list[Vector], list[Ball]]:
    x: list[Vector] = []
    weights = []
    for i in range(len(half)):
        row = slice(P.indptr[i], P.indptr[i + 1])
        pairs = [
            (int(j), flint.arb(float(p))) for j, p in zip(P.indices[row], P.data[row], strict=True)
        ]
        x.append([total(p * half[j][c] for j, p in pairs) for c in range(len(half[0]))])
        weights.append(total(p * w[j] for j, p in pairs))
    return x, weights


def start_of(x0: Any, problem: Any) -> Any:
    """x^0 as (n, d) numbers."""
    return np.broadcast_to(np.asarray(x0, float), (problem.clients, problem.dim))
