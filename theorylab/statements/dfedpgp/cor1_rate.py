r"""Corollary 1, Remark 3, abstract: the rate O(1/sqrt T); the bracket in m, K, L_u and 1/delta.

Judged as the growth, per decade of what is swept, of the left side over (4)'s bracket with its own
constants: at most 9/8 (1 in the limit; the rest is for what is transient). Swept: T over four
decades, m, K_u and K_v with T along, L_u, and 1/delta with T as delta^-2 and delta^-4. A control
that claims the bracket squared must fail. (What growth counts: ``cor1_growth``.)

z_i stands for u_i, and every step has a minibatch of its own: what the printed readings do to the
bracket is in ``cor1_growth``.
"""

from __future__ import annotations

import sympy as sp

from theorylab.statements._base import Check, Source, Statement, Version
from theorylab.statements._quantity import Quantity
from theorylab.statements.dfedpgp import _sweeps as made
from theorylab.statements.dfedpgp._theorem1 import BELOW, FRESH

STATEMENT = Statement(
    id="dfedpgp.cor1_rate",
    source=Source("dfedpgp", "Corollary 1, Remark 3", "the rate 1/sqrt T"),
    experiment="dfedpgp-growth",
    quantity=Quantity("growth", "rows", (0, 0), r"\text{growth of LHS}/[\cdot]\text{ per decade}"),
    versions={
        "printed": Version(
            terms={"bounded": sp.Rational(9, 8)},
            assumes=(FRESH, BELOW),
            note="z_i in Delta_v, a minibatch a step",
            checks=(
                Check("rounds", made.IN_T),
                Check("clients", made.IN_N),
                Check("head-steps", made.IN_K_V),
                Check("smoothness", made.IN_L_U),
                Check("body-steps", made.IN_K_U),
                Check("one-over-delta", made.IN_DELTA),
                Check("one-over-delta-late", made.IN_DELTA_LATE),
                Check("one-batch", made.IN_K_U_ONE_BATCH, "ASSUMPTION_FAILS"),
                Check("control-bracket-squared", made.IN_T_CONTROL, "VIOLATED", control=True),
            ),
        ),
    },
)
