r"""Equations (23), (25): the term T_1,u of DFedSalt.

Printed, both sides over eta_u L_u^2/2, G = (1/m) sum_i E||grad_u F(u_i^t, V^{t+1})||^2:

    (23)  (1/m) sum_i sum_k E||u_i^{t,k} - ubar^t||^2 <= 6 eta_u^2 K_u/(1-lambda)^2
              [L_u^2 rho^2 + 3 K_u (sigma_u^2 + delta^2 + G)],
    (25)  the same with 2 E Delta_u for G, its cap as (11)'s.

As in (9) and (11), Lemma 6 bounds u_i^t, not u_i^{t,k}, and there are K_u of these; a factor K_u is
missing before the gradient, and two before rho^2, of which Lemma 4 misses one.

Corrected, any start and step size (``dfedalt._proof`` with Lemma 4's corrected version):

    <= 2 K_u D_t + (1 + eta_u L_u)^{2K_u} eta_u^2 (8/3 K_u^3 (delta^2 + G + L_xi^2 rho^2)
                                                   + 4 K_u^2 sigma_u^2).
"""

from __future__ import annotations

import sympy as sp

from theorylab.statements import Check, Source, Statement
from theorylab.statements.dfedalt._assumptions import FRESH, PAPER, SAMPLES, TOGETHER
from theorylab.statements.dfedalt._causes import LOST_LOCAL
from theorylab.statements.dfedalt._proof import WANDER, wandered
from theorylab.statements.dfedalt._readings import every_step, one_step_for_all, with_ones
from theorylab.statements.dfedalt._symbols import Delta_u, G, K_u, L_sample, L_u, delta, eta_u
from theorylab.statements.dfedalt._theorem1 import GAP, LETTER, R, S
from theorylab.statements.dfedsalt import _instances as cases
from theorylab.statements.dfedsalt._causes import LOST_PRODUCT
from theorylab.statements.dfedsalt._symbols import rho

_FRONT = 6 * eta_u**2 * K_u / GAP
_START: dict[str, sp.Expr] = {
    "sharpness": _FRONT * L_u**2 * rho**2,
    "noise and diversity": 3 * _FRONT * K_u * S,
}
PRINTED = {**_START, "T_3,u": 3 * _FRONT * K_u * G}
PRINTED_25 = {**_START, "Delta_u": 6 * _FRONT * K_u * Delta_u}
CORRECTED = wandered(R(8, 3), sp.Integer(4), delta**2 + G + L_sample**2 * rho**2)

STATEMENT = Statement(
    id="dfedsalt.eq23",
    source=Source("dfedsalt", "Equations (23), (25)", "the term T_1,u with SAM"),
    algorithm="dfedsalt",
    quantity=WANDER,
    versions={
        "printed": one_step_for_all(
            PRINTED,
            cases,
            Check("near-the-minimum", cases.NEAR, "VIOLATED"),
            note="(23); equal starts, eta_u <= (1-lambda)/(3 sqrt(2) K_u L_u)",
            causes=(LOST_LOCAL, LOST_PRODUCT),
        ),
        "printed/eq25": with_ones(
            PRINTED_25,
            {"many-steps": cases.MANY_STEPS},
            {"sin-sin": cases.SMALL_STEPS},
            assumes=(*LETTER, TOGETHER),
            note="(25), its cap to the letter",
            causes=(LOST_LOCAL,),
        ),
        "corrected": every_step(
            CORRECTED,
            cases,
            Check("near-the-minimum", cases.NEAR),
            assumes=(*PAPER, FRESH, SAMPLES),
            note="K_u^3, the disagreement itself",
            mends=(LOST_LOCAL, LOST_PRODUCT),
        ),
    },
)
