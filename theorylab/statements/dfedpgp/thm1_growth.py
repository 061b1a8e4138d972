r"""Theorem 1's (3), an O(.), for the step sizes that the theorem allows.

Printed: (3) (see ``thm1``; the bracket of (4) once more) for all 0 < eta_u < delta/(4 sqrt(2 L_u
K_u)); the theorem says nothing of eta_v. The left side over the bracket must stay bounded. Judged
as in ``cor1_growth``, growth per decade of T, at most 9/8 claimed. The lower bounds of ``_floors``
show how it grows: by sqrt 10 for eta = w/(K T), which is below the cap, and without a limit above
2/L_u, which the printed cap allows where L_u > 128 K_u. Neither hangs on (C, q): without noise and
diversity no term of (3) with them is left.

Readings. `printed`: the printed cap. `printed/proof-cap`: delta/(4 sqrt 2 K_u L_u), as the proof of
Lemma 3 has it; the printed one may be a slip of typesetting. `printed/corollary-steps`: eta_u =
O(1/(L_u K_u sqrt T)), eta_v = O(1/(L_v K_v sqrt T)), which the proof assumes above (33); a
minibatch a step and z_i in Delta_v. It is ``cor1_rate``'s claim.

`corrected` for all step sizes is ``thm1``'s.
"""

from theorylab.statements import Check, Order, Source, Statement, Version
from theorylab.statements.dfedpgp import _instances as cases
from theorylab.statements.dfedpgp._causes import CAP, NO_STEP_SIZE
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
            causes=(NO_STEP_SIZE, CAP),
            checks=(
                Check("vanishing-steps", cases.VANISHING, "VIOLATED", causes=(NO_STEP_SIZE,)),
                Check("at-the-cap", cases.AT_THE_CAP, "VIOLATED", causes=(CAP,),
                      carries="L_u = 1000"),
            ),
        ),
        "printed/proof-cap": Version(
            terms=BOUNDED,
            assumes=(*SHARED, *BELOW),
            order=Order(PRINTED, floors=(VANISHING,)),
            constants=FACTS,
            note="every eta_u < delta/(4 sqrt 2 L_u K_u), as the proof of Lemma 3 has it",
            causes=(NO_STEP_SIZE,),
            mends=(CAP,),
            checks=(
                Check("vanishing-steps", cases.VANISHING, "VIOLATED"),
                Check("at-the-cap", cases.AT_THE_CAP, "ASSUMPTION_FAILS"),
            ),
        ),
        "printed/corollary-steps": Version(
            terms=BOUNDED,
            assumes=(*SHARED, FRESH, *BELOW, *CHOSEN),
            quantity=DEBIASED,
            order=Order(PRINTED),
            constants=NETWORK_S,
            note="Corollary 1's step sizes, a minibatch a step, z_i in Delta_v",
            mends=(NO_STEP_SIZE, CAP),
            checks=(
                Check("rounds", cases.IN_T),
                Check("one-over-delta", cases.IN_DELTA),
            ),
        ),
    },
)  # fmt: skip
