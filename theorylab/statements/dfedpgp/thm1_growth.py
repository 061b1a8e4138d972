r"""Theorem 1's (3), an O(.), for the step sizes that the theorem allows.

Printed: (3) (see ``thm1``; the bracket of (4) once more) for all 0 < eta_u < delta/(4 sqrt(2 L_u
K_u)); the theorem says nothing of eta_v. The left side over the bracket must stay bounded. Judged
as in ``cor1_growth``, growth per decade of T, at most 9/8 claimed. It does not stay bounded, as the
lower bounds of ``_floors`` prove:
 1. eta = w/(K T) is below the cap, and the iterates move by O(1) factors in T rounds: the left
    side stays above a positive number, while without noise (3) is O(1/sqrt T). Growth sqrt 10.
 2. The cap's units: with L_u K_u > 128 it allows eta_u > 2/L_u, where gradient descent diverges.
    Growth is exponential. "4 sqrt(2 L_u K_u)" may be a slip of typesetting, for the proof of Lemma
    3 has delta/(4 sqrt 2 K_u L_u); `printed/proof-cap` reads that, and 1 is left.

What is missing is a step size: the proof assumes eta_u = O(1/(L_u K_u sqrt T)), eta_v = O(1/(L_v
K_v sqrt T)) above (33), the theorem does not. `printed/corollary-steps` has them, a minibatch a
step and z_i in Delta_v, and is ``cor1_rate``'s claim. Neither 1 nor 2 hangs on (C, q): without
noise and diversity no term of (3) with them is left.

`corrected` for all step sizes is ``thm1``'s.
"""

from __future__ import annotations

from theorylab.statements._base import Check, Source, Statement, Version
from theorylab.statements._order import Order
from theorylab.statements._severity import Severity
from theorylab.statements.dfedpgp import _sweeps as made
from theorylab.statements.dfedpgp._floors import DIVERGING, FACTS, VANISHING
from theorylab.statements.dfedpgp._orders import BELOW, BOUNDED, CHOSEN, PRINTED
from theorylab.statements.dfedpgp._theorem1 import (
    BODY_CAP,
    DEBIASED,
    FRESH,
    NETWORK_S,
    SHARED,
    STATIONARITY,
)

_NO_STEPS = "(3) for every eta_u below its cap, not Corollary 1's"

STATEMENT = Statement(
    id="dfedpgp.thm1_growth",
    source=Source("dfedpgp", "Theorem 1, Eq. (3)", "O(1/sqrt T) for step sizes below a cap"),
    algorithm="dfedpgp",
    quantity=STATIONARITY,
    versions={
        "printed": Version(
            terms=BOUNDED,
            assumes=(*SHARED, BODY_CAP),
            order=Order(PRINTED, floors=(VANISHING, DIVERGING)),
            constants=FACTS,
            note="every eta_u < delta/(4 sqrt(2 L_u K_u)); that cap may be a slip of typesetting",
            severity=Severity.MISSING_HYPOTHESIS,
            rests_on=_NO_STEPS,
            checks=(
                Check("vanishing-steps", made.VANISHING, "VIOLATED"),
                Check("at-the-cap", made.AT_THE_CAP, "VIOLATED"),
            ),
        ),
        "printed/proof-cap": Version(
            terms=BOUNDED,
            assumes=(*SHARED, *BELOW),
            order=Order(PRINTED, floors=(VANISHING,)),
            constants=FACTS,
            note="every eta_u < delta/(4 sqrt 2 L_u K_u), as the proof of Lemma 3 has it",
            severity=Severity.MISSING_HYPOTHESIS,
            rests_on=_NO_STEPS,
            checks=(
                Check("vanishing-steps", made.VANISHING, "VIOLATED"),
                Check("at-the-cap", made.AT_THE_CAP, "ASSUMPTION_FAILS"),
            ),
        ),
        "printed/corollary-steps": Version(
            terms=BOUNDED,
            assumes=(*SHARED, FRESH, *BELOW, *CHOSEN),
            quantity=DEBIASED,
            order=Order(PRINTED),
            constants=NETWORK_S,
            note="Corollary 1's step sizes, a minibatch a step, z_i in Delta_v",
            checks=(
                Check("rounds", made.IN_T),
                Check("one-over-delta", made.IN_DELTA),
            ),
        ),
    },
)
