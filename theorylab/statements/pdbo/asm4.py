r"""Assumption 4: the largest singular value of A-bar is smaller than one.

Printed (Section 4.1): "The largest singular value of A-bar is strictly smaller than one."

`printed`: A-bar is the Jacobian in y_i = (z_i, omega_i) (Section 2 and Eq. 8a). No instance of SGP,
Eq. (4a) or (4b), satisfies it (maps of A.1 that do not hand omega on may): omega's new value is E P
omega whatever z is, so A-bar is block triangular with the block (E P)^T, which has the eigenvalue 1
(columns of P sum to 1, Eq. 3); the largest singular value is at least the modulus of any
eigenvalue. I - A-bar is singular, and A.2's and A.3.2's inverse does not exist.

`printed/z` reads it on the z-components, on which the hypergradient lives (omega* does not depend
on lambda and no z-component of u is fed by an omega-component). Satisfiable, but it is more than
needed: on a directed network A-bar_zz can have ||A-bar_zz||_2 > 1 while the iteration converges.
`corrected` is what the series and the implicit function theorem need: rho(A-bar_zz) < 1.
"""

import sympy as sp

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version, Witness
from theorylab.statements.pdbo._assumption9 import SGP_MAPS
from theorylab.statements.pdbo._causes import OMEGA
from theorylab.statements.pdbo._instances import NOISY, STO_D, STO_U, place
from theorylab.statements.pdbo._symbols import norm_A, norm_A_full, omega_eigenvalue, radius_A

FULL = Assumption("Assumption 4: ||A-bar||_2 < 1", rule=norm_A_full < 1)
ON_Z = Assumption("Assumption 4, on z: ||A-bar_zz||_2 < 1", rule=norm_A < 1)
RADIUS = Assumption("corrected: rho(A-bar_zz) < 1", rule=radius_A < 1)
SINGULAR = Witness(
    breaks=FULL.name,
    facts=(
        Assumption("omega's block (E P)^T has the eigenvalue 1", rule=sp.Eq(omega_eigenvalue, 1)),
        Assumption("||A-bar||_2 >= its eigenvalue", rule=norm_A_full >= omega_eigenvalue),
    ),
    within=SGP_MAPS,
)
# Everyone hears client 0 well and 0 hears the others seldom: the norm is above 1, rho below.
_STAR = {
    "name": "edge-list",
    "edges": [
        *([i, i, 0.4] for i in (1, 2, 3)),
        *([i, 0, 0.6] for i in (1, 2, 3)),
        *([0, i, 0.1] for i in (1, 2, 3)),
        [0, 0, 0.7],
    ],
}
STAR = place({**NOISY, "clients": 4}, _STAR, "4b", 0.05)
ONE = {"one": sp.Integer(1)}

STATEMENT = Statement(
    id="pdbo.asm4",
    source=Source("pdbo", "Assumption 4", "the largest singular value of A-bar is below one"),
    experiment="pdbo-stationary",
    quantity=Quantity("norm_full", "rows", (0, 0), r"\|\bar A\|_2"),
    versions={
        "printed": Version(
            terms=ONE,
            assumes=(FULL,),
            unsatisfiable=SINGULAR,
            causes=(OMEGA,),
            note="for SGP, on y = (z, omega)",
            checks=(
                Check("sto-d-4b", place(NOISY, STO_D), "UNSATISFIABLE"),
                Check("sto-u-4a", place(NOISY, STO_U, "4a", 0.05), "UNSATISFIABLE"),
            ),
        ),
        "printed/z": Version(
            terms=ONE,
            assumes=(ON_Z,),
            quantity=Quantity("norm_z", "rows", (0, 0), r"\|\bar A_{zz}\|_2"),
            note="for SGP, on z",
            mends=(OMEGA,),
            checks=(
                Check("sto-d-4b", place(NOISY, STO_D)),
                Check("sto-u-4a", place(NOISY, STO_U, "4a", 0.05)),
                Check("star", STAR, "ASSUMPTION_FAILS"),
            ),
        ),
        "corrected": Version(
            terms=ONE,
            assumes=(RADIUS,),
            quantity=Quantity("radius_z", "rows", (0, 0), r"\rho(\bar A_{zz})"),
            note="for SGP, spectral radius on z",
            mends=(OMEGA,),
            checks=(
                Check("sto-d-4b", place(NOISY, STO_D)),
                Check("star", STAR),
            ),
        ),
    },
)
