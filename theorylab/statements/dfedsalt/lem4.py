r"""Lemma 4: how far the shared steps of DFedSalt go.

Printed (Assumptions 1-3, k in {0, ..., K_u - 1}):

    (1/m) sum_i E||u_i^{t,k} - u_i^t||^2 <= 6 eta_u^2 K_u L_u^2 rho^2 + 18 eta_u^2 K_u^2 (sigma_u^2
        + delta^2 + (1/m) sum_i E||grad_u F(u_i^t, V^{t+1})||^2).

Readings. As Lemma 3's: no step size condition is printed; `printed/cap` takes Theorem 2's.

A client at distance D << rho from its minimum, eta K L (rho + D) <= D, feels L (rho + D) towards it
in every step, and moves k eta L (rho + D): (K-1)^2 L^2 rho^2 against 6 K L^2 rho^2, false from K_u
= 8 on, by any factor, for any step size. Without the cap Lemma 3's counterexample is one, too.

Corrected. As Lemma 3's, with ||grad_u F_i(u + eps; xi) - grad_u F_i(u; xi)|| <= L_xi rho for every
draw, where L_xi belongs to F_i(.; xi): Assumption 1, which the proof cites, is about F_i.

    a_k <= (1 + eta L_u)^k eta (k (delta + sqrt G + L_xi rho) + sigma_u sqrt k),
    a_k^2 <= 4 (1 + eta L_u)^{2k} eta^2 (k^2 (delta^2 + G + L_xi^2 rho^2) + k sigma_u^2).
"""

from __future__ import annotations

import sympy as sp

from theorylab.statements import Check, Source, Statement, Version
from theorylab.statements.dfedalt._assumptions import FRESH, PAPER, SAMPLES
from theorylab.statements.dfedalt._proof import DRIFT, walked
from theorylab.statements.dfedalt._symbols import K_u, L_sample, L_u, eta_u
from theorylab.statements.dfedalt.lem3 import CAP
from theorylab.statements.dfedalt.lem3 import PRINTED as PRINTED_3
from theorylab.statements.dfedsalt import _instances as cases
from theorylab.statements.dfedsalt._causes import LOST_PRODUCT
from theorylab.statements.dfedsalt._symbols import rho

_PRINTED: dict[str, sp.Expr] = {
    "sharpness": 6 * eta_u**2 * K_u * L_u**2 * rho**2,
    **PRINTED_3,  # 18 eta_u^2 K_u^2 (sigma_u^2 + delta^2 + G)
}
CORRECTED = walked(4, sharpness=L_sample**2 * rho**2)

STATEMENT = Statement(
    id="dfedsalt.lem4",
    source=Source("dfedsalt", "Lemma 4", "drift of the shared parts with SAM"),
    algorithm="dfedsalt",
    quantity=DRIFT,
    versions={
        "printed": Version(
            terms=_PRINTED,
            assumes=PAPER,
            note="no step size condition",
            causes=(LOST_PRODUCT,),
            checks=(
                Check("near-the-minimum", cases.NEAR, "VIOLATED"),
                Check("sin-sin", cases.SINES),
                Check("signs", cases.SIGNS),
            ),
        ),
        "printed/cap": Version(
            terms=_PRINTED,
            assumes=(*PAPER, CAP),
            note="eta_u <= (1-lambda)/(3 sqrt(2) K_u L_u)",
            causes=(LOST_PRODUCT,),
            checks=(
                Check("near-the-minimum", cases.NEAR, "VIOLATED"),
                Check("sin-sin", cases.changed(cases.SINES, eta_u=0.01)),
            ),
        ),
        "corrected": Version(
            terms=CORRECTED,
            assumes=(*PAPER, FRESH, SAMPLES),
            note="K_u^2 L_xi^2 rho^2, any step size",
            mends=(LOST_PRODUCT,),
            checks=(
                Check("near-the-minimum", cases.NEAR),
                Check("sin-sin", cases.SINES),
                Check("signs", cases.SIGNS),
                Check("state-noise", cases.STATE),
            ),
        ),
    },
)
