r"""Remark 3: "when L_u is large, O(1/T + 1/sqrt(T^3)) can be neglected compared to O(1/sqrt T)".

Judged as the growth per decade of L_u of what sigma_2^2/T + sigma_3^2/T^{3/2} is of the whole
bracket (4): below 1, so that the share vanishes. `printed`: all else fixed. True where the part
with 1/sqrt T does not vanish itself, by (F(1) - F^*) or (1+L_v) sigma_v^2; false between the terms
with sigma_u alone: sigma_2^2/T is C^2 K_u/((1-q)^2 sqrt T) of sigma_u^2/(K_u L_u sqrt T), for every
L_u. `printed/diverse`: losses that differ, L_u/2 ||u - a_i||^2, whose sigma_g is L_u times a
distance. Then sigma_g^2/L_u and F(1) - F^* both grow as L_u, so the share tends to a positive
number: false. It is T that makes the terms negligible, not L_u.

The rate O(1/sqrt T) is ``cor1_rate``; that [47, 52] have it too is about other papers.
"""

from __future__ import annotations

import sympy as sp

from theorylab.statements._base import Assumption, Check, Source, Statement, Version
from theorylab.statements._quantity import Quantity
from theorylab.statements.dfedpgp import _sweeps as made
from theorylab.statements.dfedpgp._symbols import steady

STATEMENT = Statement(
    id="dfedpgp.rem3",
    source=Source("dfedpgp", "Remark 3", "the terms in 1/T and 1/T^{3/2} for large L_u"),
    experiment="dfedpgp-growth",
    quantity=Quantity("share", "rows", (0, 0), r"\text{growth of their share per decade of }L_u"),
    versions={
        "printed": Version(
            terms={"vanishes": sp.Rational(9, 10)},
            assumes=(Assumption("sigma_u, sigma_g, sigma_v fixed", rule=sp.Eq(steady, 1)),),
            note="sigma_u, sigma_g, sigma_v fixed",
            checks=(
                Check("smoothness", made.SHARE, "HOLDS"),
                Check("noise-of-u-alone", made.SHARE_ALONE, "VIOLATED"),
                Check("diverse", made.SHARE_DIVERSE, "ASSUMPTION_FAILS"),
            ),
        ),
        "printed/diverse": Version(
            terms={"vanishes": sp.Rational(9, 10)},
            assumes=(),
            note="sigma_g grows with L_u",
            checks=(Check("smoothness", made.SHARE_DIVERSE, "VIOLATED"),),
        ),
    },
)
