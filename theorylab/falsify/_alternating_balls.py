"""Algorithm 1 of dfedalt, with DFedSalt's line, written out again in Arb balls, without noise.

K_v times v_i -= eta_v grad_v F_i(u_i, v_i); then K_u times, with the last v_i,
g = grad_u F_i(u_i, v_i), and with rho > 0 g = grad_u F_i(u_i + rho g / |g|, v_i);
u_i -= eta_u g;  then u_i = sum_j w_ij u_j.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from theorylab.falsify._balls import (
    Ball,
    Point,
    apart,
    ball,
    dot,
    gap,
    less,
    lifted,
    mean,
    mixed,
    spread,
    square,
    total,
    weights_of,
)
from theorylab.falsify._personal_balls import Losses, head_steps, parts_of


@dataclass(frozen=True)
class Turn:
    """Round t: us[k], vs[k] the local iterates of all clients; after: u^{t+1}."""

    t: int
    us: list[Point]
    vs: list[Point]
    after: Point


def turns_of(
    losses: Losses, matrix: Any, start: Any, rounds: int, steps: Mapping[str, Any]
) -> Iterator[Turn]:
    """Rounds without noise from ``start`` (n, d); steps: eta_u, eta_v, steps_u, steps_v, rho."""
    eta_u, eta_v, rho = (ball(steps[key]) for key in ("eta_u", "eta_v", "rho"))
    u, v = parts_of(start, losses.shared)
    W = weights_of(matrix)
    clients = range(len(u))
    for t in range(rounds):
        us, vs = [u], head_steps(losses, u, v, eta_v, steps["steps_v"])
        for _ in range(steps["steps_u"]):
            now = us[-1]
            g: Point = [losses.gradient(i, now[i], vs[-1][i])[0] for i in clients]
            if steps["rho"]:
                up = [lifted(now[i], g[i], rho) for i in clients]
                g = [losses.gradient(i, up[i], vs[-1][i])[0] for i in clients]
            us.append([less(now[i], eta_u, g[i]) for i in clients])
        after = mixed(W, us[-1])
        yield Turn(t, us, vs, after)
        u, v = after, vs[-1]


def _push(losses: Losses, r: Turn) -> Ball:
    bar = mean(r.us[0])
    moved = [gap(a, b) for a, b in zip(r.vs[-1], r.vs[0], strict=True)]
    slopes = [losses.gradient(i, bar, v)[1] for i, v in enumerate(r.vs[0])]
    return total(dot(g, m) for g, m in zip(slopes, moved, strict=True)) / len(moved)


def _changed(losses: Losses, r: Turn, u: bool, v: bool) -> Ball:
    """F after what ``u`` and ``v`` name has moved, less F before it; the other v is the new one."""
    old_v = r.vs[0] if v else r.vs[-1]
    after = mean(r.after if u else r.us[0])
    return losses.value(after, r.vs[-1]) - losses.value(mean(r.us[0]), old_v)


SIDES: dict[str, Callable[[Losses, Turn, dict[str, int]], Ball]] = {
    "head_drift": lambda _, r, at: square(gap(r.vs[-2][at["i"]], r.vs[0][at["i"]])),
    "head_drift_last": lambda _, r, at: square(gap(r.vs[-1][at["i"]], r.vs[0][at["i"]])),
    "drift": lambda _, r, at: apart(r.us[at["k"]], r.us[0]),
    "spread": lambda _, r, at: spread(r.us[0]),
    "spread_sum": lambda _, r, at: spread(r.us[0]) * len(r.us[0]),
    "descent": lambda f, r, at: _changed(f, r, u=True, v=True),
    "u_step": lambda f, r, at: _changed(f, r, u=True, v=False),
    "v_step": lambda f, r, at: _changed(f, r, u=False, v=True),
    "wander": lambda _, r, at: total(apart(u, [mean(r.us[0])] * len(u)) for u in r.us[:-1]),
    "leap": lambda _, r, at: square(gap(mean(r.after), mean(r.us[0]))),
    "head_push": lambda f, r, at: _push(f, r),
    "head_leap": lambda _, r, at: apart(r.vs[-1], r.vs[0]),
}
