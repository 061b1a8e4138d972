r"""(23), its last line: the u-step.

Printed, T_{1,u} = eta_u L_u^2/(2m) sum_i sum_k E||z_i^{t,k} - ubar^t||^2, T_{2,u} = L_u/2
E||ubar^{t+1} - ubar^t||^2:

    E[F(ubar^{t+1}, V^{t+1}) - F(ubar^t, V^{t+1})] <= -eta_u K_u/2 E Delta_u^t + T_{1,u} + T_{2,u}.

Readings, as of ``eq23``. `printed`: a minibatch a step. True: -<G, g> = (||G - g||^2 - ||G||^2
- ||g||^2)/2 for every step, with g the mean over clients of the grad_u F_i(z_i^{t,k}, v_i^{t+1}),
Jensen over i, and smoothness.

`printed/line-4`: one minibatch a round. Two clients with u^2/2 and noises 10 cos(u) xi_i, xi_i =
+-1: from u = 2 four steps carry them up on average, and both sides have the same curvature term, so
nothing else makes up for it.
"""

from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedalt._causes import ONE_MINIBATCH
from theorylab.statements.dfedpgp import _instances as cases
from theorylab.statements.dfedpgp._symbols import (
    K_u,
    L_u,
    body_away,
    body_gradient,
    eta_u,
    moved_u,
)
from theorylab.statements.dfedpgp._theorem1 import FRESH, ONE_BATCH, PROOF_CAP, SMOOTH

_TERMS = {
    "descent": -eta_u * K_u / 2 * body_gradient,
    "T_1u": eta_u * L_u**2 / 2 * body_away,
    "T_2u": L_u / 2 * moved_u,
}

STATEMENT = Statement(
    id="dfedpgp.eq23_descent",
    source=Source("dfedpgp", "Eq. (23), analysis of the u-step", "the descent of the u-step"),
    algorithm="dfedpgp",
    quantity=Quantity(
        "dfedpgp.body_descent", "rows", (1, 0), r"E[F(\bar u^{t+1},V^{t+1})-F(\bar u^t,V^{t+1})]"
    ),
    versions={
        "printed": Version(
            terms=_TERMS,
            assumes=(SMOOTH, FRESH, PROOF_CAP),
            note="a minibatch a step",
            mends=(ONE_MINIBATCH,),
            checks=(
                Check("noise-that-grows", cases.UPHILL_FRESH),
                Check("signs", cases.SIGNS_SMALL),
                Check("three-clients", cases.ROUNDS),
                Check("long-walk", cases.LONG_WALK),
            ),
        ),
        "printed/line-4": Version(
            terms=_TERMS,
            assumes=(SMOOTH, ONE_BATCH, PROOF_CAP),
            note="one minibatch a round",
            causes=(ONE_MINIBATCH,),
            checks=(
                Check("noise-that-grows", cases.UPHILL, "VIOLATED"),
                Check("signs", cases.SIGNS_ONE_BATCH),
            ),
        ),
    },
)
