r"""Equations (15), (29): the term T_1,v, what the personal steps gain at the average.

Printed:

    (1/m) sum_i E<grad_v F_i(ubar^t, v_i^t), v_i^{t+1} - v_i^t> <= -eta_v K_v E Delta_v
        + L_vu^2/(2m) sum_i E||ubar^t - u_i^t||^2 + 1/(2m) sum_i E||v_i^{t+1} - v_i^t||^2.

The last factor of the first line is -eta_v sum_k E grad_v F_i(u_i^t, v_i^t; xi_i). The halves of
<x, y> <= (||x||^2 + ||y||^2)/2 add squares of different units (``unit``, as in (19)).

F_i = v^2/2 at Lemma 2's cap, eta_v = 1/(2 K_v): v goes 1 - (1 - 1/(2K))^K of the way, .39 and not
.5, so the left side is -.39 v^2 and the right one (-.5 + .39^2/2) v^2 = -.42 v^2. No constant is
other than 1 there. F_i = L_v v^2/2, K_v = 2: the left side is -eta g^2 (2 - eta L_v), the right
side at most -2 eta g^2 + eta^2 g^2 2: false for L_v > 2, whatever eta_v is. In other units L_v is
any number: with a factor in place of 1 that goes with the units it is false, or vacuous.

Corrected, for any step size, one minibatch a step: with b_0, h_k the gradients at (ubar, v^0) and
(u_i, v^k), -<b_0, h_k> = -<h_0, h_k> - <b_0 - h_0, h_k> <= (-||h_0||^2 + ||h_k - h_0||^2 +
||b_0 - h_0||^2)/2, and Lemma 2's corrected version for ||h_k - h_0|| <= L_v ||v^k - v^0||:

    <= -eta_v K_v/2 E Delta_v + eta_v K_v L_vu^2/2 D_t
       + (1 + eta_v L_v)^{2K_v} eta_v^3 K_v^2 L_v^2 (K_v E Delta_v/3 + sigma_v^2/2).
"""

from __future__ import annotations

import sympy as sp

from theorylab.statements._base import Check, Source, Statement, Version
from theorylab.statements._quantity import Quantity
from theorylab.statements.dfedalt._assumptions import FRESH, SMOOTH, VARIANCE
from theorylab.statements.dfedalt._causes import FIRST_HEADS, UNITS
from theorylab.statements.dfedalt._instances import (
    APART,
    HEADS_AT_CAP,
    OPPOSED,
    SIGNS,
    SINES,
    STEEP_HEADS,
    changed,
)
from theorylab.statements.dfedalt._symbols import (
    Delta_v,
    K_v,
    L_v,
    L_vu,
    eta_v,
    head_leap,
    sigma_v,
    spread,
    unit,
)
from theorylab.statements.dfedalt._theorem1 import HEAD_CAP, ONE

PRINTED: dict[str, sp.Expr] = {
    "gain": -eta_v * K_v * Delta_v,
    "T_3,v": L_vu**2 / (2 * unit) * spread,
    "T_2,v": unit / 2 * head_leap,
}
_GROWN = (1 + eta_v * L_v) ** (2 * K_v) * eta_v**3 * K_v**2 * L_v**2
CORRECTED: dict[str, sp.Expr] = {
    "gain": -eta_v * K_v / 2 * Delta_v,
    "apart": eta_v * K_v * L_vu**2 / 2 * spread,
    "drift": _GROWN * K_v * Delta_v / 3,
    "noise": _GROWN * sigma_v**2 / 2,
}

STATEMENT = Statement(
    id="dfedalt.eq15",
    source=Source("dfedalt", "Equation (15)", "the term T_1,v"),
    algorithm="dfedalt",
    quantity=Quantity(
        "dfedalt.head_push",
        "rows",
        (1, 0),
        r"\frac1m\sum_i E\langle\nabla_v F_i(\bar u^t,v_i^t),v_i^{t+1}-v_i^t\rangle",
    ),
    versions={
        "printed": Version(
            terms=PRINTED,
            assumes=(SMOOTH, VARIANCE, FRESH, HEAD_CAP),
            causes=(FIRST_HEADS, UNITS),
            checks=(
                Check(
                    "steps-at-the-cap", {**HEADS_AT_CAP, **ONE}, "VIOLATED", causes=(FIRST_HEADS,)
                ),
                Check(
                    "steep-heads",
                    {**STEEP_HEADS, **ONE},
                    "VIOLATED",
                    carries="L_v = 10, K_v = 2",
                ),
                Check("one-step", {**changed(STEEP_HEADS, steps_v=1), **ONE}),
            ),
        ),
        "corrected": Version(
            terms=CORRECTED,
            assumes=(SMOOTH, VARIANCE, FRESH),
            note="half of the gain, natural units, any step size",
            mends=(FIRST_HEADS, UNITS),
            checks=(
                Check("steps-at-the-cap", HEADS_AT_CAP),
                Check("steep-heads", STEEP_HEADS),
                Check("sin-sin", SINES),
                Check("signs", SIGNS),
                Check("starts-apart", APART),
                Check("opposed", OPPOSED),
            ),
        ),
    },
)
