r"""Assumption 8: the Jacobians of the local maps are small.

Printed (Section 4.2): "there are eta_A in (0, 1), eta_B in (0, infinity) such
that for all y_i, lambda_i, zeta_i and all i,

    max{||d_{y_i} psi_i||_2, ||d_{y_i} phi_i||_2} <= eta_A / (2 kappa),
    max{||d_{lambda_i} psi_i||_2, ||d_{lambda_i} phi_i||_2} <= eta_B / (2 kappa)               (14)

where kappa = sum_{i,j} pbar_ji / delta_{i->j}" (read with dbar_{i->j}, as Eq. 34).

`printed`: of the maps of Section 2 and A.1, any R^{d_y} -> R^{d_y}: bounded ones satisfy it.
`printed/sgp`: no instance of SGP, Eq. (4a) or (4b), does, see ``_assumption9``: the fault that
makes Theorem 1 empty, counted there. `printed/z` reads the first line, for SGP, on z alone and at
y* alone. Still void for Eq. (4b), where d_z phi_i = I. Eq. (4a) has d_z phi_i = I -
(alpha_i/omega_i) H_i, which is small only where every eigenvalue of alpha_i H_i is near omega_i,
within 1/(2n); even then not "for all y_i": with x_i = z_i / omega_i fixed and omega_i growing its
norm tends to 1.

The second line is not judged. On the quadratics here d_lambda phi, d_lambda psi are constant and a
large eta_B meets it; not so in general: with a regularisation rate as hyperparameter they grow
with x_i, and no finite eta_B serves "for all y_i".
"""

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.pdbo._assumption9 import BELOW_ONE, GENERAL, slope, witness
from theorylab.statements.pdbo._causes import OMEGA
from theorylab.statements.pdbo._instances import AVERAGING, NOISY, OPPOSED, STO_D, STO_U, place
from theorylab.statements.pdbo._symbols import eta_A, kappa, phi_slope_z

_GIVEN = {"constants": {"eta_A": 0.9}}
_ON_Z = Assumption(
    "Assumption 8, on z at y*: <= eta_A / (2 kappa)", rule=phi_slope_z <= eta_A / (2 * kappa)
)
_TERMS = {"(14)": eta_A / (2 * kappa)}
# alpha_i H_i = omega_i = 1: one step of (4a) forgets z, and d_z phi = -+ noise.
_ONE_STEP = {**OPPOSED, "noise": 0.1}

STATEMENT = Statement(
    id="pdbo.asm8",
    source=Source("pdbo", "Assumption 8", "small Jacobians of phi and psi"),
    experiment="hgp-slopes",
    quantity=Quantity(
        "phi_slope",
        "rows",
        (0, 0),
        r"\max \|\partial_{\mathbf y} \varphi_i\|_2, \|\partial_{\mathbf y} \psi_i\|_2",
    ),
    versions={
        "printed": Version(
            terms=_TERMS,
            assumes=(BELOW_ONE, slope(8)),
            note="any phi_i, psi_i, as Section 2 and A.1 have them",
            checks=(
                Check("bounded-maps", GENERAL),
                Check("too-steep-maps", {**GENERAL, "amplitude": 0.2}, "ASSUMPTION_FAILS"),
            ),
        ),
        "printed/sgp": Version(
            terms=_TERMS,
            assumes=(BELOW_ONE, slope(8)),
            unsatisfiable=witness(8),
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
                r"\max \|\partial_{\mathbf z} \varphi_i\|_2, \|\partial_{\mathbf z} \psi_i\|_2",
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
