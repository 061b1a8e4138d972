r"""Remark 3: "when L_u is large, O(1/T + 1/sqrt(T^3)) can be neglected compared to O(1/sqrt T)".

Judged as the growth of what sigma_2^2/T + sigma_3^2/T^{3/2} is of the whole bracket (4), per decade
of T and of L_u: below 1, so that the share vanishes. Along T it falls as 1/sqrt T or faster, with
or without noise and diversity: the remark is true for large T, as its first sentence on O(1/sqrt T)
is meant. Along L_u, T and all else fixed, it falls where the part with 1/sqrt T does not vanish
itself, by (F(1) - F^*) or (1+L_v) sigma_v^2.

Two exceptions, where L_u alone changes nothing. Noise of u alone, sigma_v = 0, from the optimum:
sigma_2^2/T is C^2 K_u/((1-q)^2 sqrt T) of sigma_u^2/(K_u L_u sqrt T), for every L_u (the control).
Losses that differ, L_u/2 ||u - a_i||^2, whose sigma_g is L_u times a distance: sigma_g^2/L_u and
F(1) - F^* both grow as L_u, so the share tends to a positive number ("diverse", along L_u, is no
instance of fixed sigmas). It is T that makes the terms negligible.

The rate O(1/sqrt T) is ``cor1_rate``; that [47, 52] have it too is about other papers.
"""

import sympy as sp

from theorylab.statements import Check, Order, Source, Statement, Version
from theorylab.statements.dfedpgp import _instances as cases
from theorylab.statements.dfedpgp._orders import CHOSEN, LATE, PRINTED
from theorylab.statements.dfedpgp._symbols import sigma_g, sigma_u, sigma_v
from theorylab.statements.dfedpgp._theorem1 import DEBIASED, NETWORK_S

STATEMENT = Statement(
    id="dfedpgp.rem3",
    source=Source("dfedpgp", "Remark 3", "the terms in 1/T and 1/T^{3/2} for large L_u"),
    algorithm="dfedpgp",
    quantity=DEBIASED,
    versions={
        "printed": Version(
            terms={"vanishes": sp.Rational(9, 10)},
            assumes=CHOSEN,
            order=Order(PRINTED, (sigma_u, sigma_g, sigma_v), left=LATE),
            constants=NETWORK_S,
            note="for large T; L_u alone does not do it for noise of u alone, or sigma_g ~ L_u",
            checks=(
                Check("rounds", cases.SHARE_IN_T, "HOLDS"),
                Check("rounds-noise-of-u-alone", cases.SHARE_ALONE_IN_T, "HOLDS"),
                Check("smoothness", cases.SHARE, "HOLDS"),
                Check("noise-of-u-alone", cases.SHARE_ALONE, "VIOLATED", control=True),
                Check("diverse", cases.SHARE_DIVERSE, "ASSUMPTION_FAILS"),
            ),
        ),
    },
)
