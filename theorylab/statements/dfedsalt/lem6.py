r"""Lemma 6: how far apart the shared parts are in DFedSalt.

Printed (Assumptions 1-3):

    (1/m) sum_i E||u_i^t - ubar^t||^2 <= 6 eta_u^2 K_u/(1-lambda)^2 [ L_u^2 rho^2 + 3 K_u (sigma_u^2
        + delta^2 + (1/m) sum_i E||grad_u F(u_i^t, V^{t+1})||^2) ].

Readings. As Lemma 5's: `printed`, with starts as Algorithm 1 draws them, and `printed/together`.

From equal starts: two clients with minima at -+D, D << rho, are pulled apart by L (rho + D) in
every local step, and settle (lambda/(1-lambda)) eta K L (rho + D) apart from their average, if that
is below D: lambda^2 K_u/6 times the right side, by any factor, for any step size.

Corrected, as Lemma 5 (``dfedalt._disagreement``), with Lemma 4's corrected version; by the steps
and by the differences, q = lambda (1 + eta L_u)^K < 1 in the second:

    D_t <= ( lambda^t sqrt(D_0) + lambda/(1-lambda) sqrt(4 (1 + eta L_u)^{2K} eta^2
             (K^2 (delta^2 + L_xi^2 rho^2 + max_{j<t} G_j) + K sigma_u^2)) )^2,
    D_t <= ( q^t sqrt(D_0) + q/(1-q) sqrt(3 eta^2 (K^2 (delta^2 + L_xi^2 rho^2) + K sigma_u^2)) )^2.
"""

from __future__ import annotations

import sympy as sp

from theorylab.statements import Check, Source, Statement, Version
from theorylab.statements.dfedalt import _disagreement as alt
from theorylab.statements.dfedalt._assumptions import GRAPH, PAPER, SAMPLES, TOGETHER
from theorylab.statements.dfedalt._causes import STARTS
from theorylab.statements.dfedalt._readings import random_starts
from theorylab.statements.dfedalt._symbols import (
    G_past,
    K_u,
    L_sample,
    L_u,
    delta,
    eta_u,
    lam,
    sigma_u,
)
from theorylab.statements.dfedsalt import _instances as cases
from theorylab.statements.dfedsalt._causes import LOST_PRODUCT
from theorylab.statements.dfedsalt._symbols import rho

PRINTED: dict[str, sp.Expr] = {
    "sharpness": 6 * eta_u**2 * K_u / (1 - lam) ** 2 * L_u**2 * rho**2,
    **alt.PRINTED,  # 18 eta_u^2 K_u^2 (sigma_u^2 + delta^2 + G)/(1-lambda)^2
}
_FAR = delta**2 + L_sample**2 * rho**2
_NOISE = K_u * sigma_u**2
CORRECTED = alt.by_steps(4, K_u**2 * (_FAR + G_past) + _NOISE)
STEADY = alt.by_differences(3, K_u**2 * _FAR + _NOISE)

STATEMENT = Statement(
    id="dfedsalt.lem6",
    source=Source("dfedsalt", "Lemma 6", "disagreement of the shared parts with SAM"),
    algorithm="dfedsalt",
    quantity=alt.SPREAD,
    versions={
        "printed": random_starts(PRINTED, cases),
        "printed/together": Version(
            terms=PRINTED,
            assumes=(*PAPER, GRAPH, TOGETHER),
            note="all u_i^0 equal",
            causes=(LOST_PRODUCT,),
            mends=(STARTS,),
            checks=(
                Check("pulled-apart", cases.PULLED, "VIOLATED"),
                Check("sin-sin", cases.SINES),
                Check("signs", cases.TWO_ROUNDS),
            ),
        ),
        "corrected": Version(
            terms=CORRECTED,
            assumes=(*alt.STEPS_ASSUME, SAMPLES),
            note="any start, any step size, K_u^2 L_xi^2 rho^2",
            mends=(STARTS, LOST_PRODUCT),
            checks=(
                Check("starts-apart", cases.APART),
                Check("pulled-apart", cases.PULLED),
                Check("sin-sin", cases.SINES),
                Check("signs", cases.TWO_ROUNDS),
            ),
        ),
        "corrected/no-gradient": Version(
            terms=STEADY,
            assumes=(*alt.DIFFERENCES_ASSUME, SAMPLES),
            note="any start, lambda (1 + eta_u L_u)^K_u < 1",
            mends=(STARTS, LOST_PRODUCT),
            checks=(
                Check("starts-apart", cases.changed(cases.APART, eta_u=0.005)),
                Check("pulled-apart", cases.PULLED),
                Check("sin-sin", cases.SMALL_STEPS),
                Check("signs", cases.TWO_ROUNDS),
            ),
        ),
    },
)
