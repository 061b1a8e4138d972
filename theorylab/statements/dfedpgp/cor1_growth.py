r"""Corollary 1's bracket at its extremes: the left side over it must stay bounded.

`printed`: (4) to the letter. It does not stay bounded:
 1. K_u -> infinity, one minibatch a round (Algorithm 1, line 4). One client, L_u/2 u^2, additive
    noise, from the optimum: a round is u -> a u - (1-a) xi/L_u, a = (1 - eta L_u)^{K_u}, with one
    xi, so E Delta_u/L_u tends to (1-a)/(1+a) sigma_u^2/L_u, about sigma_u^2/(2 L_u sqrt T) for
    every K_u; C = q = 0, and the bracket is sigma_u^2/(K_u L_u sqrt T) + O(K_u/T): along T = K_u^4
    the ratio is at least const K_u.
 2. L_v -> 0. One client, L_v/2 v^2 from the optimum: E Delta_v/L_v tends to eta_v sigma_v^2/(2 -
    eta_v L_v), about sigma_v^2/(2 L_v sqrt T) (K_v = 1), the bracket to (1 + L_v) sigma_v^2/sqrt T:
    along T = L_v^-2 the ratio grows as 1/L_v. 1 + L_v adds numbers of different units.
 3. T -> infinity with mu_i != 1: grad_v F_i is taken at u_i = mu_i z_i in Delta_v, so at the
    stationary point of ``thm1``'s check the left side is a positive number for ever.

`printed/theorem`: Theorem 1, whose (3) is the same bracket for all 0 < eta_u < delta/(4 sqrt(2 L_u
K_u)):
 4. eta = c/(L K T) is below the cap, and the iterates move by O(1) factors in T rounds: the left
    side tends to a positive number, while without noise (3) is O(1/sqrt T).
 5. The cap's units: with L_u K_u > 128 it allows eta_u > 2/L_u, where gradient descent diverges.

Judged as growth per decade, at most 9/8 claimed; the argument gives 10, 10, at least sqrt 10,
sqrt 10 and exponential growth. `corrected`: cor1's, whose bracket has sigma_v^2/(L_v K_v) for (1 +
L_v) sigma_v^2, the heads' gradient at ubar and a minibatch a step; its ratio is bounded by cor1.
"""

from __future__ import annotations

import sympy as sp

from theorylab.statements._base import Check, Source, Statement, Version
from theorylab.statements._quantity import Quantity
from theorylab.statements.dfedpgp import _sweeps as made

_BOUNDED = {"bounded": sp.Rational(9, 8)}

STATEMENT = Statement(
    id="dfedpgp.cor1_growth",
    source=Source("dfedpgp", "Corollary 1, Theorem 1", "the bracket at its extremes"),
    experiment="dfedpgp-growth",
    quantity=Quantity("growth", "rows", (0, 0), r"\text{growth of LHS}/[\cdot]\text{ per decade}"),
    versions={
        "printed": Version(
            terms=_BOUNDED,
            assumes=(),
            note="to the letter",
            checks=(
                Check("body-steps-one-batch", made.IN_K_U_ONE_BATCH, "VIOLATED"),
                Check("flat-heads", made.IN_L_V, "VIOLATED"),
                Check("biased", made.BIASED, "VIOLATED"),
            ),
        ),
        "printed/theorem": Version(
            terms=_BOUNDED,
            assumes=(),
            note="(3) for every step size below its cap",
            checks=(
                Check("vanishing-steps", made.VANISHING, "VIOLATED"),
                Check("at-the-cap", made.AT_THE_CAP, "VIOLATED"),
            ),
        ),
        "corrected": Version(
            terms=_BOUNDED,
            assumes=(),
            note="cor1's bracket",
            checks=(
                Check("rounds", {**made.IN_T, "bracket": "corrected"}),
                Check("flat-heads", {**made.IN_L_V, "bracket": "corrected"}),
                Check("body-steps", {**made.IN_K_U, "bracket": "corrected"}),
                Check("smoothness", {**made.IN_L_U, "bracket": "corrected"}),
            ),
        ),
    },
)
