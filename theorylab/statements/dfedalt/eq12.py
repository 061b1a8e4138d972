r"""Equation (12): the term T_2,u, how far the average moves.

Printed, both sides over L_u/2:

    E||ubar^{t+1} - ubar^t||^2 <= 4 eta_u^2 K_u (sigma_u^2 + delta^2 + L_u^2 D_t + E Delta_u).

With equal clients, no noise and small steps the left side is eta^2 K^2 g^2 against 4 eta^2 K g^2:
false from K_u = 5 on, by any factor, for any small step size. (The first line has grad_u F(u_i^t,
v_i^{t+1}) for a gradient at u_i^{t,k}, too.)

Corrected, any step size, minibatches fresh in every step and independent between clients, W(t) =
(1/m) sum_i sum_k E||u_i^{t,k} - ubar^t||^2 (``_proof``; for W(t) see ``eq9``):

    <= 4 eta_u^2 K_u^2 E Delta_u + 4 eta_u^2 K_u L_u^2 W(t) + 2 eta_u^2 K_u sigma_u^2/m.
"""

from __future__ import annotations

import sympy as sp

from theorylab.statements import Check, Source, Statement
from theorylab.statements.dfedalt import _instances as cases
from theorylab.statements.dfedalt._causes import LOST_SQUARE
from theorylab.statements.dfedalt._proof import LEAP, ONE_U_STEP, leapt
from theorylab.statements.dfedalt._readings import every_step, one_step_for_all
from theorylab.statements.dfedalt._symbols import Delta_u, K_u, L_u, eta_u, spread
from theorylab.statements.dfedalt._theorem1 import S

_FRONT = 4 * eta_u**2 * K_u
PRINTED: dict[str, sp.Expr] = {
    "noise and diversity": _FRONT * S,
    "apart": _FRONT * L_u**2 * spread,
    "Delta_u": _FRONT * Delta_u,
}
CORRECTED = {k: term for k, term in leapt(2, sp.Integer(0)).items() if k != "sharpness"}

STATEMENT = Statement(
    id="dfedalt.eq12",
    source=Source("dfedalt", "Equation (12)", "the term T_2,u"),
    algorithm="dfedalt",
    quantity=LEAP,
    versions={
        "printed": one_step_for_all(PRINTED, cases, causes=(LOST_SQUARE,)),
        "corrected": every_step(
            CORRECTED,
            cases,
            assumes=ONE_U_STEP,
            note="K_u^2 before the gradient",
            mends=(LOST_SQUARE,),
            last=(Check("tilted", cases.TILTED),),
        ),
    },
)
