r"""Equation (32): the v-step of DFedSalt, with all constants.

Printed, S = sigma_u^2 + delta^2; (28) to (30) are (14) to (16):

    E[F(ubar^t, V^{t+1}) - F(ubar^t, V^t)] <= (-eta_v K_v + 8 eta_v^2 K_v^2 (L_v + 1)) E Delta_v
        + 4 eta_v^2 K_v^2 sigma_v^2 (L_v + 1)
        + L_vu^2/(1-lambda)^2 [3 eta_u^2 K_u L_u^2 rho^2 + 9 eta_u^2 K_u^2 (S + 2 E Delta_u)].

Where it breaks. Apart at the start, as (18): SAM does not touch the personal steps. Corrected: that
of ``dfedalt.eq18``, which has the disagreement itself.
"""

from __future__ import annotations

import sympy as sp

from theorylab.statements._base import Source, Statement
from theorylab.statements.dfedalt._proof import EXPERIMENT, V_STEP
from theorylab.statements.dfedalt._readings import personal_step, with_ones
from theorylab.statements.dfedalt._symbols import Delta_u, K_u, L_vu, eta_u, unit
from theorylab.statements.dfedalt._theorem1 import GAP, HEAD_CAP, LETTER, S
from theorylab.statements.dfedalt._theorem1 import V_STEP as V_PRINTED
from theorylab.statements.dfedsalt import _instances as made
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
    experiment=EXPERIMENT,
    quantity=V_STEP,
    versions={
        "printed": with_ones(
            PRINTED,
            {"opposed": made.OPPOSED},
            {"sin-sin": made.SMALL_STEPS, "signs": made.SMALL_SIGNS},
            assumes=(*LETTER, HEAD_CAP),
            note="u_i^0 as Algorithm 1 draws them",
        ),
        "corrected": personal_step(made, made.SMALL_SIGNS),
    },
)
