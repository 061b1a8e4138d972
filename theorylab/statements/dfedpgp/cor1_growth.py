r"""Corollary 1's bracket at its extremes: the left side over it must stay bounded.

As ``cor1_rate`` reads it, it does along seven sweeps. Judged as growth per decade, at most 9/8
claimed; the lower bounds are proved in ``_floors``.

Readings. `printed`: a minibatch a step, as the proof uses it, and u_i in Delta_v, as printed.
 - Along L_v -> 0 on L_v/2 v^2 the left side is about c_v sigma_v^2/(2 L_v K_v sqrt T), the bracket
   (1 + L_v) sigma_v^2/sqrt T and less: along T = L_v^-2 the ratio grows as 1/L_v, 10 a decade.
 - Along T with mu_i != 1, at the stationary point of ``thm1``'s check, the left side stays above a
   positive number for ever: at least sqrt 10 a decade.
`printed/line-4`: one minibatch a round.
 - Along K_u on L_u/2 u^2 with additive noise all steps of a round see one xi, so the left side is
   about c_u sigma_u^2/(2 m L_u sqrt T) for every K_u, and the bracket falls: along T = K_u^2 (or
   any power above) the ratio grows as K_u, 10 a decade.
None hangs on (C, q): the bracket's terms with them fall as fast as its others, or faster.

`corrected`: cor1's, whose bracket has sigma_v^2/(L_v K_v) for (1 + L_v) sigma_v^2, the heads'
gradient at ubar and a minibatch a step. With c_u, c_v <= 1/2 and half of every cap its ratio is at
most 31 (``_orders.FAR_BELOW``), by cor1. Swept: T, K_u, K_v, L_u, L_v, m (on rings, where 1/(1-q)
goes as m^2) and 1/delta: two clients, one of which keeps delta/2 of all weight, with T as delta^-2
(what the step size cap asks for) and delta^-4. The terms with delta and C are needed: the local
steps of a client of weight mu_i go 1/mu_i times as far.
"""

from theorylab.statements import Check, Order, Source, Statement, Version
from theorylab.statements.dfedalt._causes import ONE_MINIBATCH
from theorylab.statements.dfedpgp import _instances as cases
from theorylab.statements.dfedpgp._causes import HEADS_AT_U, VANISHING_NOISE
from theorylab.statements.dfedpgp._floors import BIASED, FACTS, FLAT, ONE_NOISE
from theorylab.statements.dfedpgp._orders import (
    BELOW,
    BOUNDED,
    CHOSEN,
    CORRECTED,
    FAR_BELOW,
    PRINTED,
)
from theorylab.statements.dfedpgp._theorem1 import DESCENT, FRESH, ONE_BATCH, SHARED, STATIONARITY

STATEMENT = Statement(
    id="dfedpgp.cor1_growth",
    source=Source("dfedpgp", "Corollary 1", "the bracket at its extremes"),
    algorithm="dfedpgp",
    quantity=STATIONARITY,
    versions={
        "printed": Version(
            terms=BOUNDED,
            assumes=(*SHARED, FRESH, *BELOW, *CHOSEN),
            order=Order(PRINTED, floors=(FLAT, BIASED)),
            constants=FACTS,
            note="a minibatch a step, u_i in Delta_v",
            causes=(VANISHING_NOISE, HEADS_AT_U),
            mends=(ONE_MINIBATCH,),
            checks=(
                Check(
                    "flat-heads-of-three",
                    cases.FLAT_OF_THREE,
                    "VIOLATED",
                    causes=(VANISHING_NOISE,),
                ),
                Check("biased", cases.BIASED, "VIOLATED", causes=(HEADS_AT_U,)),
            ),
        ),
        "printed/line-4": Version(
            terms=BOUNDED,
            assumes=(*SHARED, ONE_BATCH, *BELOW, *CHOSEN),
            order=Order(PRINTED, floors=(ONE_NOISE,)),
            constants=FACTS,
            note="one minibatch a round",
            causes=(ONE_MINIBATCH,),
            checks=(Check("body-steps-of-three", cases.ONE_BATCH_OF_THREE, "VIOLATED"),),
        ),
        "corrected": Version(
            terms=BOUNDED,
            assumes=(*SHARED, FRESH, *FAR_BELOW, *CHOSEN),
            quantity=DESCENT,
            order=Order(CORRECTED),
            note="cor1's bracket",
            mends=(ONE_MINIBATCH, HEADS_AT_U, VANISHING_NOISE),
            checks=(
                Check("rounds", cases.IN_T),
                Check("clients", cases.IN_N_FAR),
                Check("flat-heads", cases.IN_L_V),
                Check("body-steps", cases.IN_K_U),
                Check("head-steps", cases.IN_K_V_ALONE),
                Check("smoothness", cases.IN_L_U),
                Check("one-over-delta", cases.IN_DELTA),
                Check("one-over-delta-late", cases.IN_DELTA_LATE),
                Check("one-batch", cases.IN_K_U_ONE_BATCH, "ASSUMPTION_FAILS"),
            ),
        ),
    },
)
