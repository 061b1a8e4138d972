r"""Where (22) should stand: the u-step of DFedSalt by smoothness.

Printed (the first display of C.2.2, three times over; no display has the number 22), as (8):

    E[F(ubar^{t+1}, V^{t+1}) - F(ubar^t, V^{t+1})] <= -eta_u K_u/2 E Delta_u
        + eta_u L_u^2/(2m) sum_i sum_k E||u_i^{t,k} - ubar^t||^2 + L_u/2 E||ubar^{t+1} - ubar^t||^2.

SAM costs -eta <grad F, mean change>. Three clients with gradients .1, .1, -1: the mean is -.27, the
signs' mean +1/3; with rho = 2 a round goes uphill by .107 eta_u however small eta_u is. Nor does a
small rho help, as Theorem 2's O(1/sqrt T): with x and rho scaled alike and the losses' curvature as
it is, every term scales as rho^2. And with rho = eta_u = 1/sqrt T and gradients of the order rho
sqrt(eta_u) the left side is positive, of the order rho^2 eta_u^(3/2), the right side of the order
rho^2 eta_u^2: their ratio grows by 10^(1/2) with each decade of 1/rho, and is 75 at rho = .01, 4463
at 1e-6.

Corrected, with p_k the clients' average change in step k, draw by draw: ||p_k|| <= L_xi rho, the
noise stays that of the plain gradients, and -<g, h_k + p_k> <= (||g - h_k - p_k||^2 - ||g||^2)/2 <=
||g - h_k||^2 + L_xi^2 rho^2 - ||g||^2/2:

    <= -eta_u K_u/2 E Delta_u + eta_u L_u^2/m sum_i sum_k E||u_i^{t,k} - ubar^t||^2
       + eta_u K_u L_xi^2 rho^2 + L_u/2 E||ubar^{t+1} - ubar^t||^2.
"""

from __future__ import annotations

import sympy as sp

from theorylab.statements import Check, Source, Statement, Version
from theorylab.statements.dfedalt._assumptions import FRESH, PAPER, SAMPLES
from theorylab.statements.dfedalt._proof import U_STEP
from theorylab.statements.dfedalt._symbols import K_u, L_sample, eta_u
from theorylab.statements.dfedalt.eq8 import PRINTED
from theorylab.statements.dfedsalt import _instances as cases
from theorylab.statements.dfedsalt._causes import BIAS
from theorylab.statements.dfedsalt._symbols import rho

CORRECTED: dict[str, sp.Expr] = {
    "gain": PRINTED["gain"],
    "T_1,u": 2 * PRINTED["T_1,u"],
    "sharpness": eta_u * K_u * L_sample**2 * rho**2,
    "T_2,u": PRINTED["T_2,u"],
}

STATEMENT = Statement(
    id="dfedsalt.eq22",
    source=Source("dfedsalt", "Equation (22), unnumbered", "the u-step by smoothness, with SAM"),
    algorithm="dfedsalt",
    quantity=U_STEP,
    versions={
        "printed": Version(
            terms=PRINTED,
            assumes=(*PAPER, FRESH),
            causes=(BIAS,),
            checks=(
                Check("outvoted", cases.OUTVOTED, "VIOLATED"),
                Check("outvoted-over-radii", cases.OUTVOTED_LESS, "VIOLATED"),
                Check("sin-sin", cases.SINES),
                Check("many-steps", cases.MANY_STEPS),
            ),
        ),
        "corrected": Version(
            terms=CORRECTED,
            assumes=(*PAPER, FRESH, SAMPLES),
            note="SAM's bias",
            mends=(BIAS,),
            checks=(
                Check("outvoted", cases.OUTVOTED),
                Check("sin-sin", cases.SINES),
                Check("signs", cases.SIGNS),
                Check("many-steps", cases.MANY_STEPS),
            ),
        ),
    },
)
