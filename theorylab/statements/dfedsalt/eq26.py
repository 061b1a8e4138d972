r"""Equation (26): the term T_2,u of DFedSalt.

Printed, both sides over L_u/2:

    E||ubar^{t+1} - ubar^t||^2 <= 5 eta_u^2 K_u (L_u^2 rho^2 + sigma_u^2 + delta^2 + L_u^2 D_t
                                                 + E Delta_u).

As (12), with equal clients, no noise and small steps, here from K_u = 6 on: by any factor, for any
small step size. It has L_u for L_xi besides.

Corrected, any step size, W(t) = (1/m) sum_i sum_k E||u_i^{t,k} - ubar^t||^2 (``dfedalt._proof``):

    <= 6 eta_u^2 K_u^2 (E Delta_u + L_xi^2 rho^2) + 6 eta_u^2 K_u L_u^2 W(t)
       + 2 eta_u^2 K_u sigma_u^2/m.
"""

from __future__ import annotations

import sympy as sp

from theorylab.statements import Check, Source, Statement
from theorylab.statements.dfedalt._assumptions import SAMPLES
from theorylab.statements.dfedalt._causes import LOST_SQUARE
from theorylab.statements.dfedalt._proof import LEAP, ONE_U_STEP, leapt
from theorylab.statements.dfedalt._readings import every_step, one_step_for_all
from theorylab.statements.dfedalt._symbols import Delta_u, K_u, L_sample, L_u, eta_u, spread
from theorylab.statements.dfedalt._theorem1 import S
from theorylab.statements.dfedsalt import _instances as cases
from theorylab.statements.dfedsalt._symbols import rho

_FRONT = 5 * eta_u**2 * K_u
PRINTED: dict[str, sp.Expr] = {
    "sharpness": _FRONT * L_u**2 * rho**2,
    "noise and diversity": _FRONT * S,
    "apart": _FRONT * L_u**2 * spread,
    "Delta_u": _FRONT * Delta_u,
}
CORRECTED = leapt(3, L_sample**2 * rho**2)

STATEMENT = Statement(
    id="dfedsalt.eq26",
    source=Source("dfedsalt", "Equation (26)", "the term T_2,u with SAM"),
    algorithm="dfedsalt",
    quantity=LEAP,
    versions={
        "printed": one_step_for_all(PRINTED, cases, causes=(LOST_SQUARE,)),
        "corrected": every_step(
            CORRECTED,
            cases,
            Check("outvoted", cases.OUTVOTED),
            assumes=(*ONE_U_STEP, SAMPLES),
            note="K_u^2 before the gradient and rho^2",
            mends=(LOST_SQUARE,),
        ),
    },
)
