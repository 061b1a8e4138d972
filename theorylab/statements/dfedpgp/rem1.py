r"""Remark 1: "more local update steps K_u accelerate the convergence".

"It also shows that": what shows it is Corollary 1's bound, so the remark is judged as the growth,
per decade of K_u, of (4) with (5) over the same at K_u = 1, all else fixed, C and q those of the
network: at most 1. True: K_u stands below sigma_u^2 + sigma_g^2 in sigma_1^2 and sigma_3^2, and
nowhere else. (With (14)'s C and q, which grow with K_u, it would be false; see ``lem3``.)

No window speaks against it: F(ubar^1, V^1) moves with K_u (for steps above 1/L_u it may grow faster
than the rest falls), and a sweep may move other things, or make K_u fall.

It is a statement about a bound, not about runs: at Corollary 1's step sizes eta_u K_u does not
depend on K_u, so K_u steps go as far as one, or a little less, (1 - x/K)^K >= 1 - x for L_u/2 u^2;
a minibatch a step divides the noise by K_u, and one minibatch a round (Algorithm 1, line 4) is one
noise, of the same size for every K_u, so that the left side passes any multiple of the bound as K_u
grows (``cor1_growth``, body-steps-one-batch).

The rest is in words, or hangs on the bracket by inspection; but the "gradient bounded B" that is
said to slow convergence down stands nowhere in the paper (nor does an Assumption 5).
"""

import sympy as sp

from theorylab.statements import Check, Order, Source, Statement, Version
from theorylab.statements.dfedpgp import _instances as cases
from theorylab.statements.dfedpgp._orders import CHOSEN, PRINTED
from theorylab.statements.dfedpgp._symbols import K_u
from theorylab.statements.dfedpgp._theorem1 import DEBIASED, NETWORK_S

STATEMENT = Statement(
    id="dfedpgp.rem1",
    source=Source("dfedpgp", "Remark 1", "more local steps accelerate the convergence"),
    algorithm="dfedpgp",
    quantity=DEBIASED,
    versions={
        "printed": Version(
            terms={"falls": sp.Integer(1)},
            assumes=CHOSEN,
            order=Order(PRINTED.subs(K_u, 1), left=PRINTED),
            constants=NETWORK_S,
            note="the bound (4), (5) falls; whether the left side does: cor1_growth",
            checks=(
                Check("diverse", cases.MORE_STEPS, "HOLDS"),
                Check("noise", cases.MORE_STEPS_NOISE, "HOLDS"),
                Check(
                    "one-batch", cases.changed(cases.MORE_STEPS_NOISE, batch="per-round"), "HOLDS"
                ),
            ),
        ),
    },
)
