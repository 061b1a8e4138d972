r"""Equation (32): the v-step of DFedSalt, with all constants.

Printed, S = sigma_u^2 + delta^2; (28) to (30) are (14) to (16):

    E[F(ubar^t, V^{t+1}) - F(ubar^t, V^t)] <= (-eta_v K_v + 8 eta_v^2 K_v^2 (L_v + 1)) E Delta_v
        + 4 eta_v^2 K_v^2 sigma_v^2 (L_v + 1)
        + L_vu^2/(1-lambda)^2 [3 eta_u^2 K_u L_u^2 rho^2 + 9 eta_u^2 K_u^2 (S + 2 E Delta_u)].

Readings. As (18)'s: `printed`, and `printed/cap` with equal starts, the root over 2 alone and one
minibatch a step.

`printed` fails as (18), as SAM does not touch the personal steps. `printed/cap` is not refuted. For
K_u = 1 and L_xi = L_u it is (18)'s proof: by the differences (``lem6``) half of the disagreement is
at most 5.14/2 eta_u^2 (S + L_u^2 rho^2)/(1-lambda)^2, where the display has 9 S + 3 L_u^2 rho^2.
For K_u > 1 the rho^2 of ``lem6`` comes with K_u^2 and the display's with K_u, so this proof ends
there; whether it is false for large K_u is open here.
Corrected: that of ``dfedalt.eq18``, which has the disagreement itself.
"""

from __future__ import annotations

import sympy as sp

from theorylab.statements import Source, Statement
from theorylab.statements.dfedalt._assumptions import FRESH, GRAPH, PAPER, TOGETHER
from theorylab.statements.dfedalt._causes import STARTS
from theorylab.statements.dfedalt._proof import V_STEP
from theorylab.statements.dfedalt._readings import AT_ZERO, personal_step, with_ones
from theorylab.statements.dfedalt._symbols import Delta_u, K_u, L_vu, eta_u, unit
from theorylab.statements.dfedalt._theorem1 import GAP, HEAD_CAP, LETTER, S
from theorylab.statements.dfedalt._theorem1 import V_STEP as V_PRINTED
from theorylab.statements.dfedalt.lem3 import CAP
from theorylab.statements.dfedsalt import _instances as cases
from theorylab.statements.dfedsalt.eq27 import SHARP

V_APART: dict[str, sp.Expr] = {
    "v apart": L_vu**2
    / unit
    / GAP
    * (3 * eta_u**2 * K_u * SHARP + 9 * eta_u**2 * K_u**2 * (S + 2 * Delta_u)),
}
PRINTED = {**V_PRINTED, **V_APART}

STATEMENT = Statement(
    id="dfedsalt.eq32",
    source=Source("dfedsalt", "Equation (32)", "the v-step of DFedSalt"),
    algorithm="dfedsalt",
    quantity=V_STEP,
    versions={
        "printed": with_ones(
            PRINTED,
            {"opposed": cases.OPPOSED},
            {"sin-sin": cases.SMALL_STEPS, "signs": cases.SMALL_SIGNS},
            assumes=(*LETTER, HEAD_CAP),
            note="u_i^0 as Algorithm 1 draws them",
            causes=(STARTS,),
            carries=AT_ZERO,
        ),
        "printed/cap": with_ones(
            PRINTED,
            {},
            {
                "sin-sin": cases.SMALL_STEPS,
                "signs": cases.SMALL_SIGNS,
                "steep-heads": cases.STEEP_HEADS,
            },
            assumes=(*PAPER, GRAPH, TOGETHER, FRESH, CAP, HEAD_CAP),
            note="eta_u <= (1-lambda)/(3 sqrt(2) K_u L_u), equal starts",
            mends=(STARTS,),
        ),
        "corrected": personal_step(cases, cases.SMALL_SIGNS),
    },
)
