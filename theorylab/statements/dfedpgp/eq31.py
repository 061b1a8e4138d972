r"""(31): the v-step, (28), (29) and (30) summed.

Printed:

    E[F(ubar^t, V^{t+1}) - F(ubar^t, V^t)] <= (-eta_v K_v + 8 eta_v^2 K_v^2 L_v + 8 eta_v^2 K_v^2)
        E Delta_v^t + 4 eta_v^2 K_v^2 sigma_v^2 L_v^2 (1 + L_v)
        + L_vu^2/2 (sigma_u^2 + sigma_g^2 + E Delta_u^t) AA.

The sum is another: T_{2,v} of (27) and T_{2,v}/L_v of (28) are (1 + 1/L_v) times (29), whose noise
is 4 L_v eta_v^2 K_v^2 sigma_v^2, so that 4 eta_v^2 K_v^2 sigma_v^2 (1 + L_v) comes out, without the
L_v^2.

Readings. `printed`: Delta_v at u_i. `printed/debiased`: z_i for u_i, and the L_v^2. (v^2 L_v/2 from
its optimum gains L_v/2 eta_v^2 sigma_v^2 from a step's noise, and the right side falls as L_v^2.)
`printed/sum`: z_i for u_i, without L_v^2. No instance is known where that fails: where mu = 1, K_v
= 64 steps at the cap go .39 of the way, and (28) has them go half of it, but (29) gives back more
than that.

Corrected, h_i = grad_v F_i(ubar^t, v_i^t), a minibatch a step, L_v eta_v K_v <= 1:

    left side <= -eta_v K_v/4 1/m sum_i E||h_i||^2 + eta_v K_v L_vu^2/2 1/m sum_i E||z_i - ubar||^2
        + eta_v^2 K_v L_v sigma_v^2/2 (1 + eta_v L_v (K_v - 1)).

It is "Heads" of ``thm1``'s proof, averaged over clients.
"""

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedpgp import _instances as cases
from theorylab.statements.dfedpgp._causes import HEADS_AT_U, VANISHING_NOISE
from theorylab.statements.dfedpgp._symbols import (
    K_v,
    L_v,
    L_vu,
    apart,
    body_gradient,
    eta_v,
    heads_at_mean,
    heads_at_u,
    heads_at_z,
    sigma_g,
    sigma_u,
    sigma_v,
    unit,
)
from theorylab.statements.dfedpgp._theorem1 import (
    COEFFICIENT_V,
    COUPLING,
    DENOMINATOR,
    FRESH,
    HEAD_CAP,
    HEAD_NOISE,
    NETWORK_S,
    PROOF_CAP,
    SHARED,
    START,
)

_COUPLING = COUPLING * (sigma_u**2 + sigma_g**2 + body_gradient)
_ASSUMES = (*SHARED, FRESH, HEAD_CAP, PROOF_CAP, DENOMINATOR, START)

STATEMENT = Statement(
    id="dfedpgp.eq31",
    source=Source("dfedpgp", "Eq. (31)", "the v-step, (28) to (30) summed"),
    algorithm="dfedpgp",
    quantity=Quantity(
        "dfedpgp.head_descent", "rows", (1, 0), r"E[F(\bar u^t,V^{t+1})-F(\bar u^t,V^t)]"
    ),
    versions={
        "printed": Version(
            terms={"descent": -COEFFICIENT_V * heads_at_u, "noise": HEAD_NOISE,
                   "consensus": _COUPLING},
            assumes=_ASSUMES,
            constants=NETWORK_S,
            causes=(VANISHING_NOISE, HEADS_AT_U),
            checks=(
                Check("flat-heads", cases.FLAT_HEAD_ROUND, "VIOLATED", causes=(VANISHING_NOISE,)),
                Check("stationary-point", cases.STATIONARY_ROUND, "VIOLATED", causes=(HEADS_AT_U,)),
                Check("signs", cases.SIGNS_SMALL),
            ),
        ),
        "printed/debiased": Version(
            terms={"descent": -COEFFICIENT_V * heads_at_z, "noise": HEAD_NOISE,
                   "consensus": _COUPLING},
            assumes=_ASSUMES,
            constants=NETWORK_S,
            note="z_i in Delta_v",
            causes=(VANISHING_NOISE,),
            mends=(HEADS_AT_U,),
            checks=(
                Check("flat-heads", cases.FLAT_HEAD_ROUND, "VIOLATED"),
                Check("signs", cases.SIGNS_SMALL),
            ),
        ),
        "printed/sum": Version(
            terms={
                "descent": -COEFFICIENT_V * heads_at_z,
                "noise": 4 * eta_v**2 * K_v**2 * (1 / unit + L_v) * sigma_v**2,
                "consensus": _COUPLING,
            },
            assumes=_ASSUMES,
            constants=NETWORK_S,
            note="z_i in Delta_v, the L_v^2 left out",
            mends=(HEADS_AT_U, VANISHING_NOISE),
            checks=(
                Check("flat-heads", cases.FLAT_HEAD_ROUND),
                Check("step-at-the-cap", cases.HEAD_AT_CAP),
                Check("signs", cases.SIGNS_SMALL),
            ),
        ),
        "corrected": Version(
            terms={
                "descent": -eta_v * K_v / 4 * heads_at_mean,
                "consensus": eta_v * K_v * L_vu**2 / 2 * apart,
                "noise": eta_v**2 * K_v * L_v / 2 * (1 + eta_v * L_v * (K_v - 1)) * sigma_v**2,
            },
            assumes=(
                *SHARED,
                FRESH,
                Assumption("corrected: L_v eta_v K_v <= 1", rule=L_v * eta_v * K_v <= 1),
            ),
            note="heads at ubar, L_v where it belongs",
            mends=(HEADS_AT_U, VANISHING_NOISE),
            checks=(
                Check("flat-heads", cases.changed(cases.FLAT_HEAD_ROUND, steps_v=4)),
                Check("step-at-the-cap", cases.HEAD_AT_CAP),
                Check("three-clients", cases.ROUNDS),
                Check("signs", cases.SIGNS_SMALL),
            ),
        ),
    },
)  # fmt: skip
