r"""Equation (33): what one round of DFedSalt changes, with all constants.

Printed, S = sigma_u^2 + delta^2:

    E[F(ubar^{t+1}, V^{t+1}) - F(ubar^t, V^t)] <=
        (eta_u/2 - eta_u K_u + 54 eta_u^3 K_u^3 L_u^2/(1-lambda)^2) E Delta_u
      + 5/2 eta_u^2 K_u L_u (L_u^2 rho^2 + S)
      + 3 eta_u K_u L_u^2/(2 (1-lambda)^2) (6 eta_u^2 K_u L_u^2 rho^2 + 18 eta_u^2 K_u^2 S)
      + (-eta_v K_v + 8 eta_v^2 K_v^2 (L_v + 1)) E Delta_v + 4 eta_v^2 K_v^2 sigma_v^2 (L_v + 1)
      + L_vu^2/(1-lambda)^2 [3 eta_u^2 K_u L_u^2 rho^2 + 9 eta_u^2 K_u^2 (S + 2 E Delta_u)].

It should be (27) + (32), and is not: (27) has -eta_u K_u/2 + 5/2 eta_u^2 K_u L_u + 18 eta_u^3 K_u^2
L_u^2 (1 + 5 eta_u K_u L_u)/(1-lambda)^2 before E Delta_u, and for the third line 3 eta_u^3 K_u
L_u^2 (1 + 5 eta_u K_u L_u)/(1-lambda)^2 [L_u^2 rho^2 + 3 K_u S].
That sum is `printed/eq27`. The caps are (19)'s letter and Lemma 2's.

The three clients of ``eq22`` go uphill by .107 eta_u, where (33) and (27) promise a descent by .035
eta_u, and so for every rho > 0 as x is scaled with it; as in (27) the ratio has no limit.

Corrected, for eta_u K_u L_u <= 1/3 and eta_v K_v L_v <= 1/4: the u-step with SAM and the v-step of
``dfedalt._descent``, which has their proofs.
"""

from __future__ import annotations

import sympy as sp

from theorylab.statements import Check, Source, Statement, Version
from theorylab.statements.dfedalt._assumptions import SAMPLES
from theorylab.statements.dfedalt._descent import V_STEP as V_CORRECTED
from theorylab.statements.dfedalt._descent import step_assumes
from theorylab.statements.dfedalt._readings import with_ones
from theorylab.statements.dfedalt._symbols import Delta_u, K_u, L_u, eta_u
from theorylab.statements.dfedalt._theorem1 import (
    DESCENT,
    GAP,
    HEAD_CAP,
    LETTER,
    V_STEP,
    R,
    S,
)
from theorylab.statements.dfedsalt import _instances as cases
from theorylab.statements.dfedsalt._causes import BIAS
from theorylab.statements.dfedsalt.eq27 import CORRECTED as U_CORRECTED
from theorylab.statements.dfedsalt.eq27 import NOISE, SHARP
from theorylab.statements.dfedsalt.eq27 import PRINTED as U_PRINTED
from theorylab.statements.dfedsalt.eq32 import V_APART

PRINTED: dict[str, sp.Expr] = {
    "u gain": (eta_u / 2 - eta_u * K_u + 54 * eta_u**3 * K_u**3 * L_u**2 / GAP) * Delta_u,
    "u noise": NOISE,
    "consensus": R(3, 2)
    * eta_u
    * K_u
    * L_u**2
    / GAP
    * (6 * eta_u**2 * K_u * SHARP + 18 * eta_u**2 * K_u**2 * S),
    **V_STEP,
    **V_APART,
}
EQ27 = {**U_PRINTED, **V_STEP, **V_APART}
CORRECTED = {**U_CORRECTED, **V_CORRECTED}
_ASSUMES = (*LETTER, HEAD_CAP)
_PLACES = (  # false, true
    {"outvoted": cases.OUTVOTED, "outvoted-over-radii": cases.OUTVOTED_MORE},
    {"signs": cases.SMALL_SIGNS},
)

STATEMENT = Statement(
    id="dfedsalt.eq33",
    source=Source("dfedsalt", "Equation (33)", "one round of DFedSalt"),
    algorithm="dfedsalt",
    quantity=DESCENT,
    versions={
        "printed": with_ones(PRINTED, *_PLACES, assumes=_ASSUMES, causes=(BIAS,)),
        "printed/eq27": with_ones(
            EQ27, *_PLACES, assumes=_ASSUMES, note="(27) + (32)", causes=(BIAS,)
        ),
        "corrected": Version(
            terms=CORRECTED,
            assumes=(*step_assumes(sam=True), SAMPLES),
            note="SAM's bias, every K_u in its place",
            mends=(BIAS,),
            checks=(
                Check("outvoted", cases.OUTVOTED),
                Check("sin-sin", cases.SMALL_STEPS),
                Check("signs", cases.SMALL_SIGNS),
                Check("near-the-minimum", cases.NEAR),
            ),
        ),
    },
)
