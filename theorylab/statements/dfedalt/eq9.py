r"""Equations (9), (11): the term T_1,u, how far the local steps go from the average.

Printed, both sides over eta_u L_u^2/2, G = (1/m) sum_i E||grad_u F(u_i^t, V^{t+1})||^2 (T_3,u):

    (9)   (1/m) sum_i sum_k E||u_i^{t,k} - ubar^t||^2 <= 18 eta_u^2 K_u^2/(1-lambda)^2
                                                          [sigma_u^2 + delta^2 + G],
    (11)  the same with 2 E Delta_u for G, "assuming eta_u << (1-lambda)/(3 sqrt(2 K_u L_u))".

From equal starts with equal gradients g, and small steps, the left side is eta^2 g^2 sum_k k^2 ~
eta^2 g^2 K^3/3: (9) is false from K_u = 56 on, (11) from 110 on, by any factor, for any small step
size. (11) has dropped 2 L_u^2 D_t of (10) besides.

Corrected, any start and step size, every local step with a minibatch of its own (``_proof``):

    <= 2 K_u D_t + (1 + eta_u L_u)^{2K_u} eta_u^2 (2 K_u^3 (delta^2 + G) + 3 K_u^2 sigma_u^2).
"""

from __future__ import annotations

import sympy as sp

from theorylab.statements import Check, Source, Statement
from theorylab.statements.dfedalt import _instances as cases
from theorylab.statements.dfedalt._assumptions import FRESH, PAPER, TOGETHER
from theorylab.statements.dfedalt._causes import LOST_LOCAL
from theorylab.statements.dfedalt._proof import WANDER, wandered
from theorylab.statements.dfedalt._readings import every_step, one_step_for_all, with_ones
from theorylab.statements.dfedalt._symbols import Delta_u, G, K_u, delta, eta_u
from theorylab.statements.dfedalt._theorem1 import GAP, LETTER, S

_FRONT = 18 * eta_u**2 * K_u**2 / GAP
PRINTED: dict[str, sp.Expr] = {"noise and diversity": _FRONT * S, "T_3,u": _FRONT * G}
PRINTED_11: dict[str, sp.Expr] = {
    "noise and diversity": _FRONT * S,
    "Delta_u": 2 * _FRONT * Delta_u,
}
CORRECTED = wandered(sp.Integer(2), sp.Integer(3), delta**2 + G)

STATEMENT = Statement(
    id="dfedalt.eq9",
    source=Source("dfedalt", "Equations (9), (11)", "the term T_1,u"),
    algorithm="dfedalt",
    quantity=WANDER,
    versions={
        "printed": one_step_for_all(
            PRINTED,
            cases,
            note="(9); equal starts, eta_u <= (1-lambda)/(3 sqrt(2) K_u L_u)",
            causes=(LOST_LOCAL,),
        ),
        "printed/eq11": with_ones(
            PRINTED_11,
            {"many-steps": cases.MANY_STEPS},
            {"sin-sin": cases.SMALL_STEPS},
            assumes=(*LETTER, TOGETHER),
            note="(11), its cap to the letter",
            causes=(LOST_LOCAL,),
        ),
        "corrected": every_step(
            CORRECTED,
            cases,
            assumes=(*PAPER, FRESH),
            note="K_u^3, the disagreement itself",
            mends=(LOST_LOCAL,),
            last=(Check("tilted", cases.TILTED),),
        ),
    },
)
