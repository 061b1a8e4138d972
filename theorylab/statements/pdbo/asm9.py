r"""Assumption 9: the Jacobians of every sample's maps are small.

Printed (Appendix C): "there are eta_A in (0, 1), eta_B in (0, infinity) such that
for all xi and all i, j,

    max{sup ||d_{y_i} g_i(y_i, lambda_i, xi)||_2, sup ||d_{y_j} h_j(y_j, lambda_j, xi)||_2}
        <= eta_A / (2 sum_{i,j} pbar_ji / dbar_{i->j}),

and the same for d_lambda with eta_B", suprema over y, lambda, xi; psi_i and phi_j are averages of
g_i and h_j (A.3), so it implies Assumption 8.

`printed`: "for some g_i [...] and h_j" (A.3), any: bounded ones satisfy it. `printed/sgp`: no
instance of SGP, Eq. (4a) or (4b), does, see ``_assumption9``: h_j hands omega_j on, sample by
sample; Theorem 1's fault, counted there. `printed/z` reads it, for SGP, on z and at y*, for the
samples at hand; what Assumption 8's docstring says of that holds.
"""

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.pdbo._assumption9 import BELOW_ONE, GENERAL, slope, witness
from theorylab.statements.pdbo._causes import OMEGA
from theorylab.statements.pdbo._instances import AVERAGING, NOISY, OPPOSED, STO_D, STO_U, place
from theorylab.statements.pdbo._symbols import eta_A, kappa, phi_slope_z

_GIVEN = {"constants": {"eta_A": 0.9}}
_ON_Z = Assumption(
    "Assumption 9, on z at y*: <= eta_A / (2 kappa)", rule=phi_slope_z <= eta_A / (2 * kappa)
)
_TERMS = {"(Assumption 9)": eta_A / (2 * kappa)}
# alpha_i H_i = omega_i = 1: one step of (4a) forgets z, and d_z phi = -+ noise.
_ONE_STEP = {**OPPOSED, "noise": 0.1}

STATEMENT = Statement(
    id="pdbo.asm9",
    source=Source("pdbo", "Assumption 9", "small Jacobians of every sample"),
    experiment="hgp-slopes",
    quantity=Quantity(
        "phi_slope",
        "rows",
        (0, 0),
        r"\max \|\partial_{\mathbf y} h_j\|_2, \|\partial_{\mathbf y} g_i\|_2",
    ),
    versions={
        "printed": Version(
            terms=_TERMS,
            assumes=(BELOW_ONE, slope(9)),
            note="any g_i, h_i, as A.3 has them",
            checks=(
                Check("bounded-maps", GENERAL),
                Check("too-steep-maps", {**GENERAL, "amplitude": 0.2}, "ASSUMPTION_FAILS"),
            ),
        ),
        "printed/sgp": Version(
            terms=_TERMS,
            assumes=(BELOW_ONE, slope(9)),
            unsatisfiable=witness(9),
            causes=(OMEGA,),
            note="for SGP, Eq. (4a)/(4b)",
            checks=(
                Check("4b", {**place(NOISY, STO_D), **_GIVEN}, "UNSATISFIABLE"),
                Check("4a", {**place(NOISY, STO_U, "4a", 0.05), **_GIVEN}, "UNSATISFIABLE"),
            ),
        ),
        "printed/z": Version(
            terms=_TERMS,
            assumes=(BELOW_ONE, _ON_Z),
            quantity=Quantity(
                "phi_slope_z",
                "rows",
                (0, 0),
                r"\max \|\partial_{\mathbf z} h_j\|_2, \|\partial_{\mathbf z} g_i\|_2",
            ),
            note="for SGP, on z and at y* alone",
            mends=(OMEGA,),
            checks=(
                Check("4b", {**place(NOISY, STO_D), **_GIVEN}, "ASSUMPTION_FAILS"),
                Check("one-step-4a", {**place(_ONE_STEP, AVERAGING, "4a", 1.0), **_GIVEN}),
            ),
        ),
    },
)
