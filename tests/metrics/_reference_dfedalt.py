"""Rounds of DFedAlt and DFedSalt on two coupled quadratics, number by number, over every sign.

Imports nothing that it checks. u and v are one number each, so that SAM's direction is a sign.
"""

import itertools
import math

A, B, C, a, b = 1.0, 2.0, 0.4, [1.0, -2.0], [0.5, 3.0]
W = [[0.75, 0.25], [0.25, 0.75]]
U0, V0, SU, SV = [0.7, -0.1], [0.2, 0.4], 0.7, 0.9
ETA_U, ETA_V = 0.1, 0.2  # K_u is 2


def grad_u(i, u, v):
    return A * (u - a[i]) + C * (v - b[i])


def grad_v(i, u, v):
    return B * (v - b[i]) + C * (u - a[i])


def F(u, v):
    total = 0.0
    for i in range(2):
        x, y = u - a[i], v[i] - b[i]
        total += A / 2 * x * x + B / 2 * y * y + C * x * y
    return total / 2


def one_round(u, v, draw, K_v, rho, per_round):
    """(all u^{t,k}, all v^{t,k}, u^{t+1}) for one sequence of signs."""
    path, heads = [list(u)], [list(v)]
    held = {i: (next(draw), next(draw)) for i in range(2)} if per_round else None
    for _ in range(K_v):
        signs = [held[i][1] if per_round else next(draw) for i in range(2)]
        now = heads[-1]
        heads.append([now[i] - ETA_V * (grad_v(i, u[i], now[i]) + SV * signs[i]) for i in (0, 1)])
    for _ in range(2):
        now = []
        for i in range(2):
            s, x, y = held[i][0] if per_round else next(draw), path[-1][i], heads[-1][i]
            up = x + rho * math.copysign(1, grad_u(i, x, y) + SU * s)
            now.append(x - ETA_U * (grad_u(i, up, y) + SU * s))
        path.append(now)
    after = [sum(W[i][j] * path[-1][j] for j in range(2)) for i in range(2)]
    return path, heads, after


def numbers_of(u, path, heads, after):
    """What the metrics and their symbols are in one outcome."""
    (v, *_, new), bar, there = heads, sum(u) / 2, sum(after) / 2
    mean_g = [sum(grad_u(j, x, new[j]) for j in range(2)) / 2 for x in (*u, bar)]
    return {
        **{f"drift {k}": sum((path[k][i] - u[i]) ** 2 for i in (0, 1)) / 2 for k in (0, 1)},
        **{f"head_drift {i}": (heads[-2][i] - v[i]) ** 2 for i in (0, 1)},
        **{f"head_drift_last {i}": (new[i] - v[i]) ** 2 for i in (0, 1)},
        **{f"head {i}": grad_v(i, u[i], v[i]) ** 2 for i in (0, 1)},
        "u_step": F(there, new) - F(bar, new),
        "v_step": F(bar, new) - F(bar, v),
        "descent": F(there, new) - F(bar, v),
        "wander": sum((x - bar) ** 2 for us in path[:2] for x in us) / 2,
        "leap": (there - bar) ** 2,
        "slope": (mean_g[0] ** 2 + mean_g[1] ** 2) / 2,
        "head_push": sum(grad_v(i, bar, v[i]) * (new[i] - v[i]) for i in (0, 1)) / 2,
        "head_leap": sum((new[i] - v[i]) ** 2 for i in (0, 1)) / 2,
        "spread": sum((x - bar) ** 2 for x in u) / 2,
        "spread_sum": sum((x - bar) ** 2 for x in u),
        "Delta_u": mean_g[2] ** 2,
        "Delta_v": sum(grad_v(i, u[i], v[i]) ** 2 for i in (0, 1)) / 2,
    }


def by_hand(rounds, K_v, rho, batch):
    """Means over all signs, round by round."""
    per_round = batch == "per-round"
    bits = 4 if per_round else 4 + 2 * K_v
    found = [[] for _ in range(rounds)]
    for signs in itertools.product((-1, 1), repeat=rounds * bits):
        draw, u, v = iter(signs), U0, V0
        for t in range(rounds):
            path, heads, after = one_round(u, v, draw, K_v, rho, per_round)
            found[t].append(numbers_of(u, path, heads, after))
            u, v = after, heads[-1]
    return [
        {name: sum(one[name] for one in many) / len(many) for name in many[0]} for many in found
    ]
