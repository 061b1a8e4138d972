r"""Equation (27): the u-step of DFedSalt, with all constants.

Printed, S = sigma_u^2 + delta^2:

    E[F(ubar^{t+1}, V^{t+1}) - F(ubar^t, V^{t+1})] <= (-eta_u K_u/2 + 5/2 eta_u^2 K_u L_u
        + 18 eta_u^3 K_u^2 L_u^2 (1 + 5 eta_u K_u L_u)/(1-lambda)^2) E Delta_u
      + 3 eta_u^3 K_u L_u^2/(1-lambda)^2 [L_u^2 rho^2 + 3 K_u S]
      + 5/2 eta_u^2 K_u L_u (L_u^2 rho^2 + S)
      + 15 eta_u^4 K_u^2 L_u^3/(1-lambda)^2 [L_u^2 rho^2 + 3 K_u S].

It is the sum of (22), (25), (26) and Lemma 6 in (26)'s last term.

The three clients of ``eq22`` go uphill, for every rho > 0 as x is scaled with it. With rho = eta_u
= 1/sqrt T the ratio grows by 10^(1/2) with each decade of 1/rho, and is 498 at 1e-6. Corrected,
eta_u K_u L_u <= 1/3: the u-step of ``dfedalt._descent``.
"""

from __future__ import annotations

import sympy as sp

from theorylab.statements import Check, Source, Statement, Version
from theorylab.statements.dfedalt._assumptions import SAMPLES
from theorylab.statements.dfedalt._descent import CAP_U_SAM, u_step
from theorylab.statements.dfedalt._proof import ONE_U_STEP, U_STEP
from theorylab.statements.dfedalt._readings import with_ones
from theorylab.statements.dfedalt._symbols import Delta_u, K_u, L_u, eta_u
from theorylab.statements.dfedalt._theorem1 import GAP, R, S
from theorylab.statements.dfedsalt import _instances as cases
from theorylab.statements.dfedsalt._causes import BIAS
from theorylab.statements.dfedsalt._symbols import rho

SHARP = L_u**2 * rho**2
NOISE = R(5, 2) * eta_u**2 * K_u * L_u * (SHARP + S)
_BRACKET = SHARP + 3 * K_u * S
PRINTED: dict[str, sp.Expr] = {
    "u gain": (
        -eta_u * K_u / 2
        + R(5, 2) * eta_u**2 * K_u * L_u
        + 18 * eta_u**3 * K_u**2 * L_u**2 * (1 + 5 * eta_u * K_u * L_u) / GAP
    )
    * Delta_u,
    "u noise": NOISE,
    "consensus": 3 * eta_u**3 * K_u * L_u**2 / GAP * _BRACKET,
    "consensus 2": 15 * eta_u**4 * K_u**2 * L_u**3 / GAP * _BRACKET,
}
CORRECTED = u_step(sam=True)

STATEMENT = Statement(
    id="dfedsalt.eq27",
    source=Source("dfedsalt", "Equation (27)", "the u-step of DFedSalt"),
    algorithm="dfedsalt",
    quantity=U_STEP,
    versions={
        "printed": with_ones(
            PRINTED,
            {"outvoted": cases.OUTVOTED, "outvoted-over-radii": cases.OUTVOTED_MORE},
            {"signs": cases.SMALL_SIGNS},
            note="eta_u <= (1-lambda)/(3 sqrt(2 K_u L_u))",
            causes=(BIAS,),
        ),
        "corrected": Version(
            terms=CORRECTED,
            assumes=(*ONE_U_STEP, SAMPLES, CAP_U_SAM),
            note="SAM's bias, every K_u in its place",
            mends=(BIAS,),
            checks=(
                Check("outvoted", cases.OUTVOTED),
                Check("sin-sin", cases.SMALL_STEPS),
                Check("signs", cases.SMALL_SIGNS),
                Check("near-the-minimum", cases.NEAR),
                Check("many-steps", cases.MANY_STEPS),
            ),
        ),
    },
)
