r"""Algorithm 1 of dfedsgpsm written out again in Arb balls, without noise.

w^{t+1} = P(t) w^t,  x^{t+1} = P(t) x^{t+1/2},  z = x / w,
K times: g = grad f_i(x_k / w), g' = grad f_i(x_k / w + rho g / |g|), v = alpha v + g',
         x_{k+1} = x_k - eta v.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import flint

from theorylab.falsify._balls import (
    ZERO,
    Ball,
    Point,
    Vector,
    apart,
    ball,
    dot,
    gap,
    less,
    lifted,
    mean,
    mixed,
    square,
    total,
    vector,
    weights_of,
)
from theorylab.problems import LogCosh, Quadratic, plain

Gradient = Callable[[int, Vector], list[Ball]]


@dataclass(frozen=True)
class Round:
    """Before round t: x[i], w[i]. xs[k][i]: the iterates, k = 0..K. used[k][i]: line 9."""

    t: int
    x: Point
    w: list[Ball]
    xs: list[Point]
    used: list[Point]


def gradient_of(problem: Any) -> Gradient | None:
    """(client, model) -> its gradient, for log-cosh losses and quadratics; None for others."""
    if plain(problem, LogCosh):
        centers, scale = [vector(c) for c in problem.centers], ball(problem.scale)
        return lambda i, x: [scale * away.tanh() for away in gap(x, centers[i])]
    if plain(problem, Quadratic):
        centers = [vector(c) for c in problem.centers]
        H = [[vector(row) for row in h] for h in problem.hessians]

        def quadratic(i: int, x: Vector) -> list[Ball]:
            away = gap(x, centers[i])
            return [dot(row, away) for row in H[i]]

        return quadratic
    return None


def rounds_of(
    gradient: Gradient, topology: Any, start: Any, rounds: int, options: Mapping[str, Any]
) -> Iterator[Round]:
    """Rounds 0 .. ``rounds`` - 1 from ``start`` (n, d), over the edges of run 0.

    Where a gradient may be 0, line 8's direction is not enclosed: NaN balls, which prove nothing.
    """
    eta, alpha, rho = (ball(options[key]) for key in ("eta", "alpha", "rho"))
    clients = range(len(start))
    x: Point = [vector(row) for row in start]
    w = [flint.arb(1) for _ in clients]
    for t in range(rounds):
        xs, used = [x], []
        v: Point = [[ZERO] * len(row) for row in x]
        for _ in range(options["local_steps"]):
            z = [[value / w[i] for value in xs[-1][i]] for i in clients]
            g: Point = [gradient(i, z[i]) for i in clients]
            if options["rho"]:
                g = [gradient(i, lifted(z[i], g[i], rho)) for i in clients]
            v = [[alpha * a + b for a, b in zip(v[i], g[i], strict=True)] for i in clients]
            used.append(g)
            xs.append([less(xs[-1][i], eta, v[i]) for i in clients])
        yield Round(t, x, w, xs, used)
        P = weights_of(topology.matrix(t, 0))
        x, w = mixed(P, xs[-1]), [one for (one,) in mixed(P, [[one] for one in w])]


def slope(gradient: Gradient, r: Round) -> list[Ball]:
    """grad f at the clients' average."""
    middle = mean(r.x)
    return mean([gradient(i, middle) for i in range(len(r.x))])


def _distance(r: Round, i: int) -> Ball:
    """||z_i - xbar||^2."""
    return square(gap([value / r.w[i] for value in r.x[i]], mean(r.x)))


def _moved(r: Round, i: int, options: Mapping[str, Any]) -> Ball:
    """||eta sum_k sum_{s<=k} alpha^{k-s} g_s||^2 of client i."""
    alpha, steps = ball(options["alpha"]), len(r.used)
    weights = [total(alpha ** (k - s) for k in range(s, steps)) for s in range(steps)]
    parts = [[b * e for e in r.used[s][i]] for s, b in enumerate(weights)]
    eta = ball(options["eta"])
    return eta * eta * square([total(column) for column in zip(*parts, strict=True)])


# Of a round, at a place, with the algorithm's options
SIDES: dict[str, Callable[[Gradient, Round, dict[str, int], Any], Ball]] = {
    "consensus": lambda _, r, at, made: _distance(r, at["i"]),
    "distance": lambda _, r, at, made: _distance(r, at["i"]).sqrt(),
    "consensus_mean": lambda _, r, at, made: (
        total(_distance(r, i) for i in range(len(r.x))) / len(r.x)
    ),
    "step": lambda _, r, at, made: square(gap(r.xs[at["k"] + 1][at["i"]], r.xs[at["k"]][at["i"]])),
    "drift": lambda _, r, at, made: apart(r.xs[at["k"]], r.x),
    "update": lambda _, r, at, made: _moved(r, at["i"], made),
}
