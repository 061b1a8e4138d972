r"""Equations (16), (30): the term T_2,v, how far the personal parts move.

Printed, both sides over L_v/2:

    (1/m) sum_i E||v_i^{t+1} - v_i^t||^2 <= 16 eta_v^2 K_v^2 E Delta_v + 8 eta_v^2 K_v^2 sigma_v^2.

"According to Lemma 2", at v^{K_v} where that has v^{K_v-1}. True under its step size and with one
minibatch a step: ``lem2`` [printed/last], averaged over the clients. DFedSalt's (30) is the same.
"""

from __future__ import annotations

import sympy as sp

from theorylab.statements import Check, Source, Statement, Version
from theorylab.statements.dfedalt import _instances as cases
from theorylab.statements.dfedalt._assumptions import FRESH, SMOOTH, VARIANCE
from theorylab.statements.dfedalt._proof import HEAD_LEAP
from theorylab.statements.dfedalt._symbols import Delta_v, K_v, eta_v, sigma_v
from theorylab.statements.dfedalt._theorem1 import HEAD_CAP

PRINTED: dict[str, sp.Expr] = {
    "gradient": 16 * eta_v**2 * K_v**2 * Delta_v,
    "noise": 8 * eta_v**2 * K_v**2 * sigma_v**2,
}

STATEMENT = Statement(
    id="dfedalt.eq16",
    source=Source("dfedalt", "Equation (16)", "the term T_2,v"),
    algorithm="dfedalt",
    quantity=HEAD_LEAP,
    versions={
        "printed": Version(
            terms=PRINTED,
            assumes=(SMOOTH, VARIANCE, FRESH, HEAD_CAP),
            checks=(
                Check("sin-sin", cases.SINES),
                Check("signs", cases.SIGNS),
                Check("steep-heads", cases.STEEP_HEADS),
                Check("opposed", cases.OPPOSED),
            ),
        ),
    },
)
