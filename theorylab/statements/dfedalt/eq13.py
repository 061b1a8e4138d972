r"""Equation (13): the u-step, with all constants.

Printed, S = sigma_u^2 + delta^2:

    E[F(ubar^{t+1}, V^{t+1}) - F(ubar^t, V^{t+1})] <= (-eta_u K_u/2 + 2 eta_u^2 K_u L_u
        + 18 eta_u^2 K_u^2 (2 + eta_u L_u^2)/(1-lambda)^2) E Delta_u
      + 2 eta_u^2 K_u L_u S + 9 eta_u^2 K_u^2 (2 + eta_u L_u^2)/(1-lambda)^2 S.

Readings. As (19)'s: `printed` has the cap to the letter, `printed/cap` the root over 2 alone.

Of `printed`: as in (19), a gain of eta_u K_u/2 for ever. Of `printed/cap`: diversity must be paid
with eta_u^3 K_u^3 L_u^2 delta^2, and is with 2 eta_u^2 K_u L_u = 2 eta_u^3 K_u^3 L_u^2/(y K_u),
y = eta_u K_u L_u <= .2357, and with the 2 in 2 + eta_u L_u^2. That 2 is nothing beside eta_u L_u^2
where L_u = 1.1e9; with L_u = 1 it is so large that the same run satisfies (13). With a common
ripple and a tilt of its own as F_i, the clients wander over the whole ripple while their average
stays: it starts downhill, and goes where the ripple's mean slope pulls it, uphill. The cap has "<<"
in it, so it is shown at shares of it, with K_u = 300 over the share: the F gained is 1.8 times the
bound at .3, and from a tenth to a hundredth (y = .00235, K_u = 30000: 2.1e5 against -9.3e4) the
bound promises a descent, so that no factor helps. In 50 digits it is the same.

Corrected, y <= 1/2: the u-step of ``_descent``.
"""

from theorylab.statements import Check, Source, Statement, Version
from theorylab.statements.dfedalt import _instances as cases
from theorylab.statements.dfedalt._assumptions import TOGETHER
from theorylab.statements.dfedalt._causes import LOST_LOCAL, LOST_SQUARE, UNITS
from theorylab.statements.dfedalt._descent import CAP_U, u_step
from theorylab.statements.dfedalt._proof import ONE_U_STEP, U_STEP
from theorylab.statements.dfedalt._readings import long_rounds, tilted_clients
from theorylab.statements.dfedalt._theorem1 import LETTER, U_PRINTED
from theorylab.statements.dfedalt.lem3 import CAP

CORRECTED = u_step(sam=False)

STATEMENT = Statement(
    id="dfedalt.eq13",
    source=Source("dfedalt", "Equation (13)", "the u-step of DFedAlt"),
    algorithm="dfedalt",
    quantity=U_STEP,
    versions={
        "printed": long_rounds(U_PRINTED, LETTER),
        "printed/cap": tilted_clients(U_PRINTED, (*LETTER[:-1], CAP, TOGETHER)),
        "corrected": Version(
            terms=CORRECTED,
            assumes=(*ONE_U_STEP, CAP_U),
            note="every K_u in its place, the disagreement itself",
            mends=(LOST_LOCAL, LOST_SQUARE, UNITS),
            checks=(
                Check("tilted", cases.changed(cases.TILTED, eta_u=1.2e-8)),
                Check("sin-sin", cases.SMALL_STEPS),
                Check("signs", cases.SMALL_SIGNS),
                Check("starts-apart", cases.changed(cases.APART, eta_u=0.005)),
            ),
        ),
    },
)
