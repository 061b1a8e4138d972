r"""A.2: the derivative of the stationary point.

Printed (Appendix A.2): d_lambda y* = d_lambda y* A-bar + B-bar, so "d_lambda y* = B-bar (I -
A-bar)^{-1}".

`printed`: for SGP, on y = (z, omega), I - A-bar is singular (``pdbo.asm4``), so the formula names
no matrix, and y* has no derivative before sum omega* is fixed. `printed/z`: on z, with omega*
fixed, it is the implicit function theorem, where rho(A-bar_zz) < 1 (or just 1 no eigenvalue):
checked on quadratics, where z* is affine in lambda and its difference quotient exact. A.2 sums
over j, which is also the index of lambda_j, and has d y_i* d_{y_i} phi_j for d y_k* d_{y_k} phi_k;
Appendix A.2's F is n Fbar.
"""

import sympy as sp

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version, Witness
from theorylab.statements.pdbo._assumption9 import SGP_MAPS
from theorylab.statements.pdbo._causes import OMEGA
from theorylab.statements.pdbo._instances import NOISY, STO_D, STO_U, place
from theorylab.statements.pdbo._symbols import omega_eigenvalue, solve_room
from theorylab.statements.pdbo.asm4 import RADIUS, STAR

_INVERTIBLE = Assumption("A.2: I - A-bar is invertible", rule=sp.Gt((1 - omega_eigenvalue) ** 2, 0))
_TERMS = {"rounding": 3 * solve_room}

STATEMENT = Statement(
    id="pdbo.appa2",
    source=Source("pdbo", "Appendix A.2", "the derivative of the stationary point"),
    experiment="pdbo-stationary",
    quantity=Quantity(
        "derivative", "rows", (0, 1), r"\|d_\lambda z^* - \bar B (I - \bar A)^{-1}\|_\infty"
    ),
    versions={
        "printed": Version(
            terms=_TERMS,
            assumes=(_INVERTIBLE,),
            unsatisfiable=Witness(
                breaks=_INVERTIBLE.name,
                facts=(
                    Assumption(
                        "omega's block (E P)^T has the eigenvalue 1",
                        rule=sp.Eq(omega_eigenvalue, 1),
                    ),
                ),
                within=SGP_MAPS,
            ),
            causes=(OMEGA,),
            note="for SGP, on y = (z, omega)",
            checks=(Check("sto-d", place(NOISY, STO_D), "UNSATISFIABLE"),),
        ),
        "printed/z": Version(
            terms=_TERMS,
            assumes=(RADIUS,),
            note="for SGP, on z, omega* fixed",
            mends=(OMEGA,),
            checks=(
                Check("sto-d", place(NOISY, STO_D)),
                Check("sto-u-4a", place(NOISY, STO_U, "4a", 0.05)),
                Check("star", STAR),
            ),
        ),
    },
)
