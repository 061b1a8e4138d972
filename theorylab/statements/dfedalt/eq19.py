r"""Equation (19): what one round of DFedAlt changes; it is (13) + (18), with all constants.

Printed, for eta_u << (1-lambda)/(3 sqrt(2 K_u L_u)), with S = sigma_u^2 + delta^2:

    E[F(ubar^{t+1}, V^{t+1}) - F(ubar^t, V^t)] <=
        (-eta_u K_u/2 + 2 eta_u^2 K_u L_u + 18 eta_u^2 K_u^2 (2 + eta_u L_u^2)/(1-lambda)^2)
        E Delta_u
      + 2 eta_u^2 K_u L_u S + 9 eta_u^2 K_u^2 (2 + eta_u L_u^2)/(1-lambda)^2 S
      + (-eta_v K_v + 8 eta_v^2 K_v^2 (L_v + 1)) E Delta_v + 4 eta_v^2 K_v^2 sigma_v^2 (L_v + 1)
      + 18 eta_u^2 L_vu^2 K_u^2 (S + 2 E Delta_u)/(1-lambda)^2.

Readings. `printed`: the cap to the letter, the root over K_u L_u. `printed/cap`: the root over 2
alone, so that eta_u K_u L_u is small, and equal starts, which Lemma 5 needs.

Of `printed`: by the factors K_u that (9) and (12) have lost, the gain of a round grows as eta_u
K_u/2 for ever. With two equal quadratics and y = eta_u K_u L_u = 3 in 1500 steps it is more than
all there is to gain, L_u u^2/2 = Delta_u/(2 L_u). The cap's letter does not prevent that: in units
with L_u = 1e6 it holds 3000 times over. Of `printed/cap`: third derivatives turn diversity into a
bias, ``eq13``'s instance at a tenth and a hundredth of the cap, which is not coupled. The 1s in 2 +
eta_u L_u^2, L_v + 1 and before L_vu^2 carry the units of a smoothness (``unit``).

Corrected, for eta_u K_u L_u <= 1/2 and eta_v K_v L_v <= 1/4: the u-step and the v-step of
``_descent``, which has their proofs.
"""

from theorylab.statements import Check, Source, Statement, Version
from theorylab.statements.dfedalt import _instances as cases
from theorylab.statements.dfedalt._assumptions import GRAPH, PAPER, TOGETHER
from theorylab.statements.dfedalt._causes import LOST_LOCAL, LOST_SQUARE, UNITS
from theorylab.statements.dfedalt._descent import V_STEP as V_CORRECTED
from theorylab.statements.dfedalt._descent import step_assumes, u_step
from theorylab.statements.dfedalt._readings import long_rounds, tilted_clients
from theorylab.statements.dfedalt._theorem1 import (
    DESCENT,
    HEAD_CAP,
    LETTER,
    U_PRINTED,
    V_APART_PRINTED,
    V_STEP,
)
from theorylab.statements.dfedalt.lem3 import CAP

PRINTED = {**U_PRINTED, **V_STEP, **V_APART_PRINTED}
CORRECTED = {**u_step(sam=False), **V_CORRECTED}

STATEMENT = Statement(
    id="dfedalt.eq19",
    source=Source("dfedalt", "Equation (19)", "one round of DFedAlt"),
    algorithm="dfedalt",
    quantity=DESCENT,
    versions={
        "printed": long_rounds(PRINTED, (*LETTER, HEAD_CAP)),
        "printed/cap": tilted_clients(PRINTED, (*PAPER, GRAPH, CAP, HEAD_CAP, TOGETHER)),
        "corrected": Version(
            terms=CORRECTED,
            assumes=step_assumes(sam=False),
            note="every K_u in its place, the disagreement itself",
            mends=(LOST_LOCAL, LOST_SQUARE, UNITS),
            checks=(
                Check("sin-sin", cases.SMALL_STEPS),
                Check("signs", cases.SMALL_SIGNS),
                Check("far", cases.FAR),
                Check("starts-apart", cases.changed(cases.APART, eta_u=0.005, eta_v=0.05)),
            ),
        ),
    },
)
