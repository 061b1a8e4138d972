"""Algorithm 1 of dfedpgp written out again in Arb balls, without noise.

z_i = u_i / mu_i; K_v times v_i -= eta_v grad_v F_i(z_i, v_i);
K_u times, with the last v_i, u_i -= eta_u grad_u F_i(u_i / mu_i, v_i);
u_i = sum_j p_ij u_j, mu_i = sum_j p_ij mu_j.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import flint

from theorylab.falsify._balls import (
    Ball,
    Point,
    Vector,
    apart,
    ball,
    dot,
    gap,
    less,
    mean,
    mixed,
    square,
    total,
    weights_of,
)
from theorylab.falsify._personal_balls import Losses, head_steps, parts_of


@dataclass(frozen=True)
class Push:
    """Round t: us[k], vs[k] the local iterates of all clients; z before it; after: u^{t+1}.

    slopes[k]: grad_u of local step k.
    """

    t: int
    z: Point
    us: list[Point]
    vs: list[Point]
    slopes: list[Point]
    after: Point


def pushes_of(
    losses: Losses, topology: Any, start: Any, rounds: int, options: Mapping[str, Any]
) -> Iterator[Push]:
    """Rounds without noise from ``start`` (n, d), over the edges of run 0.

    options: eta_u, eta_v, steps_u, steps_v.
    """
    eta_u, eta_v = ball(options["eta_u"]), ball(options["eta_v"])
    u, v = parts_of(start, losses.shared)
    clients = range(len(u))
    mu: list[Ball] = [flint.arb(1) for _ in clients]
    for t in range(rounds):
        z: Point = [_over(u[i], mu[i]) for i in clients]
        us, vs = [u], head_steps(losses, z, v, eta_v, options["steps_v"])
        slopes: list[Point] = []
        for _ in range(options["steps_u"]):
            now = us[-1]
            g: Point = [losses.gradient(i, _over(now[i], mu[i]), vs[-1][i])[0] for i in clients]
            us.append([less(now[i], eta_u, g[i]) for i in clients])
            slopes.append(g)
        P = weights_of(topology.matrix(t, 0))
        after = mixed(P, us[-1])
        yield Push(t, z, us, vs, slopes, after)
        mu = [one for (one,) in mixed(P, [[one] for one in mu])]
        u, v = after, vs[-1]


def _over(u: Vector, weight: Ball) -> list[Ball]:
    return [x / weight for x in u]


def _slope(losses: Losses, u: Vector, V: Point) -> list[Ball]:
    """grad_u F(u, V)."""
    return mean([losses.gradient(i, u, v)[0] for i, v in enumerate(V)])


def _descent(losses: Losses, r: Push) -> Ball:
    return losses.value(mean(r.after), r.vs[-1]) - losses.value(mean(r.us[0]), r.vs[0])


def _product(losses: Losses, r: Push) -> Ball:
    """(1/m) sum_i <grad_v F_i(ubar, v_i), v_i^{t+1} - v_i>."""
    middle, parts = mean(r.us[0]), []
    for i, (old, new) in enumerate(zip(r.vs[0], r.vs[-1], strict=True)):
        head = losses.gradient(i, middle, old)[1]
        parts.append(dot(head, gap(new, old)))
    return total(parts) / len(parts)


SIDES: dict[str, Callable[[Losses, Push, dict[str, int]], Ball]] = {
    "head_drift": lambda _, r, at: square(gap(r.vs[-2][at["i"]], r.vs[0][at["i"]])),
    "head_drift_all": lambda _, r, at: square(gap(r.vs[-1][at["i"]], r.vs[0][at["i"]])),
    "body_drift": lambda _, r, at: apart(r.us[at["k"]], r.us[0]),
    "path": lambda _, r, at: square(gap(r.z[at["i"]], mean(r.us[0]))).sqrt(),
    "descent": lambda f, r, at: _descent(f, r),
    "square": lambda _, r, at: square(gap(mean(r.after), mean(r.us[0]))),
    "gradient_at_z": lambda f, r, at: square(_slope(f, r.z[at["i"]], r.vs[-1])),
    "head_product": lambda f, r, at: _product(f, r),
}
