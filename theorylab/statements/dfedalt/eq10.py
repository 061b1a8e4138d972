r"""Equations (10), (24): the term T_3,u, gradients at the clients' own u_i.

Printed: (1/m) sum_i E||grad_u F(u_i^t, V^{t+1})||^2 <= 2 L_u^2/m sum_i E||u_i^t - ubar^t||^2
+ 2 E Delta_u. (The line before has (2/m) sum_i E||grad_u F(ubar^t, V^{t+1})||^2, the same.)

True for every u_i: F(., V) is L_u-smooth as a mean of such, and ||a + b||^2 <= 2||a||^2 + 2||b||^2.
DFedSalt's (24) is the same display.
"""

from __future__ import annotations

import sympy as sp

from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedalt import _instances as cases
from theorylab.statements.dfedalt._assumptions import SMOOTH
from theorylab.statements.dfedalt._symbols import Delta_u, L_u, spread

PRINTED: dict[str, sp.Expr] = {"apart": 2 * L_u**2 * spread, "Delta_u": 2 * Delta_u}

STATEMENT = Statement(
    id="dfedalt.eq10",
    source=Source("dfedalt", "Equation (10)", "the term T_3,u"),
    algorithm="dfedalt",
    quantity=Quantity(
        "dfedalt.slope", "rows", (2, -2), r"\frac1m\sum_i E\|\nabla_u F(u_i^t,V^{t+1})\|^2"
    ),
    versions={
        "printed": Version(
            terms=PRINTED,
            assumes=(SMOOTH,),
            checks=(
                Check("sin-sin", cases.SINES),
                Check("signs", cases.SIGNS),
                Check("starts-apart", cases.APART),
                Check("opposed", cases.OPPOSED),
                Check("unstable", {**cases.UNSTABLE, "at": [1]}),
            ),
        ),
    },
)
