r"""Lemma 5: how far apart the shared parts are in DFedAlt.

Printed (Assumptions 1-3, "for all ... k in {1, ..., K_u}", a letter that does not occur):

    (1/m) sum_i E||u_i^t - ubar^t||^2 <= 18 eta_u^2 K_u^2/(1-lambda)^2 (sigma_u^2 + delta^2
        + (1/m) sum_i E||grad_u F(u_i^t, V^{t+1})||^2).

Readings. `printed`: Algorithm 1's "randomly initialize each device's shared parameters u_i^0".
`printed/together`: all u_i^0 equal, as the proof needs, which drops W^t U^0. `printed/display`: the
proof's last display, which has lost the m of the one before it: ||U^t - P U^t||^2, the sum over i
without 1/m, against the same right side.

Where it breaks. Apart at t = 0 the left side is any number, the right side as small as eta_u^2.
The display is off by m lambda^2/18 at most: ring, heterogeneity along its slowest mode, eta_u K_u
L_u << 1 - lambda. Two gaps of the proof that no counterexample is known for: Lemma 3 (see there)
and the gradient of round t where that of j < t is meant. (For quadratics with equal H_uu `together`
is true: per eigenvalue h of H_uu, eta h <= 1 bounds a step by eta K delta, 1 < eta h < 2 likewise,
and eta h >= 2 makes the gradient's term at least 72 times the left side.)

Corrected. U^{t+1} = W(U^t + Z^t), Z^t the K_u local steps, so U^t - P U^t = (W^t - P) U^0 +
sum_{j<t} (W^{t-j} - P) Z^j, by Lemma 1 of root mean square at most lambda^t sqrt(D_0) + sum_j
lambda^{t-j} z_j, and z_j^2 <= 3 (1 + eta L_u)^{2K} eta^2 (K^2 (delta^2 + G_j) + K sigma_u^2) by
Lemma 3's corrected version at k = K_u. So with G = max_{j<t} G_j, for any step size,

    D_t <= ( lambda^t sqrt(D_0) + lambda/(1-lambda)
             sqrt(3 (1 + eta L_u)^{2K} eta^2 (K^2 (delta^2 + G) + K sigma_u^2)) )^2.

lambda/(1-lambda) for 1/(1-lambda): nothing is apart after complete averaging. At t = 0 both sides
are equal; judged up to rounding.
"""

from __future__ import annotations

import sympy as sp

from theorylab.statements._base import Check, Source, Statement, Version
from theorylab.statements._quantity import Quantity
from theorylab.statements.dfedalt._assumptions import (
    FRESH,
    GRAPH,
    MIXES,
    PAPER,
    TOGETHER,
    TRAVEL,
)
from theorylab.statements.dfedalt._instances import (
    APART,
    SINES,
    SLOW_MODE,
    TWO_ROUNDS,
    changed,
)
from theorylab.statements.dfedalt._symbols import (
    G,
    G_past,
    K_u,
    L_u,
    delta,
    eta_u,
    lam,
    sigma_u,
    spread_room,
    start_spread,
)
from theorylab.statements.dfedsgpsm._symbols import t

_PRINTED: dict[str, sp.Expr] = {
    name: 18 * eta_u**2 * K_u**2 / (1 - lam) ** 2 * part
    for name, part in (("noise", sigma_u**2), ("diversity", delta**2), ("gradient", G))
}
_STEPS = 3 * (1 + eta_u * L_u) ** (2 * K_u) * eta_u**2
CORRECTED: dict[str, sp.Expr] = {
    "spread": (
        lam**t * sp.sqrt(start_spread)
        + TRAVEL * sp.sqrt(_STEPS * (K_u**2 * (delta**2 + G_past) + K_u * sigma_u**2))
    )
    ** 2,
    "rounding": spread_room,
}

STATEMENT = Statement(
    id="dfedalt.lem5",
    source=Source("dfedalt", "Lemma 5", "disagreement of the shared parts"),
    experiment="alternating-rounds",
    quantity=Quantity("spread", "rows", (0, 2), r"\frac1m\sum_i E\|u_i^t-\bar u^t\|^2"),
    versions={
        "printed": Version(
            terms=_PRINTED,
            assumes=(*PAPER, GRAPH),
            note="u_i^0 as Algorithm 1 draws them",
            checks=(
                Check("starts-apart", changed(APART, eta_u=1e-4), "VIOLATED"),
                Check("sin-sin", SINES),
            ),
        ),
        "printed/together": Version(
            terms=_PRINTED,
            assumes=(*PAPER, GRAPH, TOGETHER),
            note="all u_i^0 equal",
            checks=(
                Check("starts-apart", APART, "ASSUMPTION_FAILS"),
                Check("sin-sin", SINES),
                Check("signs", TWO_ROUNDS),
                Check("slow-mode", SLOW_MODE),
            ),
        ),
        "printed/display": Version(
            terms=_PRINTED,
            assumes=(*PAPER, GRAPH, TOGETHER),
            quantity=Quantity("spread_sum", "rows", (0, 2), r"E\|U^t-\mathbf{P}U^t\|^2"),
            note="the sum over i, as the proof's last display",
            checks=(Check("slow-mode", SLOW_MODE, "VIOLATED"),),
        ),
        "corrected": Version(
            terms=CORRECTED,
            assumes=(*PAPER, GRAPH, MIXES, FRESH),
            note="any start, any step size, the gradients before t",
            checks=(
                Check("starts-apart", APART),
                Check("sin-sin", SINES),
                Check("signs", TWO_ROUNDS),
                Check("slow-mode", SLOW_MODE),
            ),
        ),
    },
)
