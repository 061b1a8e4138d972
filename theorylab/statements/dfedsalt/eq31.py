r"""Equation (31): the term T_3,v of DFedSalt.

Printed, "according to Eq. (25)", both sides over L_vu^2/2:

    (1/m) sum_i E||ubar^t - u_i^t||^2 <= (6 eta_u^2 K_u L_u^2 rho^2
        + 18 eta_u^2 K_u^2 (sigma_u^2 + delta^2 + 2 E Delta_u))/(1-lambda)^2.

(17) has twice this factor. Readings. `printed`: (25)'s cap to the letter, starts as Algorithm 1
draws them. `printed/together`: equal starts. Corrected: ``lem6`` [corrected/no-gradient].
"""

from __future__ import annotations

import sympy as sp

from theorylab.statements import Check, Source, Statement, Version
from theorylab.statements.dfedalt._assumptions import SAMPLES, TOGETHER
from theorylab.statements.dfedalt._causes import STARTS
from theorylab.statements.dfedalt._disagreement import DIFFERENCES_ASSUME, SPREAD
from theorylab.statements.dfedalt._readings import AT_ZERO, with_ones
from theorylab.statements.dfedalt._symbols import Delta_u, K_u, L_u, eta_u
from theorylab.statements.dfedalt._theorem1 import GAP, LETTER, S
from theorylab.statements.dfedsalt import _instances as cases
from theorylab.statements.dfedsalt._causes import LOST_PRODUCT
from theorylab.statements.dfedsalt._symbols import rho
from theorylab.statements.dfedsalt.lem6 import STEADY

PRINTED: dict[str, sp.Expr] = {
    "sharpness": 6 * eta_u**2 * K_u * L_u**2 * rho**2 / GAP,
    "noise and diversity": 18 * eta_u**2 * K_u**2 * S / GAP,
    "Delta_u": 36 * eta_u**2 * K_u**2 * Delta_u / GAP,
}

STATEMENT = Statement(
    id="dfedsalt.eq31",
    source=Source("dfedsalt", "Equation (31)", "the term T_3,v with SAM"),
    algorithm="dfedsalt",
    quantity=SPREAD,
    versions={
        "printed": with_ones(
            PRINTED,
            {"opposed": cases.OPPOSED},
            {"sin-sin": cases.SMALL_STEPS},
            note="u_i^0 as Algorithm 1 draws them",
            causes=(STARTS,),
            carries=AT_ZERO,
        ),
        "printed/together": with_ones(
            PRINTED,
            {"pulled-apart": cases.PULLED},
            {"sin-sin": cases.SMALL_STEPS},
            assumes=(*LETTER, TOGETHER),
            note="all u_i^0 equal",
            causes=(LOST_PRODUCT,),
            mends=(STARTS,),
        ),
        "corrected": Version(
            terms=STEADY,
            assumes=(*DIFFERENCES_ASSUME, SAMPLES),
            note="any start, K_u^2 L_xi^2 rho^2",
            mends=(STARTS, LOST_PRODUCT),
            checks=(
                Check("pulled-apart", cases.PULLED),
                Check("opposed", cases.OPPOSED),
                Check("sin-sin", cases.SMALL_STEPS),
                Check("signs", cases.TWO_ROUNDS),
            ),
        ),
    },
)
