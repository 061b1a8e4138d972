r"""Equation (8): the u-step by smoothness, with the terms T_1,u and T_2,u named.

Printed:

    E[F(ubar^{t+1}, V^{t+1}) - F(ubar^t, V^{t+1})] <= -eta_u K_u/2 E Delta_u
        + eta_u L_u^2/(2m) sum_i sum_k E||u_i^{t,k} - ubar^t||^2 + L_u/2 E||ubar^{t+1} - ubar^t||^2,

by E grad_u F(u_i^{t,k}, v_i^{t+1}; xi_i) = grad_u F(u_i^{t,k}, v_i^{t+1}) and <x, y> <= (||x||^2 +
||y||^2)/2. (The third line has grad F(ubar^t, v_i^{t+1}) for grad_u F_i.)

Readings. `printed`: as the proof uses it, every local step with its own minibatch.
`printed/line-4`: Algorithm 1's line 4, one minibatch a round.

`printed` is true: ubar moves by -eta sum_k (h_k + n_k), h_k the mean of the clients' gradients, and
-<g, h_k> <= ||g - h_k||^2/2 - ||g||^2/2 with ||g - h_k||^2 <= L_u^2 (1/m) sum_i ||u_i^{t,k} -
ubar||^2. `printed/line-4` is not: with noise s cos(u/l), s = +-sigma, a step against it changes its
mean by eta sigma^2/(2 l) sin(2u/l), which beats a small gradient of the other sign.
"""

from __future__ import annotations

import sympy as sp

from theorylab.statements import Check, Source, Statement, Version
from theorylab.statements.dfedalt import _instances as cases
from theorylab.statements.dfedalt._assumptions import FRESH, PAPER
from theorylab.statements.dfedalt._causes import ONE_MINIBATCH
from theorylab.statements.dfedalt._proof import U_STEP
from theorylab.statements.dfedalt._symbols import Delta_u, K_u, L_u, eta_u, leap, wander

PRINTED: dict[str, sp.Expr] = {
    "gain": -eta_u * K_u / 2 * Delta_u,
    "T_1,u": eta_u * L_u**2 / 2 * wander,
    "T_2,u": L_u / 2 * leap,
}

STATEMENT = Statement(
    id="dfedalt.eq8",
    source=Source("dfedalt", "Equation (8)", "the u-step by smoothness"),
    algorithm="dfedalt",
    quantity=U_STEP,
    versions={
        "printed": Version(
            terms=PRINTED,
            assumes=(*PAPER, FRESH),
            mends=(ONE_MINIBATCH,),
            checks=(
                Check("sin-sin", cases.SINES),
                Check("signs", cases.SIGNS),
                Check("many-steps", cases.MANY_STEPS),
                Check("tilted", cases.TILTED),
                Check("bent-noise", cases.BENT_NOISE),
            ),
        ),
        "printed/line-4": Version(
            terms=PRINTED,
            assumes=PAPER,
            note="one minibatch a round",
            causes=(ONE_MINIBATCH,),
            checks=(
                Check("bent-noise", cases.changed(cases.BENT_NOISE, batch="per-round"), "VIOLATED"),
                Check("signs", cases.changed(cases.SIGNS, batch="per-round")),
            ),
        ),
    },
)
